// The parts of the documents that `npm run docs` writes are as the sources are.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../cli/program";
import { usage as emulatorUsage } from "../../emulator/commandOptions";
import { BACKOFF } from "../../provider/api/http/exchange";
import { operationList, operations } from "../../provider/api/operations";
import { configKeys, environmentName } from "../../provider/domain/config/config";
import { resources } from "../../provider/kinds";
import { ID_NAMES as ids, LIST_MEMBERS as lists } from "../../provider/pulumi/stateNames";
import { newestCalls, writeEngineCalls } from "../../scripts/docs/engineCalls";
import { documentSchema } from "../../page/schema";
import { writePageSchema } from "../../scripts/docs/pageSchema";
import { writeReference } from "../../scripts/docs/reference";
import { writeRepeats } from "../../scripts/docs/repeats";
import { writeSchema } from "../../scripts/docs/schema";

const root = path.join(__dirname, "..", "..");
const details = readFileSync(path.join(root, "docs", "internals", "reliability.md"), "utf8");

test("docs/reference.md is as the sources are", () => {
  expect(readFileSync(path.join(root, "docs", "reference.md"), "utf8")).toBe(
    writeReference(root, { operations, commands, emulatorUsage }),
  );
});

test("plugin/schema.json is as the sources are", () => {
  const written = readFileSync(path.join(root, "plugin", "schema.json"), "utf8");
  expect(written).toBe(writeSchema(root, { resources, configKeys, environmentName, ids, lists }));
});

test("no text for other languages has a name of TypeScript's, which references are for, beside calls and keys of settings", () => {
  const textsIn = (node: unknown): string[] =>
    Object.entries(typeof node === "object" && node !== null ? node : {}).flatMap(([key, value]: [string, unknown]) =>
      key === "description" && typeof value === "string" ? [value] : textsIn(value),
    );
  const schema: unknown = JSON.parse(readFileSync(path.join(root, "plugin", "schema.json"), "utf8"));
  const found = textsIn(schema).flatMap((text) => {
    const [prose = ""] = text.replaceAll(/\{\{% ref .*?%\}\}/g, "").split("{{% examples %}}");
    return prose.match(/(?<=`)[^`]*\b[a-z]+[A-Z]\w*[^`]*(?=`)/g) ?? [];
  });
  const calls = Object.values(operations).flatMap((group) => Object.keys(group));
  const isOther = (name: string): boolean => !name.startsWith("dbcloud:") && !calls.includes(name);
  expect(found.filter(isOther)).toEqual([]);
});

test("docs/page.schema.json is as the sources are", () => {
  expect(readFileSync(path.join(root, "docs", "page.schema.json"), "utf8")).toBe(writePageSchema(documentSchema));
});

test("docs/internals/reliability.md has the recorded calls of the engine, and the table of repeats", () => {
  expect(writeEngineCalls(details, newestCalls(root))).toBe(details);
  expect(writeRepeats(details, { operationList, BACKOFF })).toBe(details);
});
