// When what npm has installed counts as out of date.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensurePackages, npmFailure, staleness } from "../../scripts/setup/npm.mjs";
import { StepError } from "../../scripts/setup/step.mjs";

const locked = {
  "": { version: "0.1.0" },
  "node_modules/undici": { version: "8.12.4", integrity: "sha512-a" },
  "node_modules/a/node_modules/zod": { version: "3.0.0", integrity: "sha512-b" },
  "node_modules/for-another-platform": { version: "1.0.0", integrity: "sha512-c", optional: true },
  "node_modules/pulumi-dbcloud": { link: true },
};

const { "": _root, "node_modules/for-another-platform": _other, ...installed } = locked;

describe("staleness", () => {
  test("nothing to do when all that this platform needs is there", () => {
    expect(staleness(locked, installed)).toBeUndefined();
    expect(staleness(locked, { ...installed, "node_modules/for-another-platform": _other })).toBeUndefined();
  });

  test("no record of an install: missing, or npm was interrupted", () => {
    expect(staleness(locked, undefined)).toBe("node_modules is missing or incomplete");
  });

  test("another version, or the same version with other contents", () => {
    const older = { ...installed, "node_modules/undici": { version: "8.12.3", integrity: "sha512-z" } };
    expect(staleness(locked, older)).toBe("undici is installed in 8.12.3, the lockfile has 8.12.4");
    const other = { ...installed, "node_modules/undici": { version: "8.12.4", integrity: "sha512-z" } };
    expect(staleness(locked, other)).toMatch(/^undici is installed/);
  });

  test("a package that came or went", () => {
    const { "node_modules/a/node_modules/zod": _zod, ...without } = installed;
    expect(staleness(locked, without)).toBe("zod is not installed");
    const { "node_modules/pulumi-dbcloud": _link, ...unlinked } = installed;
    expect(staleness(locked, unlinked)).toBe("pulumi-dbcloud is not installed");
    const more = { ...installed, "node_modules/left-pad": { version: "1.0.0" } };
    expect(staleness(locked, more)).toBe("left-pad is installed, the lockfile does not have it");
  });

  test("holds for this checkout, which is installed", () => {
    const read = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { packages: typeof locked }).packages;
    expect(staleness(read("package-lock.json"), read("node_modules/.package-lock.json"))).toBeUndefined();
  });
});

describe("ensurePackages", () => {
  let folder: string;
  let lines: string[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dbcloud-npm-"));
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** An installation in the folder, with this script in the place of npm's. */
  function installationWith(npmSource: string) {
    const npm = join(folder, "npm-cli.js");
    writeFileSync(npm, npmSource);
    const tell = (line: string) => lines.push(line);
    const env = { npm_execpath: npm };
    return { folder, title: "packages", flags: ["--flag"], env, node: process.execPath, cache: folder, tell };
  }

  test("a folder without a lockfile is an error that says so", async () => {
    await expect(ensurePackages(installationWith(""))).rejects.toThrow(/package-lock.json is missing/);
    expect(lines).toEqual([]);
  });

  test("runs npm ci there, once, and says why", async () => {
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
    const installation = installationWith(`
      const fs = require("node:fs");
      fs.mkdirSync("node_modules", { recursive: true });
      fs.writeFileSync("node_modules/.package-lock.json", ${JSON.stringify(JSON.stringify({ packages: installed }))});
      fs.appendFileSync("calls", process.argv.slice(2).join(" ") + "\\n");`);
    await Promise.all([ensurePackages(installation), ensurePackages(installation)]);
    await ensurePackages(installation);
    const calls = readFileSync(join(folder, "calls"), "utf8");
    expect(calls).toBe("ci --include=dev --include=optional --no-audit --no-fund --flag\n");
    expect(lines[0]).toBe("packages: npm ci, because node_modules is missing or incomplete");
  });

  test("a failing npm is reported with its own output", async () => {
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
    const installation = installationWith(`console.error("npm error network"); process.exit(1);`);
    await expect(ensurePackages(installation)).rejects.toThrow(/failed: npm error network\n.*\nBy hand: run "npm ci"/);
  });
});

test("the failure text names the folder, what npm wrote and what to do", () => {
  const error = new StepError("npm error network", "npm error code ENOTFOUND\nnpm error network\n");
  expect(npmFailure("/repo", error).split("\n")).toEqual([
    "npm ci in /repo failed: npm error network",
    "npm error code ENOTFOUND",
    "npm error network",
    'By hand: run "npm ci" in /repo; if the registry cannot be reached, look at "npm config get registry" and the proxy.',
  ]);
});
