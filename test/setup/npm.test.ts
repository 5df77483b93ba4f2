// When what npm has installed counts as out of date.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ensurePackages, isInstalled } from "../../scripts/setup/npm.mjs";

const locked = {
  "": { version: "0.1.0" },
  "node_modules/undici": { version: "8.12.4", integrity: "sha512-a" },
  "node_modules/a/node_modules/zod": { version: "3.0.0", integrity: "sha512-b" },
  "node_modules/for-another-platform": { version: "1.0.0", integrity: "sha512-c", optional: true },
  "node_modules/pulumi-dbcloud": { link: true },
};

const { "": _root, "node_modules/for-another-platform": _other, ...installed } = locked;

describe("what is installed", () => {
  const { "node_modules/a/node_modules/zod": _zod, ...without } = installed;
  const { "node_modules/pulumi-dbcloud": _link, ...unlinked } = installed;
  const undici = (version: string, integrity: string) => ({
    ...installed,
    "node_modules/undici": { version, integrity },
  });

  test.each<[string, typeof installed | Record<string, object> | undefined, boolean]>([
    ["all that this platform needs", installed, true],
    ["and what another one needs", { ...installed, "node_modules/for-another-platform": _other }, true],
    ["no record of an install: missing, or npm was interrupted", undefined, false],
    ["another version", undici("8.12.3", "sha512-z"), false],
    ["the same version with other contents", undici("8.12.4", "sha512-z"), false],
    ["a package less", without, false],
    ["a link less", unlinked, false],
    ["a package more", { ...installed, "node_modules/left-pad": { version: "1.0.0" } }, false],
  ])("%s", (_, record, expected) => {
    expect(isInstalled(locked, record)).toBe(expected);
  });

  test("is what the lockfile of this checkout says", () => {
    const read = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { packages: typeof locked }).packages;
    expect(isInstalled(read("package-lock.json"), read("node_modules/.package-lock.json"))).toBe(true);
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
    expect(lines[0]).toBe("packages: npm ci, because node_modules differs from package-lock.json");
  });

  test("a failing npm is reported with its own output", async () => {
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ packages: locked }));
    const installation = installationWith(`console.error("npm error network"); process.exit(1);`);
    await expect(ensurePackages(installation)).rejects.toThrow(/failed: npm error network\n.*\nBy hand: run "npm ci"/);
  });
});
