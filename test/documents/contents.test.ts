// What the documents say is what the sources do: the table of configuration, the examples of faults, and the first test.

import { expect, test } from "vitest";
import { faultKinds, faultRequest } from "../../emulator/controlPlane/http/faults";
import { configKeys, environmentName, readSettings, type ConfigKey } from "../../provider/domain/config/config";
import { parseDuration } from "../../provider/domain/values/duration";
import { blocksOf, textOf } from "../support/repository";

const rows = new Map(
  [...textOf("docs/configuration.md").matchAll(/^\| `dbcloud:(\w+)`[^|]*\| `(\w+)` *\|[^|]*\|([^|]*)\|$/gm)].map(
    ([, key = "", variable = "", fallback = ""]) => [key, { variable, fallback: fallback.trim().replaceAll("`", "") }],
  ),
);

test("the table of configuration has every key, with its environment variable", () => {
  expect([...rows.keys()].toSorted()).toEqual(Object.keys(configKeys).toSorted());
  for (const [key, { variable }] of rows) expect(variable).toBe(environmentName(key));
});

test.each([
  ["pollInterval", "pollIntervalMs"],
  ["pollIntervalMax", "pollIntervalMaxMs"],
  ["maxRequestsPerSecond", "maxRequestsPerSecond"],
  ["maxConcurrency", "maxConcurrency"],
  ["allowInsecure", "allowInsecure"],
  ["quiet", "quiet"],
] as const satisfies readonly (readonly [ConfigKey, string])[])(
  "the table of configuration has the default of %s",
  (key, member) => {
    const said = rows.get(key)?.fallback ?? "";
    expect(String(parseDuration(said) ?? said)).toBe(String(readSettings([]).config[member]));
  },
);

test("the page of faults has an example of each kind, which the emulator accepts", () => {
  const table = textOf("docs/emulator-faults.md").matchAll(/^\| `\w+` .*`(\{ "kind": .*\})` +\|$/gm);
  const examples = Array.from(table, ([, one = ""]) => JSON.parse(one) as unknown);
  expect(examples.map((example) => faultRequest.parse(example).kind)).toEqual(faultKinds);
});

test("the README promises what the page on reliability promises, in the same words, and excepts the same", () => {
  const page = textOf("docs/reliability.md").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  const [, section = ""] = /\n## What it does and doesn't guarantee\n([^]*?)\n## /.exec(textOf("README.md")) ?? [];
  const promises = Array.from(
    section.matchAll(/^(\d\. )\*\*\[(.*)\]\(.*\)\.\*\* (.*)$/gm),
    ([, number = "", title = "", words = ""]) => `### ${number}${title}\n\n${words}`,
  );
  const exceptions = Array.from(section.matchAll(/^- \*\*.*$/gm), ([line]) => line.replace(/\.$/, ""));
  expect(promises.filter((one) => !page.includes(one))).toEqual([]);
  expect(exceptions.filter((one) => !page.includes(one))).toEqual([]);
  const [, excepted = ""] = /\n## What it can't guarantee\n([^]*?)\n## /.exec(page) ?? [];
  expect([promises.length, exceptions.length]).toEqual([
    page.match(/^### \d\. /gm)?.length,
    excepted.match(/^- \*\*/gm)?.length,
  ]);
});

const [first = ""] = blocksOf(textOf("docs/testing.md"), "ts");

test("the document's first test is the example's", () => {
  const body = (code: string): string => code.slice(code.indexOf('test("'), code.indexOf('toEqual(["resize"]);'));
  const example = body(textOf("examples/testing/test/stack.vitest.ts"));
  expect(
    body(first)
      .replace("./index.js", "../index.js")
      .replace(/ \/\/ or workDir.*/, ""),
  ).toBe(example);
});
