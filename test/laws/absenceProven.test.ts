// The other side of the laws of absence: what is gone, with evidence, ends everything that waits for it, and in time.

import { expect, test } from "vitest";
import { deleteByHand } from "../invariants/judge/truth";
import { earlier, fault, KINDS, NET, SMALL, useWorld, world } from "../core/scene";
import { endOf, type Held, madeOf, make, refuse404 } from "./absence";

useWorld();

/** One object of this kind, beside a service and a VPC that stay. */
async function madeBesideAnother(kind: (typeof KINDS)[number]): Promise<Held> {
  await make("service", { name: "stays", ...SMALL });
  await make("vpc", { ...NET, name: "stays", cidr: "10.99.0.0/16" });
  return (await madeOf(kind)).held;
}

const ENDS = ["a refresh", "a delete", "a delete by the run that has seen it"] as const;

test.each(KINDS.flatMap((kind) => ENDS.map((end) => [kind, end] as const)))(
  "a %s that was deleted by hand leaves the state in %s, after half a minute",
  async (kind, end) => {
    const { kept } = await madeBesideAnother(kind);
    if (end !== ENDS[2]) world.nextRun();
    deleteByHand(world.emulator, { kind, id: kept.id });
    const isRefresh = end === "a refresh";
    const work: () => Promise<unknown> = () => (isRefresh ? world[kind].refresh(kept) : world[kind].remove(kept));
    const { result, seconds } = await world.timed(work);
    expect([result, seconds >= 30, seconds < 35]).toEqual([undefined, true, true]);
    const isTold = world.warnings.some((line) => /^service orders .* is gone.* EMPTY/.test(line));
    expect(isTold).toBe(isRefresh && kind === "service");
  },
);

test.each(KINDS)("the delete of a %s that the server accepts ends some seconds after it is gone", async (kind) => {
  const held = await earlier(madeBesideAnother(kind));
  const { result, seconds } = await world.timed(() => endOf(held));
  expect([result, seconds < 10]).toEqual(["deleted", true]);
  expect(world.calls()).toHaveLength(1);
});

test.each(["service", "peering", "readReplicaSet"] as const)(
  "the delete of a %s that is accepted, and whose repetition is answered 404, ends",
  async (kind) => {
    const held = await madeBesideAnother(kind);
    const operation = (
      { service: "deleteService", peering: "deletePeering", readReplicaSet: "deleteReplicaSet" } as const
    )[kind];
    world.nextRun();
    fault({ kind: "status", status: 503, commit: true, operation });
    world.onRequest(({ method }) => {
      if (method === "DELETE") refuse404(60_000, operation);
    });
    const { result, seconds } = await world.timed(() => endOf(held));
    expect([result, seconds < 60]).toEqual(["deleted", true]);
  },
);

test.each(KINDS)("a %s that the server calls DELETED leaves the state at once in refresh and delete", async (kind) => {
  const held = await madeBesideAnother(kind);
  const { mutate } = world.emulator;
  mutate[kind === "readReplicaSet" ? "replicaSet" : kind](held.kept.id, { wire: { status: "DELETED" } });
  const works: (() => Promise<unknown>)[] = [() => world[kind].refresh(held.kept), () => endOf(held)];
  for (const work of works) {
    world.nextRun();
    const { result, seconds } = await world.timed(work);
    expect([undefined, "deleted", "forgotten"]).toContain(result);
    expect(seconds).toBeLessThan(10);
  }
});
