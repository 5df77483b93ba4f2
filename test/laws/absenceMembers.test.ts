// "In no VPC", "no pooler", "no such set": a member is absent only where something stands in its place. What was seen once is
// asked for by its id, and a list that lacks what answers by its id says nothing.

import { NO_ADDRESSES } from "../contract/shapes";
import { expect, test } from "vitest";
import { done, earlier, fault, NET, refreshed, setOf, SMALL, useWorld, world } from "../core/scene";
import { type Held, make } from "./absence";

useWorld();

test("a paused service that shows no addresses keeps its VPC and its pooler in a refresh, and the next up starts nothing", async () => {
  const { id: vpcId } = world.emulator.mutate.createVpc(NET);
  const { kept, args } = await make("service", { name: "orders", ...SMALL, vpcId, poolerEnabled: true, paused: true });
  fault({ kind: "members", members: NO_ADDRESSES, status: "PAUSED", times: Infinity });
  world.nextRun();
  const seen = await refreshed(kept);
  expect(seen.inputs).toMatchObject({ vpcId, poolerEnabled: true, paused: true });
  world.nextRun();
  const next = await done(world.service.update(seen, args));
  expect([next.inputs, world.calls()]).toMatchObject([{ paused: true }, []]);
  expect(world.emulator.state().services).toMatchObject([{ status: "PAUSED", vpcId }]);
});

/** What is sent by a refresh of two sets and an `up`, while these services show only these sets. */
async function refreshAndUp(
  shown: (parent: Held, first: Held, second: Held) => [string, Held][],
  match?: () => boolean,
) {
  const parent = await make("service", { name: "orders", ...SMALL });
  const first = await make("readReplicaSet", setOf(parent.kept));
  const second = await earlier(make("readReplicaSet", setOf(parent.kept, { name: "more" })));
  for (const [id, { kept, args }] of shown(parent, first, second)) {
    const row = { id: kept.id, name: args["name"], status: "active", nodes: 1, cpu_millis: 500, memory_gbs: 2 };
    const members = { read_replica_sets: { value: [row] } };
    fault({ kind: "members", members, ids: [id], times: Infinity, ...(match && { match }) });
  }
  for (const { kept, args } of [first, second]) {
    const seen = await world.readReplicaSet.refresh(kept);
    const next = seen === undefined ? world.readReplicaSet.create(args) : world.readReplicaSet.update(seen, args);
    await next.catch(() => undefined);
  }
  return world.calls();
}

test("of two read replica sets, one that its service does not show is there: the server's own list has it", async () => {
  expect(await refreshAndUp((parent, first) => [[parent.kept.id, first]])).toEqual([]);
  expect(world.emulator.state().replicaSets).toHaveLength(2);
});

test("a read replica set that another service shows for 45 s is there", async () => {
  const other = world.emulator.mutate.createService({ name: "other" });
  let untilMs = Infinity;
  const match = (): boolean => world.clock.now() < untilMs;
  const sent = await refreshAndUp((parent, first, second) => {
    untilMs = world.clock.now() + 45_000;
    return [
      [parent.kept.id, first],
      [other.id, second],
    ];
  }, match);
  expect(sent).toEqual([]);
});
