// "In no VPC", "no pooler", "no such set": a member is absent only where something stands in its place. What was seen once is
// asked for by its id, and a list that lacks what answers by its id says nothing.

import { NO_ADDRESSES } from "../contract/shapes";
import { beforeEach, describe, expect, test } from "vitest";
import { done, MINUTE_MS, NET, PEER, refreshed, setOf, SMALL, urn, useWorld, world } from "../core/scene";
import type { Kept } from "../support/world";
import { alive, endOf, type Held, make } from "./absence";

useWorld();

const IN_VPC = ["vpc_endpoint", "vpcEndpoint"] as const;

describe("a VPC, on a server that deletes one whatever is in it, is not deleted", () => {
  let vpc: Held;
  beforeEach(async () => {
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
    vpc = await make("vpc", NET);
    vpc.kept.outputs = { ...vpc.kept.outputs, timeouts: { delete: "20m" } };
    world.nextRun();
  });

  const somebodys = (fields: object = {}): string =>
    world.emulator.mutate.createService({ name: "theirs", regionCode: NET.regionCode, ...fields }).id;

  /** How its delete ends, and what was sent. */
  const outcome = async (): Promise<unknown> => [await endOf(vpc), world.calls()];
  const KEPT = ["refused", []];

  test("a VPC is not deleted while a service is in it that one list shows and the next ones lack", async () => {
    const id = somebodys({ vpcId: vpc.kept.id });
    world.emulator.faults.add({ kind: "brownout", ids: [id], operation: "listServices", skip: 1 });
    expect(await outcome()).toEqual(KEPT);
  });

  test("a VPC is not deleted once a service that was elsewhere begins to attach between two DELETEs", async () => {
    const id = somebodys();
    world.emulator.settings.timings.attach = 2 * MINUTE_MS;
    world.emulator.faults.add({ kind: "status", status: 503, operation: "deleteVpc" });
    const act = {
      by: "client",
      call: "attachToVPC",
      params: { service_id: id },
      body: { vpc_id: vpc.kept.id },
    } as const;
    world.emulator.faults.add({ kind: "meanwhile", operation: "deleteVpc", act });
    expect(await endOf(vpc)).toBe("refused");
    expect(world.requestsOf("deleteVpc")).toHaveLength(1);
    expect(world.emulator.state().services).toMatchObject([{ id, vpcId: vpc.kept.id }]);
  });

  test.each([
    ["PAUSED", { paused: true }],
    ["READY", {}],
  ])("a VPC is not deleted while a %s service in it shows no addresses", async (status, fields) => {
    somebodys({ ...fields, vpcId: vpc.kept.id });
    world.emulator.faults.add({ kind: "members", members: NO_ADDRESSES, status, times: Infinity });
    expect(await outcome()).toEqual(KEPT);
  });

  test("a VPC is not deleted while a service attaches to it whose row shows another region", async () => {
    const id = somebodys({ vpcId: vpc.kept.id });
    world.emulator.mutate.service(id, { status: "UPGRADING" });
    const hidden = Object.fromEntries(IN_VPC.map((name) => [name, "absent" as const]));
    const members = { ...hidden, region_code: { value: "eu-west-1" } };
    world.emulator.faults.add({ kind: "members", members, in: "lists", times: Infinity });
    expect(await outcome()).toEqual(KEPT);
  });

  test("a VPC is not deleted while a service in it is DELETING: that deletion fails after a minute", async () => {
    const id = somebodys({ vpcId: vpc.kept.id });
    world.emulator.mutate.service(id, { wire: { status: "DELETING" } });
    const deleting = endOf(vpc);
    await world.clock.sleep(MINUTE_MS);
    world.emulator.mutate.service(id, { wire: { status: "READY" } });
    expect(await deleting).toBe("refused");
    expect(world.emulator.state().vpcs).toHaveLength(1);
    expect(world.calls()).toEqual([]);
  });

  test("a VPC is not deleted where the list of services is cut: one on the second page is in it", async () => {
    const own = [];
    for (const name of ["a", "b", "c", "d"]) own.push(await make("service", { name, ...SMALL }));
    somebodys({ name: "a-stranger", vpcId: vpc.kept.id });
    world.nextRun();
    for (const { kind, kept, args } of own) world[kind].preview(kept, args);
    world.emulator.faults.add({ kind: "cut", rows: 1 });
    expect(await outcome()).toEqual(KEPT);
  });

  test.each(["header", "member"] as const)(
    "a VPC is not deleted, and the refusal comes at once, where a list says by a %s that it goes on",
    async (next) => {
      somebodys({ name: "first" });
      somebodys({ vpcId: vpc.kept.id });
      world.emulator.faults.add({ kind: "cut", rows: 0, next });
      const { result, seconds } = await world.timed(outcome);
      expect([result, seconds < 30]).toEqual([KEPT, true]);
    },
  );
});

describe("a list that says by a page that it goes on", () => {
  const NEXT = ["header", "member"] as const;

  test.each(NEXT)(
    "a list that says by a %s that it goes on makes no name free, and the refusal comes at once",
    async (next) => {
      world.emulator.mutate.createService({ name: "orders" });
      world.emulator.faults.add({ kind: "cut", rows: 0, next });
      const seconds = await world.secondsOf(() =>
        expect(world.service.create({ name: "orders", ...SMALL })).rejects.toThrow(/page|cut/),
      );
      expect(world.requestsOf("createService")).toHaveLength(0);
      expect(seconds).toBeLessThan(10);
    },
  );

  test.each(NEXT)("a list that says by a %s that it goes on forgets nothing that a refresh asks for", async (next) => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    world.nextRun();
    world.emulator.faults.add({ kind: "cut", rows: 0, next });
    world.emulator.faults.add({ kind: "brownout", in: "reads", ids: [kept.id], ms: MINUTE_MS });
    const end = await world.service.refresh(kept).then(
      (seen) => seen?.id,
      () => kept.id,
    );
    expect(end).toBe(kept.id);
  });
});

describe("a paused service in a VPC, with a pooler, whose answers show no addresses while it is paused,", () => {
  let args: Held["args"];
  let kept: Kept;
  beforeEach(async () => {
    const { id: vpcId } = world.emulator.mutate.createVpc(NET);
    ({ kept, args } = await make("service", { name: "orders", ...SMALL, vpcId, poolerEnabled: true, paused: true }));
    world.emulator.faults.add({ kind: "members", members: NO_ADDRESSES, status: "PAUSED", times: Infinity });
    world.nextRun();
  });

  test("a paused service that shows no addresses keeps its VPC and its pooler in a refresh, and the next up starts nothing", async () => {
    const seen = await refreshed(kept);
    expect(seen.inputs).toMatchObject({ vpcId: args["vpcId"], poolerEnabled: true, paused: true });
    world.nextRun();
    const next = await done(world.service.update(seen, args));
    expect([next.inputs, world.calls()]).toMatchObject([{ paused: true }, []]);
    expect(world.emulator.state().services).toMatchObject([{ status: "PAUSED", vpcId: args["vpcId"] }]);
  });
});

describe("of two read replica sets", () => {
  let parent: Held;
  let sets: Held[];
  beforeEach(async () => {
    parent = await make("service", { name: "orders", ...SMALL });
    sets = [];
    for (const name of ["readers", "more"]) sets.push(await make("readReplicaSet", setOf(parent.kept, { name })));
    world.nextRun();
  });
  const rowOf = ({ kept, args }: Held) => ({
    id: kept.id,
    name: args["name"],
    status: "active",
    nodes: 1,
    cpu_millis: 500,
    memory_gbs: 2,
  });

  /** A refresh of both, then an `up`. */
  async function refreshAndUp(): Promise<void> {
    for (const set of sets) {
      const seen = await world.readReplicaSet.refresh(set.kept);
      const next =
        seen === undefined ? world.readReplicaSet.create(set.args) : world.readReplicaSet.update(seen, set.args);
      await next.catch(() => undefined);
    }
  }

  test("of two read replica sets, one that its service does not show is there: the server's own list has it", async () => {
    const [first] = sets;
    if (first === undefined) throw new Error("no sets");
    const members = { read_replica_sets: { value: [rowOf(first)] } };
    world.emulator.faults.add({ kind: "members", members, ids: [parent.kept.id], times: Infinity });
    await refreshAndUp();
    expect(world.calls()).toEqual([]);
    expect(alive().filter(({ kind }) => kind === "readReplicaSet")).toHaveLength(2);
  });

  test("a read replica set that another service shows for 45 s is there", async () => {
    const other = world.emulator.mutate.createService({ name: "other" });
    const [first, second] = sets;
    if (first === undefined || second === undefined) throw new Error("no sets");
    const untilMs = world.clock.now() + 45_000;
    const match = ({ at }: { at: number }): boolean => at < untilMs;
    const shown: [string, Held][] = [
      [parent.kept.id, first],
      [other.id, second],
    ];
    for (const [id, set] of shown) {
      const members = { read_replica_sets: { value: [rowOf(set)] } };
      world.emulator.faults.add({ kind: "members", members, ids: [id], times: Infinity, match });
    }
    await refreshAndUp();
    expect(world.calls()).toEqual([]);
  });
});

test("a peering that stands on the second page of its VPC is not posted again, and its VPC is not deleted", async () => {
  world.emulator.settings.switches.deleteVpcInUse = "cascade";
  const vpc = await make("vpc", NET);
  world.emulator.mutate.createPeering(vpc.kept.id, PEER);
  world.nextRun();
  world.emulator.faults.add({ kind: "cut", rows: 0, next: "header", operation: "listPeerings" });
  await expect(world.peering.create({ vpcId: vpc.kept.id, ...PEER, ...urn("peer") })).rejects.toThrow(/page|cut/);
  expect(await endOf(vpc)).toBe("refused");
  expect(world.emulator.state().peerings).toHaveLength(1);
});
