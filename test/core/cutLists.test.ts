// A list that is known to lack what answers by its id proves nothing, however long it does; what nobody has asked for by its id
// needs two 404s; and a part is not gone while lists show what it is in.

import { expect, test } from "vitest";
import { alive, type Held, hide, make, madeOf, makeServices, refuse404 } from "../laws/absence";
import {
  done,
  earlier,
  fault,
  LARGE,
  makeBystander,
  NET,
  refreshed,
  setOf,
  SMALL,
  urn,
  useWorld,
  world,
} from "./scene";

useWorld();

const isAlive = (id: string): boolean => alive().some((one) => one.id === id);
const services = (): number => alive().filter(({ kind }) => kind === "service").length;
const settledAs = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);
/** A gateway cuts the list, and this object is never in it. */
const cutOff = (id: string): unknown => fault({ kind: "brownout", ids: [id], in: "lists" });

/** What `up` does meanwhile: two updates that take a minute, and read the list as they wait. */
async function updatesTakeAMinute(others: readonly Held[]): Promise<void> {
  fault({ kind: "stuck", status: "CONFIGURING", ms: 45_000, operation: "resize", times: 2 });
  await Promise.all(others.map(async ({ kept, args }) => done(world.service.update(kept, { ...args, ...LARGE }))));
}

test("one 404 to a read by its id does not free the name of a service that was renamed without an alias", async () => {
  const { kept } = await make("service", { name: "orders", ...SMALL });
  makeBystander();
  world.nextRun();
  cutOff(kept.id);
  world.service.compare(await refreshed(kept));
  fault({ kind: "status", status: 404, operation: "getService", times: 1 });
  const end = await settledAs(world.service.create({ name: "orders", ...SMALL, ...urn("renamed") }));
  const count = services();
  // The engine goes on to this only after a create that succeeded.
  if (!(end instanceof Error)) await settledAs(world.service.removePending(kept));
  expect([count, isAlive(kept.id)]).toEqual([2, true]);
});

test.each([6_000, 12_000])(
  "a VPC stays while a service in it, which the list lacks, answers 404 for %i ms",
  async (ms) => {
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
    const vpc = await make("vpc", NET);
    const args = { name: "orders", ...SMALL, regionCode: NET.regionCode, vpcId: vpc.kept.id, ...urn("db") };
    const db = await done(world.service.create(args));
    const others = await earlier(makeServices("a", "b"));
    cutOff(db.id);
    world.service.preview(db, args);
    await updatesTakeAMinute(others);
    fault({ kind: "brownout", ids: [db.id], in: "reads", ms });
    const outputs = { ...vpc.kept.outputs, timeouts: { delete: "20m" } };
    await settledAs(world.vpc.removePending({ ...vpc.kept, outputs }));
    expect(world.calls()).not.toContain("deleteVpc");
  },
);

test.each([3_500, 6_000])("a service that the list lacks, and has answered, outlives %i ms of 404s", async (ms) => {
  const { kept } = await make("service", { name: "orders", ...SMALL });
  const others = await earlier(makeServices("a", "b"));
  cutOff(kept.id);
  await Promise.all(others.map(async (one) => refreshed(one.kept)));
  await refreshed(kept);
  await updatesTakeAMinute(others);
  fault({ kind: "brownout", ids: [kept.id], in: "reads", ms });
  refuse404(ms, "deleteService");
  const end = await settledAs(world.service.removePending(kept));
  expect(end === undefined && isAlive(kept.id)).toBe(false);
});

const two = (one: (n: string) => Promise<Held>): Promise<Held[]> => Promise.all(["1", "2"].map(one));
const parts = {
  peering: () =>
    two(async (n) => {
      const vpc = await make("vpc", { name: `net${n}`, cidr: `10.${n}.0.0/24`, regionCode: "us-east-1" });
      const args = { vpcId: vpc.kept.id, peerAccountId: n, peerRegionCode: "us-east-1", peerVpcId: `vpc-${n}` };
      return make("peering", args);
    }),
  readReplicaSet: () =>
    two(async (n) => {
      const service = await make("service", { name: `s${n}`, ...SMALL });
      return make("readReplicaSet", setOf(service.kept, { name: `r${n}` }));
    }),
};

test.each([
  ["readReplicaSet", "refresh"],
  ["peering", "refresh"],
  ["readReplicaSet", "removePending"],
  ["peering", "removePending"],
] as const)("of two parents, neither %s is gone for a %s by lists that leave it out", async (kind, command) => {
  makeBystander();
  makeBystander("vpc");
  const made = await earlier(parts[kind]());
  const { faults } = world.emulator;
  faults.add({ kind: "members", members: { read_replica_sets: "absent" }, in: "lists", times: Infinity });
  made.forEach(({ kept }) => void cutOff(kept.id));
  hide(45_000, "reads");
  refuse404(45_000, "deleteReplicaSet", "deletePeering");
  const ends = await Promise.all(made.map(async ({ kept }) => settledAs(world[kind][command](kept))));
  const left = alive().filter((one) => one.kind === kind);
  expect(left.length === 2 && ends.includes(undefined)).toBe(false);
});

test.each([
  ["readReplicaSet", 4_000],
  ["readReplicaSet", 10_000],
  ["peering", 4_000],
  ["peering", 10_000],
] as const)("a %s that went with its parent is gone although a list shows that for %i ms more", async (kind, ms) => {
  makeBystander();
  makeBystander("vpc");
  const { parent, held: part } = await earlier(madeOf(kind));
  fault({ kind: "brownout", ids: [parent.kept.id], in: "reads" });
  const { mutate } = world.emulator;
  void world.clock
    .sleep(ms)
    .then(() => (kind === "peering" ? mutate.deleteVpc(parent.kept.id) : mutate.deleteService(parent.kept.id)));
  expect(await world[kind].refresh(part.kept)).toBeUndefined();
});

test.each(["readReplicaSet", "peering"] as const)(
  "a %s is not forgotten while lists show its parent, but for the last seconds of half a minute",
  async (kind) => {
    makeBystander();
    makeBystander("vpc");
    const { parent, held: part } = await earlier(madeOf(kind));
    const startMs = world.clock.now();
    const ids = [parent.kept.id];
    fault({ kind: "brownout", ids, in: "reads", ms: 45_000 });
    const match = ({ at }: { at: number }): boolean => at >= startMs + 28_000 && at < startMs + 45_000;
    fault({ kind: "brownout", ids, in: "lists", times: Infinity, match });
    const ends = await Promise.allSettled([world[parent.kind].refresh(parent.kept), world[kind].refresh(part.kept)]);
    expect(ends.map((end) => end.status === "fulfilled" && end.value === undefined)).toEqual([false, false]);
  },
);
