// The other side of the laws of absence: what is gone, with evidence, ends everything that waits for it, and in time.

import { expect, test } from "vitest";
import { deleteByHand } from "../invariants/judge/truth";
import { KINDS, NET, SMALL, useWorld, world } from "../core/scene";
import { endOf, type Held, madeOf, make, refuse404 } from "./absence";

useWorld();

/** One object of this kind, beside a service and a VPC that stay, in a new run. */
async function madeBesideAnother(kind: (typeof KINDS)[number]): Promise<Held> {
  await make("service", { name: "stays", ...SMALL });
  await make("vpc", { ...NET, name: "stays", cidr: "10.99.0.0/16" });
  const [held] = (await madeOf(kind)).slice(-1);
  if (held === undefined) throw new Error("it was not made");
  world.nextRun();
  return held;
}

test.each(KINDS)("a %s that was deleted by hand leaves the state in a refresh, after half a minute", async (kind) => {
  const held = await madeBesideAnother(kind);
  deleteByHand(world.emulator, { kind, id: held.kept.id });
  const { result, seconds } = await world.timed(() => world[kind].refresh(held.kept));
  expect([result, seconds >= 30, seconds < 40]).toEqual([undefined, true, true]);
});

test.each(KINDS)("the delete of a %s that the server accepts ends some seconds after it is gone", async (kind) => {
  const held = await madeBesideAnother(kind);
  const { result, seconds } = await world.timed(() => endOf(held));
  expect([result, seconds < 10]).toEqual(["deleted", true]);
  expect(world.calls()).toHaveLength(1);
});

test.each(["service", "peering", "readReplicaSet"] as const)(
  "the delete of a %s that is accepted, and whose repetition is answered 404, ends",
  async (kind) => {
    const held = await madeBesideAnother(kind);
    world.emulator.faults.add({
      kind: "status",
      status: 503,
      commit: true,
      operation: kind === "service" ? "deleteService" : kind === "peering" ? "deletePeering" : "deleteReplicaSet",
    });
    world.onRequest(({ method }) => {
      if (method === "DELETE") refuse404(60_000, "deleteService", "deleteReplicaSet", "deletePeering");
    });
    const { result, seconds } = await world.timed(() => endOf(held));
    expect([result, seconds < 60]).toEqual(["deleted", true]);
  },
);

test.each(KINDS)("a %s that the server says to be DELETED leaves the state at once", async (kind) => {
  const held = await madeBesideAnother(kind);
  const { mutate } = world.emulator;
  mutate[kind === "readReplicaSet" ? "replicaSet" : kind](held.kept.id, { wire: { status: "DELETED" } });
  const { result, seconds } = await world.timed(() => endOf(held));
  expect([result === "refused", seconds < 10]).toEqual([false, true]);
});
