// The handlers as the engine meets them: loaded by the line that every state keeps, in the real provider process.

import { expect, test } from "vitest";
import { failureOf, type Provider, type Values } from "./provider";
import { lines, openScene, urnOf } from "./scene";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

test("diff leaves the comparison to the engine, except where the inputs do not show the change", async () => {
  const { provider, checked } = await openScene();
  const args = { cidr: "10.1.0.0/24", regionCode: "us-east-1" };
  const inputs = await checked("vpc", "net", args);
  const { id, outs } = await provider.create(inputs);
  const diff = async (olds: Values, news: Values) =>
    provider.diff(id, { ...outs, ...olds }, await checked("vpc", "net", { ...args, ...news }, inputs));

  expect(await diff({}, {})).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { name: UNKNOWN })).toEqual({ changes: "unknown", replaces: [] });
  expect(await diff({}, { cidr: "10.2.0.0/24" })).toEqual({ changes: "unknown", replaces: ["cidr"] });
  // A step that an interrupted run still owes; where inputs differ too, the engine names them.
  expect(await diff({ __pending: ["rename"] }, {})).toMatchObject({ changes: "some" });
  expect(await diff({ __pending: ["rename"] }, { name: "other" })).toEqual({ changes: "unknown", replaces: [] });
  const elsewhere = "exports.handler = () => require('elsewhere');";
  expect(await diff({ __provider: elsewhere }, {})).toMatchObject({ changes: "some" });
  // A resource that was only renamed or moved within the program.
  const moved = { ...inputs, __urn: urnOf("vpc", "moved") };
  expect(await provider.diff(id, outs, moved)).toEqual({ changes: "none", replaces: [] });
});

test("errors of diff, read and delete reach the engine as one message, without a stack trace on stderr", async () => {
  const { emulator, provider, checked } = await openScene();
  const inputs = await checked("service", "quiet", { deletionProtection: true });
  const { id, outs } = await provider.create(inputs);
  await checked("service", "quiet");
  const refused = await failureOf(provider.delete(id, outs));
  expect(refused.message).toContain("is protected against deletion");
  const moved = await checked("service", "quiet", { ...inputs, projectId: "elsewhere" }, inputs);
  const changed = await failureOf(provider.diff(id, outs, moved));
  expect(changed.message).toContain("projectId");
  emulator.faults.add({ operation: "getService", kind: "status", status: 401, times: Infinity });
  const unread = await failureOf(provider.read(id, outs));
  expect(unread.message).toContain("401");
  expect([refused, changed, unread].map(({ message }) => message).join("\n")).not.toMatch(/^\s+at /m);
  expect(provider.stderr()).toBe("");
});

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
