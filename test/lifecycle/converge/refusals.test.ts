// A refusal: ridden out while something is under way, tried a few times more where nothing is, and then told.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { openWorld, type Kept, type World } from "../../support/world";

const SMALL = { cpuMillis: 500, memoryGbs: 2 };
const NET = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
const PEER = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
const MINUTE_MS = 60_000;

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function refuse(operation: OperationName, message: string, { times = Infinity, status = 409 } = {}): void {
  const body = { code: "CONFLICT", message };
  world.emulator.faults.add({ kind: "status", status, body, operation, times });
}

function sendsOf(operation: OperationName): number[] {
  return world.emulator
    .requests()
    .filter((request) => request.operation === operation)
    .map(({ at }) => at);
}

interface Case {
  operation: OperationName;
  begin: () => Promise<() => Promise<unknown>>;
}

const CASES: Case[] = [
  {
    operation: "resize",
    begin: async () => {
      const kept = await world.service.create({ name: "orders", ...SMALL });
      return () => done(world.service.update(kept, { name: "orders", cpuMillis: 1000, memoryGbs: 4 }));
    },
  },
  {
    operation: "createReplicaSet",
    begin: async () => {
      const { id } = await world.service.create({ name: "orders", ...SMALL });
      return () => done(world.readReplicaSet.create({ serviceId: id, name: "readers", nodes: 1, ...SMALL }));
    },
  },
  {
    operation: "forkService",
    begin: async () => {
      const { id } = await world.service.create({ name: "orders", ...SMALL });
      return () => done(world.service.create({ name: "copy", forkFrom: { serviceId: id, strategy: "NOW" } }));
    },
  },
  {
    operation: "createPeering",
    begin: async () => {
      const { id } = await world.vpc.create(NET);
      return () => done(world.peering.create({ vpcId: id, ...PEER }));
    },
  },
  {
    operation: "deleteService",
    begin: async () => {
      const kept = await world.service.create({ name: "orders", ...SMALL });
      return () => world.service.remove(kept);
    },
  },
  {
    operation: "deleteVpc",
    begin: async () => {
      const kept = await world.vpc.create(NET);
      return () => world.vpc.remove(kept);
    },
  },
  {
    operation: "deletePeering",
    begin: async () => {
      const { id } = await world.vpc.create(NET);
      const kept = await world.peering.create({ vpcId: id, ...PEER });
      return () => world.peering.remove(kept);
    },
  },
];

/** A half-made object is an error here. */
async function done(work: Promise<Kept>): Promise<void> {
  const { failed } = await work;
  if (failed !== undefined) throw new Error(failed);
}

describe.each(CASES)("$operation", ({ operation, begin }) => {
  test.each([409, 423])("refused with %i for good: the server's words, soon, and on the row", async (status) => {
    const act = await begin();
    refuse(operation, "service limit of the plan reached", { status });
    const startedMs = world.clock.now();
    await expect(act()).rejects.toThrow("service limit of the plan reached");
    const sends = sendsOf(operation);
    expect(sends.length).toBeGreaterThan(3);
    expect(sends.length).toBeLessThanOrEqual(10);
    expect(world.clock.now() - startedMs).toBeLessThan(45_000);
    const pauses = sends.slice(1).map((at, index) => at - (sends[index] ?? 0));
    expect(pauses.at(-1)).toBeGreaterThan(pauses[0] ?? 0);
    expect(world.progress).toContainEqual(expect.stringContaining("service limit of the plan reached; waiting"));
  });

  test("refused three times: ridden out", async () => {
    const act = await begin();
    refuse(operation, "please try again", { times: 3 });
    await act();
    expect(sendsOf(operation)).toHaveLength(4);
  });

  test("busy by the server's own words, for ten minutes: ridden out", async () => {
    const act = await begin();
    const untilMs = world.clock.now() + 10 * MINUTE_MS;
    const body = { code: "CONFLICT", message: "Already being updated" };
    world.emulator.faults.add({
      kind: "status",
      status: 409,
      body,
      operation,
      times: Infinity,
      match: ({ at }) => at < untilMs,
    });
    await act();
    expect(world.clock.now()).toBeGreaterThanOrEqual(untilMs);
  });
});

test("an object that is seen unsettled is busy, whatever the words", async () => {
  const kept = await world.service.create({ name: "orders", ...SMALL });
  const change = { name: "orders", cpuMillis: 1000, memoryGbs: 4 };
  const untilMs = world.clock.now() + 10 * MINUTE_MS;
  const match = ({ at }: { at: number }): boolean => {
    if (at < untilMs) world.emulator.mutate.service(kept.id, { status: "OPTIMIZING" });
    else world.emulator.mutate.service(kept.id, { status: "READY" });
    return at < untilMs;
  };
  const body = { code: "CONFLICT", message: "not now" };
  world.emulator.faults.add({ kind: "status", status: 409, body, operation: "resize", times: Infinity, match });
  const getter = ({ at }: { at: number }): boolean => {
    if (at >= untilMs) world.emulator.mutate.service(kept.id, { status: "READY" });
    return false;
  };
  world.emulator.faults.add({ kind: "status", status: 500, operation: "getService", times: Infinity, match: getter });
  expect((await world.service.update(kept, change)).failed).toBeUndefined();
  expect(world.clock.now()).toBeGreaterThanOrEqual(untilMs);
});

describe("a VPC that is in use", () => {
  test.each(["refuse", "cascade"] as const)(
    "by what settled and stays, on a server that would %s: nothing is sent",
    async (deleteVpcInUse) => {
      world.emulator.settings.switches.deleteVpcInUse = deleteVpcInUse;
      const vpc = await world.vpc.create(NET);
      const service = world.emulator.mutate.createService({ name: "orders", vpcId: vpc.id });
      const peering = world.emulator.mutate.createPeering(vpc.id, PEER);
      const startedMs = world.clock.now();
      const refusal = world.vpc.remove(vpc).catch((error: Error) => error);
      await world.clock.sleep(500);
      const said = world.progress.join("\n");
      expect(said).toContain(`in it: service "orders" (${service.id}, READY`);
      expect(said).toContain(`a peering with vpc-1 of account 1 in us-east-1 (${peering.id}`);
      expect(String(await refusal)).toMatch(/VPC is in use; nothing was deleted.*service "orders".*a peering/);
      expect(world.calls()).not.toContain("deleteVpc");
      expect(world.emulator.state().services).toMatchObject([{ vpcId: vpc.id }]);
      expect(world.emulator.state().peerings).toHaveLength(1);
      expect(world.clock.now() - startedMs).toBeLessThan(45_000);
      expect(world.emulator.state().vpcs).toHaveLength(1);
    },
  );

  test("by what leaves for ten minutes: ridden out", async () => {
    const vpc = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders", vpcId: vpc.id });
    world.emulator.settings.timings.detach = 10 * MINUTE_MS;
    await Promise.all([world.vpc.remove(vpc), world.service.update(service, { name: "orders" })]);
    expect(world.emulator.state().vpcs).toEqual([]);
  });

  test("by nothing that can be seen: some minutes are given to what has left", async () => {
    const vpc = await world.vpc.create(NET);
    const untilMs = world.clock.now() + 4 * MINUTE_MS;
    world.emulator.faults.add({
      kind: "status",
      status: 409,
      body: { code: "CONFLICT", message: "the VPC is in use" },
      operation: "deleteVpc",
      times: Infinity,
      match: ({ at }) => at < untilMs,
    });
    await world.vpc.remove(vpc);
    expect(world.emulator.state().vpcs).toEqual([]);
  });
});

describe("ids that lead nowhere", () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ["vpcId of a peering", () => world.peering.create({ vpcId: "99999", ...PEER }), 'vpcId: there is no VPC "99999"'],
    [
      "forkFrom.serviceId",
      () => world.service.create({ name: "copy", forkFrom: { serviceId: "nosuchsvc1", strategy: "NOW" } }),
      'forkFrom.serviceId: there is no service "nosuchsvc1"',
    ],
    [
      "serviceId of a replica set",
      () => world.readReplicaSet.create({ serviceId: "nosuchsvc1", name: "readers", nodes: 1, ...SMALL }),
      'serviceId: there is no service "nosuchsvc1"',
    ],
  ])("%s: which property, and what to give instead", async (_, act, words) => {
    const error: unknown = await act().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "INPUT",
      message: expect.stringContaining(words) as string,
      hint: expect.stringContaining("Give the id of a") as string,
    });
    expect(world.emulator.state()).toMatchObject({ services: [], peerings: [], replicaSets: [] });
  });
});

test("a peering that waits to be accepted in a resumed run keeps none of its VPC's others waiting", async () => {
  const { id } = await world.vpc.create(NET);
  world.emulator.settings.timings.peeringActive = Infinity;
  const args = { vpcId: id, ...PEER, waitFor: "active", timeouts: { create: "1m", update: "40m" } };
  const half = await world.peering.create(args);
  expect(half.failed).toContain("not accepted by the peer yet");
  world.restart();
  const resumed = world.peering.update(half, args);
  await world.clock.sleep(30_000);
  const startedMs = world.clock.now();
  expect((await world.peering.create({ vpcId: id, ...PEER, peerVpcId: "vpc-2" })).failed).toBeUndefined();
  expect(world.clock.now() - startedMs).toBeLessThan(2 * MINUTE_MS);
  world.emulator.mutate.peering(half.id, { status: "active" });
  expect((await resumed).failed).toBeUndefined();
});

test("onDelete stop of a paused service in a VPC, where nothing can be started: left as it is, and said", async () => {
  const vpc = await world.vpc.create(NET);
  const kept = await world.service.create({ name: "orders", vpcId: vpc.id, paused: true, onDelete: "stop" });
  expect(kept.failed).toBeUndefined();
  world.emulator.faults.add({ kind: "status", status: 404, operation: "start", times: Infinity });
  await world.service.remove(kept);
  expect(world.warnings.join("\n")).toContain(`stays in VPC ${vpc.id}`);
  expect(world.emulator.state().services).toMatchObject([{ id: kept.id, status: "PAUSED", vpcId: vpc.id }]);
});
