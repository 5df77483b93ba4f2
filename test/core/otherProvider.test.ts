// One object with entries under two provider instances. Each instance has a process of its own; the processes of a run tell
// each other what they keep and what they are to adopt.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { ALONE, type Event, type RunLog } from "../../provider/core/runLog";
import { createRunBus } from "../support/runBus";
import type { Kept, World } from "../support/world";
import { errorOf, KINDS, NET, PEER, setOf, underOtherName, urn, useWorld, world } from "./scene";

const NAMED = { name: "orders" };

let one: World;
let other: World;

/** The next run: both processes are new. */
function nextRun(): void {
  const bus = createRunBus();
  for (const process of [one, other]) process.restart(bus.join());
}

useWorld({}, () => {
  one = world;
  other = world.elsewhere(underOtherName());
  nextRun();
  return Promise.resolve();
});

const services = () => one.emulator.state().services;

test("a resource does not adopt what another one has under another provider", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  one.service.preview(service, NAMED);
  const taking = other.service.create({ ...NAMED, ...urn("taking"), adoptId: service.id });
  await expect(taking).rejects.toThrow("is declared twice");
});

test.each(KINDS.flatMap((kind) => ["adoptId", "DBCLOUD_ADOPT"].map((how) => [kind, how] as const)))(
  "a %s that moves by %s to a provider that spells the address differently is kept",
  async (kind, how) => {
    const { id: vpcId } = await one.vpc.create({ ...NET, name: "of-the-peering" });
    const set = setOf(await one.service.create(NAMED));
    const argsOf = { vpc: NET, peering: { ...PEER, vpcId }, service: { name: "moves" }, readReplicaSet: set };
    const args: Values = argsOf[kind];
    const moved: Kept = await one[kind].create(args);
    nextRun();
    if (how === "DBCLOUD_ADOPT") for (const process of [one, other]) process.adopt.push(`db=${moved.id}`);
    const declared = { ...args, ...urn("db") };
    const adopted = await other[kind].create(how === "adoptId" ? { ...declared, adoptId: moved.id } : declared);
    await one[kind].removePending(moved);
    expect([adopted.id, one.calls().filter((call) => call.startsWith("delete"))]).toEqual([moved.id, []]);
    expect(one.warnings.at(-1)).toContain("(under another provider) of this program manages it");
  },
);

test("a service that its entry under another provider protects is not deleted with the entry that does not know of that", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  other.service.compare({ ...service, outputs: { ...service.outputs, deletionProtection: true } });
  await expect(one.service.removePending(service)).rejects.toThrow(/two entries .* the other one is protected/);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("what was to be adopted under another provider, and was not, is not deleted with its old entry", async () => {
  const service = await one.service.create({ ...NAMED, regionCode: "us-east-1" });
  nextRun();
  const args = { ...NAMED, adoptId: service.id };
  await expect(other.service.create({ ...args, regionCode: "eu-west-1" })).rejects.toThrow("cannot be adopted");
  await expect(one.service.removePending(service)).rejects.toThrow(/is claimed by .*nothing was deleted/);
  nextRun();
  await other.service.create({ ...args, regionCode: "us-east-1" });
  await one.service.removePending(service);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("of two that adopt one object in the same moment, none takes it that the other one has, and it is not deleted", async () => {
  const service = await one.service.create(NAMED);
  const bus = createRunBus();
  const [log, rival] = [bus.join(), bus.join()];
  one.restart(bus.join());
  const by = { key: "urn:rival", name: "rival" };
  const append = (event: Event): boolean => {
    // After this one has looked, and before it has said so.
    if (event.is === "obtained") rival.append({ ...event, by });
    return log.append(event);
  };
  other.restart({ ...log, append });
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow("already belongs to another resource of this program, rival");
  rival.append({ is: "intends to adopt", by, objects: [`service/${service.id}`] });
  await expect(one.service.removePending(service)).rejects.toThrow(/is claimed by .*nothing was deleted/);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test.each<[string, Partial<RunLog>, string]>([
  ["the other processes cannot be told", { append: () => false }, "could not be announced"],
  ["another version knows more about", { next: () => [{ by: undefined, is: "borrowed" }] }, "cannot read"],
])("what %s is neither adopted, replaced nor deleted: they may do the other", async (_, log, why) => {
  const service = await one.service.create(NAMED);
  for (const process of [one, other]) process.restart({ ...ALONE, ...log });
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow(new RegExp(`${service.id} .*${why}.*it is not adopted`));
  await expect(one.service.remove(service)).rejects.toThrow(new RegExp(`${why}.*nothing was deleted`));
  const moved = { ...NAMED, regionCode: "eu-west-1", allowReplace: true };
  expect(() => one.service.preview(service, moved)).toThrow(new RegExp(`${why}.*so it is not replaced`));
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("an adoption that the others cannot be told of when it begins takes nothing", async () => {
  const service = await one.service.create(NAMED);
  other.restart({ ...ALONE, append: ({ is }) => is !== "intends to adopt" });
  const taking = other.service.create({ ...NAMED, adoptId: service.id });
  await expect(taking).rejects.toThrow(/could not be announced.*it was not adopted/);
  expect(one.calls()).toEqual(["createService"]);
});

test("an adoption that begins while a delete is held back beats it", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  const taken: Promise<Kept>[] = [];
  one.emulator.faults.add({ kind: "status", status: 503, operation: "deleteService" });
  const act = (): unknown => taken.push(other.service.create({ ...NAMED, adoptId: service.id }));
  one.emulator.faults.add({ kind: "meanwhile", operation: "deleteService", act });
  await expect(one.service.removePending(service)).rejects.toThrow(/is claimed by .*nothing was deleted/);
  expect((await Promise.all(taken)).map(({ id }) => id)).toEqual([service.id]);
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("what the program registers while a delete reads is kept, and the entry goes", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  one.calls();
  const act = (): unknown => other.service.preview(service, NAMED);
  one.emulator.faults.add({ kind: "meanwhile", operation: "getService", act });
  await one.service.removePending(service);
  expect(one.calls()).toEqual([]);
  expect(one.warnings.at(-1)).toMatch(
    /^service orders \(\w+\) is kept: \w+ \(under another provider\) of this program/,
  );
  expect(services()).toMatchObject([{ id: service.id, status: "READY" }]);
});

test("an adoption waits for a delete that was sent, and takes nothing then", async () => {
  const service = await one.service.create(NAMED);
  nextRun();
  let taking: Promise<unknown> | undefined;
  const act = (): unknown => (taking = errorOf(other.service.create({ ...NAMED, adoptId: service.id })));
  one.emulator.faults.add({ kind: "meanwhile", operation: "deleteService", act });
  await one.service.removePending(service);
  expect(await taking).toMatchObject({ message: expect.stringContaining("there is no service") as string });
  expect(services()).toEqual([]);
});

test("a service under another provider takes its read replica sets along when it moves", async () => {
  const [service, net] = [await one.service.create(NAMED), await one.vpc.create(NET)];
  const set = await other.readReplicaSet.create(setOf(service));
  nextRun();
  const placed = { ...NAMED, vpcId: net.id };
  one.service.preview(service, placed);
  expect(other.readReplicaSet.preview(set, setOf(service)).changes).toBe(true);
  await one.service.update(service, placed);
  const moved = await other.readReplicaSet.update(set, setOf(service));
  expect(moved.outputs["endpoint"]).not.toEqual(set.outputs["endpoint"]);
});

const args = { ...NAMED, environment: "PROD" };
const setUnder = async (service: Kept): Promise<Kept> => {
  const set = await other.readReplicaSet.create(setOf(service));
  one.calls();
  return set;
};

test("a service under another provider that is tagged PROD, or was since, keeps its read replica set", async () => {
  const [tagged, plain] = [await one.service.create(args), await one.service.create({ name: "plain" })];
  const sets = [await setUnder(tagged), await setUnder(plain)];
  one.emulator.mutate.service(plain.id, { environment: "PROD" });
  nextRun();
  for (const set of sets) {
    await expect(other.readReplicaSet.remove(set)).rejects.toThrow(
      /is protected against deletion|has the environment tag PROD/,
    );
  }
  expect(one.calls()).toEqual([]);
});

test("a service under another provider lets its set go alone while the program has the service", async () => {
  const service = await one.service.create(args);
  const set = await setUnder(service);
  nextRun();
  one.service.preview(service, args);
  await other.readReplicaSet.removePending(set);
  expect(one.calls()).toEqual(["deleteReplicaSet"]);
});
