// When `dist` is built again, with the real compiler and the real bundler on a package of a few files.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ensureBuilt } from "../../scripts/setup/build.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";
import { isBuildServer } from "../support/repeats";

const manifest = (...entries: string[]): string =>
  JSON.stringify({
    type: "commonjs",
    engines: { node: ">=22.19.0" },
    bin: { it: "dist/cli/main.js" },
    exports: Object.fromEntries(entries.map((name) => [`./${name}`, { default: `./dist/${name}.js` }])),
  });
const compilerOptions = {
  rootDir: ".",
  module: "NodeNext",
  target: "ES2023",
  lib: ["ES5"],
  types: [],
  declaration: true,
  emitDeclarationOnly: true,
  incremental: true,
};
const files = {
  "package.json": manifest("emulator/index", "emulator/kept"),
  "package-lock.json": "{}",
  "tsconfig.json": "{}",
  "tsconfig.build.json": JSON.stringify({ compilerOptions, include: ["cli", "emulator"] }),
  "cli/main.ts": "#!/usr/bin/env node\nexport const a = 1;\n",
  "emulator/index.ts": "export const b = 2;\n",
  "emulator/kept.ts": "export const k = 0;\n",
  "emulator/command.ts": "export const c = 3;\n",
  "plugin/main.ts": "console.log(4);\n",
  "plugin/schema.json": "{}",
  "page/tsconfig.json": "{}",
  "page/main.tsx": "document.title = 'page';\n",
  "page/style.css": "",
  "page/page.html": "%policy% %style% %script%",
  "docs/errors.md": "",
};

test.runIf(isBuildServer)(
  "dist is built once, again after a change, and not from sources that do not compile",
  { timeout: 240_000 },
  async () => {
    const root = temporaryFolder();
    const inRoot = (file: string) => path.join(root, file);
    writeFiles(root, files);
    mkdirSync(inRoot("node_modules"));
    symlinkSync(path.resolve("node_modules/typescript"), inRoot("node_modules/typescript"));
    const lines: string[] = [];
    const tell = (line: string) => lines.push(line);
    const build = () => ensureBuilt({ root, env: process.env, node: process.execPath, tell });

    await Promise.all([build(), build()]);
    await build();
    expect(lines.filter((line) => line.includes("does not match"))).toHaveLength(1);
    expect(existsSync(inRoot("dist/emulator/index.js"))).toBe(true);
    expect(existsSync(inRoot("dist/emulator/index.d.ts"))).toBe(true);
    expect(statSync(inRoot("dist/plugin/pulumi-resource-dbcloud")).mode & 0o100).toBeGreaterThan(0);

    rmSync(inRoot("emulator/index.ts"));
    const changed = "#!/usr/bin/env node\nexport const a = 3;\n";
    writeFiles(root, { "package.json": manifest("emulator/kept"), "cli/main.ts": changed });
    await build();
    expect(readFileSync(inRoot("dist/cli/main.js"), "utf8")).toContain("a = 3");
    expect(existsSync(inRoot("dist/emulator/index.js"))).toBe(false);

    writeFiles(root, { "emulator/index.ts": "export const b: string = 2;\n" });
    await expect(build()).rejects.toThrow(/emulator\/index\.ts\(1,14\): error TS2322/);
    await expect(build()).rejects.toThrow(/the sources do not compile/);
  },
);
