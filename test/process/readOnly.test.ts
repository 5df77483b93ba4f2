// A misspelt setting in the real provider process: each handler is refused.

import { expect, test } from "vitest";
import { failureOf, type Provider, type Values } from "./provider";
import { lines, openScene } from "./scene";

/** Every handler that may send a request. */
function waysOf(provider: Provider, id: string): (() => Promise<unknown>)[] {
  const inputs: Values = { name: "orders", __provider: lines.service };
  const state = { ...inputs, projectId: "proj000001", __inputs: "name", __version: 1 };
  return [
    // After a create that has failed it would be refused for that.
    () => provider.delete(id, state),
    () => provider.create({ ...inputs, name: "new" }),
    () => provider.update(id, state, { ...inputs, environment: "PROD" }),
    () => provider.read(id, state),
  ];
}

test.each([
  ["variable", { environment: { DBCLOUD_READONLY: "1" } }, /DBCLOUD_READONLY: .*DBCLOUD_READ_ONLY\?/],
  ["key", { settings: { readonly: "true" } }, /dbcloud:readonly: .*dbcloud:readOnly\?/],
])("a misspelt %s is refused by every handler before anything is sent", async (_, options, words) => {
  const { emulator, provider } = await openScene(options);
  const { id } = emulator.mutate.createService({ name: "orders" });
  const { failures } = await provider.check({}, { name: "orders", __provider: lines.service });
  expect(failures.map(({ reason }) => reason)).toEqual([expect.stringMatching(words)]);
  for (const way of waysOf(provider, id)) expect((await failureOf(way())).message).toMatch(words);
  expect(emulator.requests()).toEqual([]);
});
