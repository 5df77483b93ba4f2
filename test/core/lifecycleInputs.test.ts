// Inputs that steer the provider, and inputs that are absent: nothing is called for either. Protection counts as stored,
// whatever the program now says.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { textLike } from "../support/matchers";
import { ALL, done, LARGE, refreshed, useWorld, world } from "./scene";

useWorld();

const { deletionProtection: _, ...others } = ALL;
const FULL = {
  ...others,
  environment: "DEV",
  haReplicas: { replicaCount: 1, syncReplicaCount: 1 },
  password: "correct horse",
};

test("a refresh tells that a service is paused where the program leaves `paused` out", async () => {
  const [left, managed] = [
    await world.service.create({ name: "left" }),
    await world.service.create({ name: "managed", paused: false }),
  ];
  for (const { id } of [left, managed]) world.emulator.mutate.service(id, { paused: true });
  world.warnings.splice(0);
  world.restart();
  for (const kept of [left, managed]) await world.service.refresh(kept);
  expect(world.warnings).toEqual([
    `service left (${left.id}) is PAUSED and accepts no connections; to start it, set \`paused: false\``,
  ]);
});

test.each<[string, Values]>([
  ["deletionProtection", { deletionProtection: true }],
  ["allowReplace", { allowReplace: true }],
  ["adoptId", { adoptId: "another" }],
  ["onMissing", { onMissing: "error" }],
  ["waitFor", { waitFor: "accepting" }],
  ["timeouts", { timeouts: { create: "10m" } }],
])("the lifecycle input %s is saved without a call, given, kept and dropped", async (key, given) => {
  const kept = await world.service.create(FULL);
  const requests = world.emulator.requests().length;
  expect(world.service.preview(kept, { ...FULL, ...given })).toMatchObject({
    properties: [key],
    replaces: [],
    operations: [],
  });
  const said = await world.service.update(kept, { ...FULL, ...given });
  expect(said.outputs).toMatchObject({ ...FULL, ...given });
  expect(await world.service.update(said, { ...FULL, ...given })).toBe(said);
  const dropped = await world.service.update(said, FULL);
  expect(dropped.outputs[key]).toBe(key === "deletionProtection" ? false : undefined);
  expect(world.emulator.requests()).toHaveLength(requests);
});

test.each([["environment"], ["haReplicas"], ["poolerEnabled"], ["password"], ["paused"], ["cpuMillis", "memoryGbs"]])(
  "taken out of the program, %s calls nothing, previews as no longer managed, and is no drift from then on",
  async (...keys) => {
    const kept = await world.service.create(FULL);
    const rest = Object.fromEntries(Object.entries(FULL).filter(([key]) => !keys.includes(key)));
    world.calls();
    expect(world.service.preview(kept, rest)).toMatchObject({ properties: keys, operations: [] });
    expect(world.progress.at(-1)).toMatch(`no longer managed, left as is: ${keys.join(", ")}`);
    const next = await done(world.service.update(kept, rest));
    expect(world.calls()).toEqual([]);
    const moved = { ...LARGE, environment: "PROD", replicaCount: 2, poolerEnabled: false, paused: true };
    world.emulator.mutate.service(kept.id, moved);
    const seen = await refreshed(next);
    for (const key of keys) expect(world.service.preview(seen, rest).properties).not.toContain(key);
  },
);

test("taken out of the program, a part of one: the synchronous count is not managed any more", async () => {
  const kept = await world.service.create(FULL);
  const args = { ...FULL, haReplicas: { replicaCount: 1 } };
  world.calls();
  const next = await world.service.update(kept, args);
  expect(world.calls()).toEqual([]);
  expect(next.outputs["haReplicas"]).toEqual({ replicaCount: 1 });
  world.emulator.mutate.service(kept.id, { syncReplicaCount: 0 });
  const seen = await refreshed(next);
  expect(world.service.preview(seen, args).properties).toEqual([]);
});

const PROD = { name: "orders", environment: "PROD" };

test("protection counts as stored: what the program now says does not help, until it has been applied", async () => {
  const kept = await world.service.create(PROD);
  expect(kept.outputs["deletionProtection"]).toBe(true);
  const elsewhere = { ...PROD, deletionProtection: false, allowReplace: true, regionCode: "x" };
  await expect(world.service.remove(kept)).rejects.toThrow("protected against deletion");
  expect(() => world.service.preview(kept, elsewhere)).toThrow(
    expect.objectContaining({
      message: textLike(/so it is not replaced/),
      hint: textLike(/^Undo the change that replaces it/),
    }),
  );
  world.emulator.mutate.service(kept.id, { environment: "DEV" });
  const seen = await refreshed(kept);
  await expect(world.service.remove(seen)).rejects.toThrow("protected against deletion");
  expect(world.emulator.state().services).toHaveLength(1);
  const open = await world.service.update(seen, { ...PROD, deletionProtection: false });
  await world.service.remove(open);
  expect(world.emulator.state().services).toEqual([]);
});

test("an adoption that comes too late is said to adopt nothing", async () => {
  const made = world.emulator.mutate.createService({ name: "by hand" });
  const kept = await world.service.create({ name: "orders" });
  world.service.preview(kept, { name: "orders", adoptId: kept.id });
  expect(world.warnings).toEqual([]);
  world.service.preview(kept, { name: "orders", adoptId: made.id });
  expect(world.warnings.at(-1)).toContain(`adoptId "${made.id}" has no effect`);
});
