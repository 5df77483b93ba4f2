// What a stack is called in a report, and the command that a failure names.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { textWith } from "../../support/matchers";
import { readStack } from "../../../cli/drift/state";
import { readStacks } from "../../../cli/drift/stacks";

const state = (...urns: string[]): string =>
  JSON.stringify({ deployment: { resources: urns.map((urn) => ({ urn })) } });
const full = state("urn:pulumi:prd::shop::pulumi:pulumi:Stack::shop-prd");

test.each([
  ["prd", full, "shop/prd"],
  ["organization/shop/prd", full, "shop/prd"],
  ["acme/shop/prd", full, "acme/shop/prd"],
  [undefined, full, "shop/prd"],
  ["organization/shop/new", state(), "shop/new"],
  [undefined, state(), "a file"],
])("a stack asked for as %s with the state %s is %s", (given, text, name) => {
  expect(readStack(text, given, "a file").name).toBe(name);
});

test("a logical name with colons is the whole of it", () => {
  const type = "pulumi-nodejs:dynamic/dbcloud:Service";
  const urn = `urn:pulumi:dev::shop::${type}::eu::orders`;
  const resource = { urn, custom: true, type, id: "svc1234567", inputs: {}, outputs: {} };
  const [entry] = readStack(JSON.stringify({ deployment: { resources: [resource] } }), undefined, "x").entries;
  expect(entry?.name).toBe("eu::orders");
});

test("a command that failed is named as one would type it", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-pulumi-"));
  writeFileSync(path.join(folder, "pulumi"), "#!/bin/sh\necho 'error: no such stack' >&2\nexit 1\n", { mode: 0o755 });
  const environment = { PATH: `${folder}:/bin:/usr/bin` };
  const ask = (stack: string): Promise<unknown> =>
    readStacks({ stacks: [stack], all: false, files: [] }, { cwd: folder, environment });
  await expect(ask("prd")).rejects.toMatchObject({ hint: textWith("`pulumi stack export --stack prd`") });
  await expect(ask("two words")).rejects.toMatchObject({ hint: textWith("`pulumi stack export --stack 'two words'`") });
  rmSync(folder, { recursive: true });
});

test.each([
  [{ __urn: [], cpuMillis: [], name: [] }, "orders", false],
  [{ __urn: [], cpuMillis: [] }, undefined, false],
  // As after a refresh and after an import.
  [{}, "orders", true],
  [undefined, "orders", true],
])("a program that gave %j: the name is %s, uncertain %s", (propertyDependencies, name, isNameUncertain) => {
  const type = "pulumi-nodejs:dynamic/dbcloud:Service";
  const urn = `urn:pulumi:dev::shop::${type}::orders`;
  const inputs = { name: "orders", cpuMillis: 500 };
  const resource = { urn, custom: true, type, id: "svc1234567", inputs, outputs: inputs, propertyDependencies };
  const [entry] = readStack(JSON.stringify({ deployment: { resources: [resource] } }), undefined, "x").entries;
  expect(entry).toMatchObject({ inputs: { cpuMillis: 500 }, isNameUncertain });
  expect(entry?.inputs["name"]).toBe(name);
});
