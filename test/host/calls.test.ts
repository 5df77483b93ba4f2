// What one process says of the calls that it has had.

import { expect, test } from "vitest";
import { createProcessState } from "../../provider/host/host";
import { AT_ONCE, createCalls } from "../../provider/host/calls";
import { createSettingsReader } from "../../provider/host/settings";
import type { Values } from "../../provider/domain/values/value";

const program = (stack: string, name: string): Values => ({
  __urn: `urn:pulumi:${stack}::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`,
});
const state = (stack: string, name: string): Values => ({ __urn: `${stack}::shop::Service::${name}` });

/** The warnings of a process after calls of the engine, each with what the program and the state say. */
async function warningsAfter(...calls: readonly (readonly [raw: Values, olds?: Values])[]): Promise<string[]> {
  const said: string[] = [];
  const shared = createProcessState({}, undefined, new AbortController().signal);
  const row = { progress: () => undefined, warn: (text: string) => void said.push(text), end: () => Promise.resolve() };
  const call = createCalls({ ...shared, openRow: () => row }, createSettingsReader({}));
  for (const [raw, olds] of calls) await call(raw, AT_ONCE, () => undefined, olds);
  return said;
}

test("a state that another stack has recorded is named once, with what its destroy does", async () => {
  const said = await warningsAfter(
    [program("copy", "orders"), state("prod", "orders")],
    [program("copy", "users"), state("prod", "users")],
  );
  expect(said).toEqual([expect.stringContaining("name different stacks: shop/copy and shop/prod.")]);
  expect(said[0]).toContain("deletes those of the other");
});

test("an entry of another stack than the program's is named when it is deleted", async () => {
  const said = await warningsAfter([program("copy", "orders")], [state("prod", "orders")]);
  expect(said).toEqual([expect.stringContaining("shop/copy and shop/prod")]);
});

test("a state of the program's own stack says nothing, also where it names no resource", async () => {
  expect(await warningsAfter([program("prod", "orders"), state("prod", "orders")], [{}, {}])).toEqual([]);
});
