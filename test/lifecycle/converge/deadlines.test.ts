// Deadlines: what they are by default and by `timeouts`, that the last read comes just before, and what a deadline says.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Timings } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

const MINUTE_MS = 60_000;

let world: World;
beforeEach(async () => {
  world = await openWorld({}, { pollInterval: "10s", pollIntervalMax: "60s" });
});
afterEach(() => world.close());

function never(...steps: (keyof Timings)[]): void {
  for (const step of steps) world.emulator.settings.timings[step] = Infinity;
}

async function minutes(work: () => Promise<unknown>): Promise<number> {
  const startedMs = world.clock.now();
  await work().catch(() => undefined);
  return Math.round((world.clock.now() - startedMs) / MINUTE_MS);
}

const NET = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
const SIZE = { cpuMillis: 500, memoryGbs: 2 };

describe("by default", () => {
  test("a service has 45 minutes to come up, a fork 12 hours", async () => {
    const parent = await world.service.create({ name: "orders" });
    never("create", "fork");
    expect(await minutes(() => world.service.create({ name: "bills" }))).toBe(45);
    const forkFrom = { serviceId: parent.id, strategy: "NOW" };
    expect(await minutes(() => world.service.create({ name: "copy", forkFrom }))).toBe(12 * 60);
  });

  test.each<[string, keyof Timings, Values]>([
    ["resize", "resize", { cpuMillis: 1000, memoryGbs: 4 }],
    ["setHA", "ha", { haReplicas: { replicaCount: 1 } }],
    ["enablePooler", "pooler", { poolerEnabled: true }],
    ["stop", "stop", { paused: true }],
  ])("%s has 45 minutes", async (_operation, step, change) => {
    const kept = await world.service.create({ name: "orders", ...SIZE });
    never(step);
    expect(await minutes(() => world.service.update(kept, { name: "orders", ...SIZE, ...change }))).toBe(45);
  });

  test("each step has its own 45 minutes, at creation too", async () => {
    Object.assign(world.emulator.settings.timings, {
      create: 40 * MINUTE_MS,
      ha: 40 * MINUTE_MS,
      resize: 40 * MINUTE_MS,
    });
    const kept = await world.service.create({
      name: "orders",
      ...SIZE,
      haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    });
    expect(kept.failed).toBeUndefined();
    const next = await world.service.update(kept, {
      name: "orders",
      cpuMillis: 1000,
      memoryGbs: 4,
      haReplicas: { replicaCount: 0 },
    });
    expect(next.failed).toBeUndefined();
  });

  test("replica sets have 60 minutes, peerings 15, deletes 45", async () => {
    const parent = await world.service.create({ name: "orders" });
    const vpc = await world.vpc.create(NET);
    never("replicaCreate", "peeringProvision", "delete", "vpcDelete");
    const set = { serviceId: parent.id, name: "readers", nodes: 1, ...SIZE };
    expect(await minutes(() => world.readReplicaSet.create(set))).toBe(60);
    const peer = { vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
    expect(await minutes(() => world.peering.create(peer))).toBe(15);
    world.emulator.settle();
    const other = await world.service.create({ name: "bills" }).catch(() => undefined);
    expect(other).toBeDefined();
    expect(await minutes(() => world.service.remove(parent))).toBe(45);
  });
});

describe("by timeouts", () => {
  test("a limit that is given counts for all the steps together", async () => {
    Object.assign(world.emulator.settings.timings, { resize: 8 * MINUTE_MS, ha: 8 * MINUTE_MS });
    const args = { name: "orders", ...SIZE, timeouts: { update: "10m" } };
    const kept = await world.service.create(args);
    const change = { ...args, cpuMillis: 1000, memoryGbs: 4, haReplicas: { replicaCount: 1 } };
    expect(await minutes(() => world.service.update(kept, change))).toBe(10);
  });

  test("create, update, delete and read each have their own", async () => {
    const timeouts = { create: "3m", update: "4m", delete: "5m", read: "1m" };
    const kept = await world.service.create({ name: "orders", ...SIZE, timeouts });
    never("create", "resize", "delete");
    expect(await minutes(() => world.service.create({ name: "bills", timeouts }))).toBe(3);
    const change = { name: "orders", cpuMillis: 1000, memoryGbs: 4, timeouts };
    expect(await minutes(() => world.service.update(kept, change))).toBe(4);
    world.emulator.settle();
    expect(await minutes(() => world.service.remove(kept))).toBe(5);
  });

  test("the wait for a turn does not count", async () => {
    const parent = await world.service.create({ name: "orders" });
    world.emulator.settings.timings.replicaCreate = 8 * MINUTE_MS;
    const sets = await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        world.readReplicaSet.create({ serviceId: parent.id, name, nodes: 1, ...SIZE, timeouts: { create: "10m" } }),
      ),
    );
    expect(sets.map((set) => set.failed)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test("the wait for a turn does not count in deletes either", async () => {
    const parent = await world.service.create({ name: "orders" });
    const timeouts = { delete: "10m" };
    const sets = await Promise.all(
      ["a", "b", "c", "d"].map((name) =>
        world.readReplicaSet.create({ serviceId: parent.id, name, nodes: 1, ...SIZE, timeouts }),
      ),
    );
    world.emulator.settings.timings.replicaDelete = 8 * MINUTE_MS;
    await Promise.all(sets.map((set) => world.readReplicaSet.remove(set)));
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test("nor in deletes that stop the object and leave it", async () => {
    const args = { name: "orders", ...SIZE, onDelete: "stop", timeouts: { delete: "10m" } };
    const kept = await world.service.create(args);
    const set = await world.readReplicaSet.create({ serviceId: kept.id, name: "readers", nodes: 1, ...SIZE });
    Object.assign(world.emulator.settings.timings, { replicaDelete: 8 * MINUTE_MS, stop: 8 * MINUTE_MS });
    const going = world.readReplicaSet.remove(set);
    while (!world.calls().includes("deleteReplicaSet")) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([going, world.service.remove(kept)]);
    expect(world.emulator.state().services.map(({ status }) => status)).toEqual(["PAUSED"]);
  });
});

describe("what a deadline reports", () => {
  let stuck: Kept;
  beforeEach(async () => {
    world.emulator.settings.stale.reads = 3;
    const kept = await world.service.create({ name: "orders", ...SIZE });
    never("resize");
    stuck = await world.service.update(kept, { name: "orders", cpuMillis: 1000, memoryGbs: 4, paused: true });
  });

  test("says what was awaited, for how long, the last status, and how often each was seen", () => {
    expect(stuck.failed).toMatch(
      new RegExp(
        `resize of service orders \\(${stuck.id}\\): not done after 45 m \\(last seen UPGRADING; ` +
          "seen: UPGRADING ×\\d+, READY with the old cpuMillis/memoryGbs ×3\\)",
      ),
    );
  });

  test("says which step failed, which are done, and which were not tried", () => {
    expect(stuck.failed).toContain("failed: resize\n");
    expect(stuck.failed).toContain("not tried: stop");
    expect(stuck.failed).toContain("If it is only slow, give it a longer time with `timeouts`");
  });

  test("reads less and less often while nothing changes, and once more at the end", () => {
    const reads = world.emulator.requests().filter((request) => request.operation === "getService");
    const gaps = reads.slice(1).map((request, index) => request.at - (reads[index]?.at ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(35_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(63_000);
    expect(reads.length).toBeLessThan(200);
  });
});

describe("a server that stays busy", () => {
  test("is reported with its own words, how long, and the last status", async () => {
    const kept = await world.service.create({ name: "orders", ...SIZE, timeouts: { update: "10m" } });
    world.emulator.faults.add({
      kind: "status",
      status: 409,
      body: { code: "CONFLICT", message: "already being updated" },
      operation: "resize",
      times: Infinity,
    });
    const change = { name: "orders", cpuMillis: 1000, memoryGbs: 4, timeouts: { update: "10m" } };
    await expect(world.service.update(kept, change)).rejects.toThrow(
      /resize of service orders \(\w+\): 409 CONFLICT already being updated; still so after 10 m \(last status READY\)\. Request id req-/,
    );
    const tries = world.emulator.requests().filter((request) => request.operation === "resize");
    expect(tries.length).toBeLessThan(80);
  });
});
