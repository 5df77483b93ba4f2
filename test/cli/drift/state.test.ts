// What a stack is called in a report, and the command that a failure names.

import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/folder";
import { textWith } from "../../support/matchers";
import { readStack } from "../../../cli/drift/state";
import { readStacks } from "../../../cli/drift/stacks";
import { writePulumi } from "../program";

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

/** The entry of one service of a state. */
function entryOf(name: string, more: object) {
  const type = "pulumi-nodejs:dynamic/dbcloud:Service";
  const urn = `urn:pulumi:dev::shop::${type}::${name}`;
  const resource = { urn, custom: true, type, id: "svc1234567", inputs: {}, outputs: {}, ...more };
  return readStack(JSON.stringify({ deployment: { resources: [resource] } }), undefined, "x").entries[0];
}

test("a logical name with colons is the whole of it", () => {
  expect(entryOf("eu::orders", {})?.name).toBe("eu::orders");
});

test("a command that failed is named as one would type it", async () => {
  const folder = temporaryFolder();
  writePulumi(folder);
  const ask = (stack: string): Promise<unknown> =>
    readStacks({ stacks: [stack], all: false, files: [] }, { cwd: folder, environment: { PATH: folder } });
  await expect(ask("prd")).rejects.toMatchObject({ hint: textWith("`pulumi stack export --stack prd`") });
  await expect(ask("two words")).rejects.toMatchObject({ hint: textWith("`pulumi stack export --stack 'two words'`") });
});

test.each([
  [{ __urn: [], cpuMillis: [], name: [] }, "orders", false],
  [{ __urn: [], cpuMillis: [] }, undefined, false],
  // As after a refresh and after an import.
  [{}, "orders", true],
  [undefined, "orders", true],
])("a program that gave %j: the name is %s, uncertain %s", (propertyDependencies, name, isNameUncertain) => {
  const inputs = { name: "orders", cpuMillis: 500 };
  const entry = entryOf("orders", { inputs, outputs: inputs, propertyDependencies });
  expect(entry).toMatchObject({ inputs: { cpuMillis: 500 }, isNameUncertain });
  expect(entry?.inputs["name"]).toBe(name);
});
