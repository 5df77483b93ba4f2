// Which program on PATH is run.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findProgram } from "../../scripts/setup/paths.mjs";
import { temporaryFolder, writeFiles } from "../support/folder";

test("the first file of a name is found, no folder and nothing from relative entries", () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "a", "pulumi"), { recursive: true });
  writeFiles(folder, { "b/pulumi": "", "c/pulumi": "" });
  const PATH = [".", "no-such", ...["a", "b", "c"].map((name) => join(folder, name))].join(":");
  expect(findProgram("pulumi", { PATH })).toBe(join(folder, "b", "pulumi"));
  expect(findProgram("package.json", { PATH })).toBeUndefined();
  expect(findProgram("pulumi", {})).toBeUndefined();
});
