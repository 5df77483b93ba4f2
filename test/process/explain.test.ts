// The executable of the plugin by itself, as users of other languages have it.

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { explain } from "../../provider/domain/explain";

const executable = path.join(__dirname, "..", "..", "dist", "plugin", "pulumi-resource-dbcloud");

test("without a node on PATH it says which one it needs, and where it looked", () => {
  const { status, stderr } = spawnSync(executable, ["127.0.0.1:1"], { encoding: "utf8", env: { PATH: "/nowhere" } });
  expect(status).toBe(1);
  expect(stderr).toMatch(/needs Node\.js 22\.19\.0 or newer, and there is no 'node' in PATH: \/nowhere\n$/);
});

test("it explains an error", () => {
  const said = execFileSync(executable, ["explain", "name-taken"], { encoding: "utf8" });
  const page = readFileSync(path.join(__dirname, "../../docs/errors.md"), "utf8");
  expect(said).toBe(explain(page, "name-taken").text);
});
