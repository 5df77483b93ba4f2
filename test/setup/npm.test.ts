// When what npm has installed counts as out of date, and how it is installed.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensurePackages, staleness } from "../../scripts/setup/npm.mjs";

const locked = {
  "": { version: "0.1.0" },
  "node_modules/undici": { version: "8.12.4", integrity: "sha512-a" },
  "node_modules/a/node_modules/zod": { version: "3.0.0", integrity: "sha512-b" },
  "node_modules/for-another-platform": { version: "1.0.0", integrity: "sha512-c", optional: true },
  "node_modules/pulumi-dbcloud": { link: true },
};
const { "": _root, "node_modules/for-another-platform": other, ...installed } = locked;
const { "node_modules/a/node_modules/zod": _zod, ...withoutZod } = installed;
const undici = (version: string) => ({
  ...installed,
  "node_modules/undici": { version, integrity: "sha512-z" },
});

test.each([
  [installed, undefined],
  [{ ...installed, "node_modules/for-another-platform": other }, undefined],
  [undefined, "node_modules is missing or incomplete"],
  [undici("8.12.3"), "undici is installed in 8.12.3, the lockfile has 8.12.4"],
  [undici("8.12.4"), expect.stringMatching(/^undici is installed/) as string],
  [withoutZod, "zod is not installed"],
  [{ ...installed, "node_modules/left-pad": { version: "1.0.0" } }, expect.stringContaining("left-pad") as string],
])("with %j installed, the reason to install again is %s", (present, reason) => {
  expect(staleness(locked, present)).toEqual(reason);
});

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "dbcloud-npm-"));
  lines = [];
  writeFileSync(path.join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs with this script in the place of npm's. */
function ensured(npmSource: string): Promise<unknown> {
  const npm = path.join(folder, "npm-cli.js");
  writeFileSync(npm, npmSource);
  const tell = (line: string) => lines.push(line);
  const env = { npm_execpath: npm };
  return ensurePackages({
    folder,
    title: "packages",
    flags: ["--flag"],
    env,
    node: process.execPath,
    cache: folder,
    tell,
  });
}

test("npm ci runs once, and the line says why", async () => {
  const npm = `
    const fs = require("node:fs");
    fs.mkdirSync("node_modules", { recursive: true });
    fs.writeFileSync("node_modules/.package-lock.json", ${JSON.stringify(JSON.stringify({ packages: installed }))});
    fs.appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");`;
  await Promise.all([ensured(npm), ensured(npm)]);
  await ensured(npm);
  const calls = readFileSync(path.join(folder, "calls"), "utf8");
  expect(calls).toBe("ci --include=dev --include=optional --no-audit --no-fund --flag\n");
  expect(lines[0]).toBe("packages: npm ci, because node_modules is missing or incomplete");
});

test("an npm that fails, and a missing lockfile, are errors that name the folder and the command to run", async () => {
  await expect(ensured(`console.error("npm error network"); process.exit(1);`)).rejects.toThrow(
    /npm ci in .* failed: npm error network\n.*\nBy hand: run "npm ci"/,
  );
  rmSync(path.join(folder, "package-lock.json"));
  await expect(ensured("")).rejects.toThrow(/package-lock.json is missing/);
});
