// Deadlines: what they are by default and by `timeouts`, that the last read comes just before, and what a deadline says.

import { beforeEach, expect, test } from "vitest";
import type { Timings } from "../../emulator/index";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { done, fault, LARGE, MINUTE_MS, NET, open, PEER, setOf, SMALL, world } from "./scene";
beforeEach(() => open({}, { pollInterval: "10s", pollIntervalMax: "60s" }));

const ORDERS = { name: "orders", ...SMALL };

function never(...steps: (keyof Timings)[]): void {
  for (const step of steps) world.emulator.settings.timings[step] = Infinity;
}

const minutes = async (work: () => Promise<unknown>): Promise<number> =>
  Math.round((await world.secondsOf(() => work().catch(() => undefined))) / 60);

test("by default a service has 45 minutes to come up and to go, a fork 12 hours, a replica set 60, a peering 15", async () => {
  const parent = await world.service.create({ name: "orders" });
  const vpc = await world.vpc.create(NET);
  never("create", "fork", "replicaCreate", "peeringProvision", "delete");
  expect(await minutes(() => world.service.create({ name: "bills" }))).toBe(45);
  const forkFrom = { serviceId: parent.id, strategy: "NOW" };
  expect(await minutes(() => world.service.create({ name: "copy", forkFrom }))).toBe(12 * 60);
  expect(await minutes(() => world.readReplicaSet.create(setOf(parent)))).toBe(60);
  expect(await minutes(() => world.peering.create({ vpcId: vpc.id, ...PEER }))).toBe(15);
  world.emulator.settle();
  expect(await minutes(() => world.service.remove(parent))).toBe(45);
});

test.each<[keyof Timings, Values]>([
  ["resize", LARGE],
  ["ha", { haReplicas: { replicaCount: 1 } }],
  ["pooler", { poolerEnabled: true }],
  ["stop", { paused: true }],
])("by default the step %s has 45 minutes", async (step, change) => {
  const kept = await world.service.create(ORDERS);
  never(step);
  expect(await minutes(() => world.service.update(kept, { ...ORDERS, ...change }))).toBe(45);
});

test("by default each step has its own 45 minutes, at creation too", async () => {
  const slow = 40 * MINUTE_MS;
  Object.assign(world.emulator.settings.timings, { create: slow, ha: slow, resize: slow });
  const two = { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } };
  const kept = await done(world.service.create({ ...ORDERS, ...two }));
  const args = { name: "orders", ...LARGE, haReplicas: { replicaCount: 0 } };
  expect((await world.service.update(kept, args)).failed).toBeUndefined();
});

test("by timeouts, create, update and delete each have their own, an update for all its steps together", async () => {
  const args = { ...ORDERS, timeouts: { create: "3m", update: "10m", delete: "5m" } };
  const kept = await world.service.create(args);
  never("create", "delete");
  Object.assign(world.emulator.settings.timings, { resize: 8 * MINUTE_MS, ha: 8 * MINUTE_MS });
  expect(await minutes(() => world.service.create({ ...args, name: "bills" }))).toBe(3);
  const change = { ...args, ...LARGE, haReplicas: { replicaCount: 1 } };
  expect(await minutes(() => world.service.update(kept, change))).toBe(10);
  world.emulator.settle();
  expect(await minutes(() => world.service.remove(kept))).toBe(5);
});

test("by timeouts, the wait for a turn does not count, in creates and deletes", async () => {
  const timeouts = { create: "10m", delete: "10m" };
  const parent = await world.service.create({ ...ORDERS, timeouts });
  const slow = 8 * MINUTE_MS;
  Object.assign(world.emulator.settings.timings, { replicaCreate: slow, replicaDelete: slow, delete: slow });
  const names = ["a", "b", "c", "d"];
  const sets = await Promise.all(
    names.map((name) => done(world.readReplicaSet.create(setOf(parent, { name, timeouts })))),
  );
  await Promise.all(sets.slice(1).map((set) => world.readReplicaSet.remove(set)));
  world.calls();
  const going = world.readReplicaSet.remove(sets[0] as Kept);
  while (!world.calls().includes("deleteReplicaSet")) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([going, world.service.remove(parent)]);
  expect(world.emulator.state()).toMatchObject({ replicaSets: [], services: [] });
});

test("a deadline says what was awaited, for how long, what was seen how often, and which steps were not tried", async () => {
  world.emulator.settings.stale.reads = 3;
  const kept = await world.service.create(ORDERS);
  never("resize");
  const { failed } = await world.service.update(kept, { name: "orders", ...LARGE, paused: true });
  expect(failed).toMatch(
    new RegExp(
      `resize of service orders \\(${kept.id}\\): not done after 45 m \\(last seen UPGRADING; ` +
        "seen: UPGRADING ×\\d+, READY with cpuMillis \\d+, not \\d+, memoryGbs \\d+, not \\d+ ×3\\)",
    ),
  );
  for (const part of ["accepted, not yet seen: resize;", "not tried: stop", "`timeouts`"])
    expect(failed).toContain(part);
  // Less and less often while nothing changes, and once more at the end.
  const reads = world.requestsOf("getService");
  const gaps = reads.slice(1).map((request, index) => request.at - (reads[index]?.at ?? 0));
  expect(Math.max(...gaps)).toBeGreaterThan(35_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(63_000);
  expect(reads.length).toBeLessThan(200);
});

test("a server that stays busy is reported with its own words, how long, and the last status", async () => {
  const args = { ...ORDERS, timeouts: { update: "10m" } };
  const kept = await world.service.create(args);
  const body = { code: "CONFLICT", message: "already being updated" };
  fault({ kind: "status", status: 409, body, operation: "resize", times: Infinity });
  await expect(world.service.update(kept, { ...args, ...LARGE })).rejects.toThrow(
    /409 CONFLICT already being updated; still so after 10 m \(last status READY\)\. Request id req-/,
  );
  expect(world.requestsOf("resize").length).toBeLessThan(80);
});
