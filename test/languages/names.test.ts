// The names that programs in Python and Go see, as they are in names.txt, which changes with a look at it alone; and the
// schema as the CLI judges it.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { succeed } from "../support/cliProcess";
import { openEngineWorld } from "../support/engineWorld";
import { root } from "../support/repository";
import { findLanguages } from "../support/languages";
import { skipOrFail } from "../support/required";

/** What begins a line of a declaration, without the forms that the generator of Go adds to each type. */
const DECLARATIONS = {
  python: /^(?:class|def) [A-Za-z]\w+|^ {4}[A-Z_]+ = ".*"/gm,
  go: /^func [A-Z]\w+(?=\()|^type [A-Z]\w+(?= (?:struct|string))|^\t[A-Z]\w+ += [A-Z]\w+\(".*"\)/gm,
};
const ADDED = /(?:Input|Output|Array|Map|Ptr)\w*$/;

const namesIn = (folder: string, pattern: RegExp): string[] => {
  const files = readdirSync(folder, { encoding: "utf8" }).filter((file) => /\.(?:py|go)$/.test(file));
  const found = files.flatMap((file) => readFileSync(path.join(folder, file), "utf8").match(pattern) ?? []);
  const names = found.map((line) => line.trim().replaceAll(/\s+/g, " ")).filter((line) => !ADDED.test(line));
  return [...new Set(names)].toSorted();
};

test("the names in the packages of Python and Go are those of names.txt", async ({ skip }) => {
  const tools = await findLanguages();
  if ("missing" in tools) return skipOrFail(`no other languages: ${tools.missing}`, skip);
  const python = namesIn(path.join(tools.sdks, "python", "pulumi_dbcloud"), DECLARATIONS.python);
  const go = namesIn(path.join(tools.sdks, "go", "dbcloud"), DECLARATIONS.go);
  const text = ["# Python", ...python, "", "# Go", ...go, ""].join("\n");
  await expect(text).toMatchFileSnapshot(path.join(__dirname, "names.txt"));
});

test("the CLI finds no fault in the schema", async ({ onTestFinished }) => {
  const world = await openEngineWorld();
  onTestFinished(() => world.close());
  const project = await world.project("checked", {});
  const { text } = await succeed(project.pulumi(["schema", "check", path.join(root, "plugin", "schema.json")]));
  expect(text).not.toMatch(/warning|error/i);
});
