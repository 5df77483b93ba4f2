// The parts of the documents that are generated are as the sources are. `npm run docs` runs this file with `--update`, which
// writes them.

import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { commands } from "../../cli/program";
import { usage as emulatorUsage } from "../../emulator/commandOptions";
import { BACKOFF } from "../../provider/api/http/exchange";
import { operationList, operations } from "../../provider/api/operations";
import { configKeys, environmentName } from "../../provider/domain/config/config";
import { resources } from "../../provider/kinds";
import { ID_NAMES as ids, LIST_MEMBERS as lists } from "../../provider/pulumi/stateNames";
import { newestCalls, writeEngineCalls } from "../../scripts/docs/engineCalls";
import { documentSchema } from "../../page/schema";
import { writeReference } from "../../scripts/docs/reference";
import { writeRepeats } from "../../scripts/docs/repeats";
import { writeSchema } from "../../scripts/docs/schema";
import { root, textOf } from "../support/repository";

const WRITERS: Readonly<Record<string, (before: string) => string>> = {
  "docs/reference.md": () => writeReference(root, { operations, commands, emulatorUsage }),
  "plugin/schema.json": () => writeSchema(root, { resources, configKeys, environmentName, ids, lists }),
  "docs/page.schema.json": () => {
    const title = "The document that the page of pulumi-dbcloud draws";
    return `${JSON.stringify({ title, ...z.toJSONSchema(documentSchema) }, undefined, 2)}\n`;
  },
  // Its tables of the engine's calls and of repeats.
  "docs/internals/reliability.md": (before) =>
    writeEngineCalls(writeRepeats(before, { operationList, BACKOFF }), newestCalls(root)),
};

test.each(Object.entries(WRITERS))("%s is as the sources are", async (name, write) => {
  await expect(write(textOf(name))).toMatchFileSnapshot(path.join(root, name));
});

test("no text for other languages has a name of TypeScript's, which references are for, beside calls and keys of settings", () => {
  const textsIn = (node: unknown): string[] =>
    Object.entries(typeof node === "object" && node !== null ? node : {}).flatMap(([key, value]: [string, unknown]) =>
      key === "description" && typeof value === "string" ? [value] : textsIn(value),
    );
  const schema: unknown = JSON.parse(textOf("plugin/schema.json"));
  const found = textsIn(schema).flatMap((text) => {
    const [prose = ""] = text.replaceAll(/\{\{% ref .*?%\}\}/g, "").split("{{% examples %}}");
    return prose.match(/(?<=`)[^`]*\b[a-z]+[A-Z]\w*[^`]*(?=`)/g) ?? [];
  });
  const calls = Object.values(operations).flatMap((group) => Object.keys(group));
  const isOther = (name: string): boolean => !name.startsWith("dbcloud:") && !calls.includes(name);
  expect(found.filter(isOther)).toEqual([]);
});
