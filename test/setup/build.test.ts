// When `dist` is built again, with the real compiler and the real bundler on a package of a few files.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../scripts/setup/build.mjs";

let root: string;
let lines: string[];

const inRoot = (file: string) => path.join(root, file);
const manifest = (entries: string[]): object => ({
  type: "commonjs",
  bin: { it: "dist/cli/main.js" },
  exports: Object.fromEntries(entries.map((name) => [`./${name}`, { default: `./dist/${name}.js` }])),
});
const build = () => ensureBuilt({ root, env: process.env, node: process.execPath, tell: (line) => lines.push(line) });

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "dbcloud-build-"));
  lines = [];
  for (const folder of ["cli", "emulator", "plugin", "node_modules"]) mkdirSync(inRoot(folder), { recursive: true });
  symlinkSync(path.resolve("node_modules/typescript"), inRoot("node_modules/typescript"));
  writeFileSync(inRoot("package.json"), JSON.stringify(manifest(["emulator/index", "emulator/kept"])));
  writeFileSync(inRoot("package-lock.json"), "{}");
  writeFileSync(inRoot("tsconfig.json"), "{}");
  const compilerOptions = { rootDir: ".", module: "NodeNext", target: "ES2023", lib: ["ES5"], types: [] };
  const emitted = { declaration: true, emitDeclarationOnly: true, incremental: true };
  writeFileSync(
    inRoot("tsconfig.build.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...emitted }, include: ["cli", "emulator"] }),
  );
  writeFileSync(inRoot("cli/main.ts"), "#!/usr/bin/env node\nexport const a = 1;\n");
  writeFileSync(inRoot("emulator/index.ts"), "export const b = 2;\n");
  writeFileSync(inRoot("emulator/kept.ts"), "export const k = 0;\n");
  writeFileSync(inRoot("emulator/command.ts"), "export const c = 3;\n");
  writeFileSync(inRoot("plugin/main.ts"), "console.log(4);\n");
  writeFileSync(inRoot("plugin/schema.json"), "{}");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test(
  "dist is built once, again after a change, and not from sources that do not compile",
  { timeout: 240_000 },
  async () => {
    await Promise.all([build(), build()]);
    await build();
    expect(lines.filter((line) => line.includes("does not match"))).toHaveLength(1);

    expect(existsSync(inRoot("dist/emulator/index.js"))).toBe(true);
    expect(existsSync(inRoot("dist/emulator/index.d.ts"))).toBe(true);
    expect(statSync(inRoot("dist/plugin/pulumi-resource-dbcloud")).mode & 0o100).toBeGreaterThan(0);

    rmSync(inRoot("emulator/index.ts"));
    writeFileSync(inRoot("package.json"), JSON.stringify(manifest(["emulator/kept"])));
    writeFileSync(inRoot("cli/main.ts"), "#!/usr/bin/env node\nexport const a = 3;\n");
    await build();
    expect(readFileSync(inRoot("dist/cli/main.js"), "utf8")).toContain("a = 3");
    expect(existsSync(inRoot("dist/emulator/index.js"))).toBe(false);

    writeFileSync(inRoot("emulator/index.ts"), "export const b: string = 2;\n");
    await expect(build()).rejects.toThrow(/emulator\/index\.ts\(1,14\): error TS2322/);
    await expect(build()).rejects.toThrow(/the sources do not compile/);
  },
);
