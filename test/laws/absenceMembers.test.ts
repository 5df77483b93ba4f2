// "In no VPC", "no pooler", "no such set": a member is absent only where something stands in its place. What was seen once is
// asked for by its id, and a list that lacks what answers by its id says nothing.

import { NO_ADDRESSES } from "../contract/shapes";
import { beforeEach, describe, expect, test } from "vitest";
import { done, fault, MINUTE_MS, NET, refreshed, setOf, SMALL, useWorld, world } from "../core/scene";
import type { Kept } from "../support/world";
import { alive, endOf, type Held, make } from "./absence";

useWorld();

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
  const inIt = (fields: object = {}): string => somebodys({ vpcId: vpc.kept.id, ...fields });
  const cut = (rows: number, more: object = {}): unknown => fault({ kind: "cut", rows, ...more });

  test.each<[string, () => unknown, seconds?: number]>([
    [
      "while a service is in it that one list shows and the next ones lack",
      () => fault({ kind: "brownout", ids: [inIt()], operation: "listServices", skip: 1 }),
    ],
    [
      "while a service attaches to it whose row shows another region",
      () => {
        world.emulator.mutate.service(inIt(), { status: "UPGRADING" });
        const hidden = { vpc_endpoint: "absent", vpcEndpoint: "absent", region_code: { value: "eu-west-1" } } as const;
        fault({ kind: "members", members: hidden, in: "lists", times: Infinity });
      },
    ],
    [
      "while a service in it is DELETING: that deletion fails after a minute",
      () => {
        const id = inIt();
        world.emulator.mutate.service(id, { wire: { status: "DELETING" } });
        void world.clock.sleep(MINUTE_MS).then(() => world.emulator.mutate.service(id, { wire: { status: "READY" } }));
      },
    ],
    [
      "where the list of services is cut: one on the second page is in it",
      async () => {
        const own: Held[] = [];
        for (const name of ["a", "b", "c", "d"]) own.push(await make("service", { name, ...SMALL }));
        inIt({ name: "a-stranger" });
        world.nextRun();
        for (const { kind, kept, args } of own) world[kind].preview(kept, args);
        cut(1);
      },
    ],
    [
      "at once where a list says by a header that it goes on",
      () => [somebodys(), inIt(), cut(0, { next: "header" })],
      30,
    ],
  ])("a VPC is not deleted %s", async (_where, prepare, within = Infinity) => {
    await prepare();
    const { result, seconds } = await world.timed(() => endOf(vpc));
    expect([result, world.calls(), seconds < within]).toEqual(["refused", [], true]);
    expect(world.emulator.state().vpcs).toHaveLength(1);
  });
});

describe("a paused service in a VPC, with a pooler, whose answers show no addresses while it is paused,", () => {
  let args: Held["args"];
  let kept: Kept;
  beforeEach(async () => {
    const { id: vpcId } = world.emulator.mutate.createVpc(NET);
    ({ kept, args } = await make("service", { name: "orders", ...SMALL, vpcId, poolerEnabled: true, paused: true }));
    fault({ kind: "members", members: NO_ADDRESSES, status: "PAUSED", times: Infinity });
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
    fault({ kind: "members", members, ids: [parent.kept.id], times: Infinity });
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
      fault({ kind: "members", members, ids: [id], times: Infinity, match });
    }
    await refreshAndUp();
    expect(world.calls()).toEqual([]);
  });
});
