// The table of configuration says what the configuration does.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { configKeys, environmentName, readConfig, type ConfigKey } from "../../provider/domain/config/config";
import { parseDuration } from "../../provider/domain/values/duration";

const page = readFileSync(path.join(__dirname, "..", "..", "docs", "configuration.md"), "utf8");
const rows = new Map(
  [...page.matchAll(/^\| `dbcloud:(\w+)`[^|]*\| `(\w+)` *\|[^|]*\|([^|]*)\|$/gm)].map(
    ([, key = "", variable = "", fallback = ""]) => [key, { variable, fallback: fallback.trim().replaceAll("`", "") }],
  ),
);

test("every key is there, with its environment variable", () => {
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
] as const satisfies readonly (readonly [ConfigKey, string])[])("the default of %s", (key, member) => {
  const said = rows.get(key)?.fallback ?? "";
  expect(String(parseDuration(said) ?? said)).toBe(String(readConfig([])[member]));
});
