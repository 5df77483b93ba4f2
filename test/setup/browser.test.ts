// Which browser the tests of the page get. The folder of tools is a small one that counts as installed.
import path from "node:path";
import { expect, test } from "vitest";
import { ensureBrowser } from "../../scripts/setup/browser.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

function choice(env: Record<string, string>) {
  const folder = temporaryFolder();
  const packages = JSON.stringify({ packages: {} });
  writeFiles(folder, { "package-lock.json": packages, "node_modules/.package-lock.json": packages });
  writeFiles(folder, { "bin/chromium": "", "own/browser": "" }, 0o755);
  const lines: string[] = [];
  const at = (name: string): string => path.join(folder, name);
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, at(value)]));
  const tell = (line: string): void => void lines.push(line);
  return {
    at,
    lines,
    found: () => ensureBrowser({ folder, env: given, node: process.execPath, cache: at("cache"), tell }),
  };
}

test("CHROME_PATH goes first, then a browser on PATH", async () => {
  const named = choice({ CHROME_PATH: "own/browser", PATH: "bin" });
  expect(await named.found()).toEqual({ CHROME_PATH: named.at("own/browser") });
  const onPath = choice({ PATH: "bin" });
  expect(await onPath.found()).toEqual({ CHROME_PATH: onPath.at("bin/chromium") });
});

test("a CHROME_PATH that leads nowhere is an error, because another browser would be tried in its place", async () => {
  const wrong = choice({ CHROME_PATH: "none", PATH: "bin" });
  await expect(wrong.found()).rejects.toThrow("CHROME_PATH is");
});

test("if there is none, one line says why, and the tests go on without it", async () => {
  const none = choice({ PATH: "empty" });
  expect(await none.found()).toEqual({});
  expect(none.lines).toEqual([expect.stringMatching(/^a browser into tools\/browser: .*; going on without it$/)]);
});
