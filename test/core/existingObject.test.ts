// A create reads before it posts: what is there already is named or adopted, and an adopted object is not deleted by the
// resource that had it before.

import { describe, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { NO_ADDRESSES } from "../contract/shapes";
import { textLike, textWith } from "../support/matchers";
import { createRunBus } from "../support/runBus";
import type { Kept, World } from "../support/world";
import {
  done,
  earlier,
  errorOf,
  fault,
  LARGE,
  MINUTE_MS,
  NET,
  PEER,
  setOf,
  settings,
  SMALL,
  urn,
  world,
} from "./scene";
import { kinds, ORDERS, serviceId, useCreates } from "./createCases";

useCreates();

const theirs = (fields: object = {}): { id: string } =>
  world.emulator.mutate.createService({ name: "orders", ...fields });
const create = (more: Values = {}) => world.service.create({ name: "orders", ...urn("db"), ...more });

/** What a create says, and what it has sent. */
const outcome = async (): Promise<unknown> => [(await errorOf(create())).message, world.calls()];
const refusedFor = (id: string): unknown => [textWith(`there is already service "orders" (${id}`), []];

describe.each(kinds)("a %s that exists already", (_name, kind) => {
  test("is named with what an adoption needs and means, and nothing is created", async () => {
    const { id } = kind.makeDuplicate();
    const { message, hint = "" } = await errorOf(kind.handlers().create({ ...kind.args(), ...urn("db") }));
    expect(message).toMatch(new RegExp(`${id}.*nothing was created`));
    expect(hint).toMatch(
      new RegExp(
        `^(?:To create a separate one, .*\\n)?If you renamed or moved .*aliases.*\\nIf you force a replacement.*\\nIf an interrupted run .*no other stack does, adopt it: .*adoptId: "${id}".*DBCLOUD_ADOPT=db=${id} for one run.*$`,
      ),
    );
    expect(world.calls()).toEqual([]);
  });

  test("is adopted by adoptId, and by DBCLOUD_ADOPT with the name or the URN of its resource", async () => {
    const { id } = kind.makeDuplicate();
    const named: Values = { ...kind.args(), ...urn("a=b"), projectId: world.emulator.projectId };
    expect((await kind.handlers().create({ ...named, adoptId: id })).id).toBe(id);
    expect(world.warnings.join("\n")).toMatch(/adopting .*destroying this stack deletes it/);
    for (const name of ["a=b", String(named["__urn"])]) {
      world.restart();
      world.adopt.splice(0, 2, "b=somebody-elses", `${name}=${id}`);
      expect(kind.handlers().check(named).warnings.join()).toMatch(new RegExp(`"${id}" will be adopted`));
      expect((await kind.handlers().create(named)).id).toBe(id);
    }
    expect(world.calls()).toEqual([]);
  });
});

test("an object that exists already is changed as declared although the first answers leave out what differs", async () => {
  const { id } = theirs();
  fault({ kind: "members", members: NO_ADDRESSES, times: 3 });
  await create({ adoptId: id, poolerEnabled: true, password: "a-password-of-mine" });
  expect(world.calls()).toEqual(["enablePooler", "updatePassword"]);
  expect(world.warnings.join()).not.toContain("initial password");
});

test("an object that exists already is told with its age and status, and another name is offered", async () => {
  const { id } = theirs();
  await world.clock.sleep(90 * MINUTE_MS);
  const { message, hint } = await errorOf(create());
  expect(message).toContain(`service "orders" (${id}, READY, 1 h 30 m old)`);
  expect(hint).toMatch(/^To create a separate one, set another `name`: names are unique in a project/);
});

test("an object that exists already has its name for itself: nothing else is renamed to it, nor adopted under it", async () => {
  const [{ id }, other] = [theirs(), world.emulator.mutate.createService({ name: "bills" })];
  const kept = await world.service.create({ name: "carts", ...urn("carts") });
  world.calls();
  const refused = {
    errorName: "name-taken",
    message: textLike(new RegExp(`^there is already service "orders" \\(${id}.*; nothing was changed`)),
    hint: textLike(/give one of them another `name`.* If no resource has the object, rename it in the console\.$/),
  };
  const wanted = { name: "orders", ...urn("carts"), poolerEnabled: true };
  expect(await errorOf(world.service.update(kept, wanted))).toMatchObject(refused);
  world.nextRun();
  expect((await create({ adoptId: other.id })).failed).toContain(`there is already service "orders" (${id}`);
  expect(world.calls()).toEqual([]);
  world.emulator.mutate.deleteService(id);
  world.nextRun();
  await done(world.service.update(kept, wanted));
  expect(world.calls()).toEqual(["renameService", "enablePooler"]);
});

test("an object that exists already is one of several: all are named, and one must be said", async () => {
  const [one, two] = [theirs().id, theirs().id];
  const all = new RegExp(`${one}[^]*${two}|${two}[^]*${one}`);
  expect(await errorOf(create())).toMatchObject({ message: textLike(all), hint: textLike(all) });
  world.restart();
  world.adopt.push(`db=${two}`);
  expect((await create()).id).toBe(two);
  expect(world.calls()).toEqual([]);
});

test("an object that exists already is adopted by its id although no list shows it yet, and not made a second time where the server hides it", async () => {
  const { id } = await earlier(create());
  world.adopt.push(`db=${id}`);
  fault({ kind: "brownout", ms: 10_000 });
  expect(await errorOf(create())).toMatchObject({
    message: textLike(new RegExp(`there is no service "${id}" .*nothing was created`)),
    hint: textWith("DBCLOUD_ADOPT"),
  });
  world.restart();
  world.emulator.faults.clear();
  world.emulator.settings.listLag = { ms: 10 * MINUTE_MS };
  expect((await create()).id).toBe(id);
  expect(world.calls()).toEqual([]);
});

test("an object that exists already is seen although the server shows nothing for some seconds right after", async () => {
  const { id } = theirs();
  fault({ kind: "brownout", ms: 10_000, skip: 1 });
  expect(await outcome()).toEqual(refusedFor(id));
});

test("an object that exists already keeps others from being created while its own read shows it and no list does", async () => {
  const { id } = theirs();
  fault({ kind: "garbage", body: [], operation: "listServices", times: Infinity, skip: 1 });
  const isCut = `the list of the server is cut: it lacks service "orders" (${id}, READY`;
  expect(await outcome()).toEqual([textWith(isCut), []]);
});

test.each([
  ["shows nothing", (): object => ({})],
  ["hides it alone", (id: string) => ({ ids: [id] })],
])("an object that an earlier list has shown is seen although the server %s for some seconds", async (_how, of) => {
  const { id } = theirs();
  await world.service.create({ name: "other" });
  await world.clock.sleep(MINUTE_MS);
  world.calls();
  fault({ kind: "brownout", ms: 10_000, ...of(id) });
  expect(await outcome()).toEqual(refusedFor(id));
});

test.each([
  ["this process has compared", (): World => world],
  ["another process of the run has compared", (): World => world.elsewhere(settings())],
])(
  "an object is seen although the first list shows nothing, because the state has another one that %s",
  async (_how, beside) => {
    const { id } = theirs();
    const kept = await world.service.create({ name: "other" });
    const bus = createRunBus();
    world.restart(bus.join());
    const process = beside();
    if (process !== world) process.restart(bus.join());
    world.calls();
    process.service.preview(kept, { name: "other" });
    fault({ kind: "brownout", ms: 20_000 });
    expect(await outcome()).toEqual(refusedFor(id));
  },
);

test.each<[string, number, (kept: Kept) => Promise<unknown> | void]>([
  ["waited for half a minute at most after somebody deleted it", MINUTE_MS, () => undefined],
  [
    "not waited for once this run has deleted it",
    MINUTE_MS / 4,
    (kept) => world.service.replace(kept, { name: "other", regionCode: "eu-west-1", allowReplace: true }),
  ],
])("an object of the state is %s", async (_how, mostMs, act) => {
  const kept = await world.service.create({ name: "other" });
  world.restart();
  world.service.preview(kept, { name: "other" });
  await act(kept);
  if (world.emulator.state().services.some(({ id }) => id === kept.id)) world.emulator.mutate.deleteService(kept.id);
  expect(await world.secondsOf(create)).toBeLessThan(mostMs / 1_000);
});

test.each(["absent", "zero"] as const)(
  "a set is seen although its service shows none for some seconds (%s): the state has another one",
  async (form) => {
    const { id } = world.emulator.mutate.createReplicaSet(serviceId, { name: "readers", nodes: 1, ...SMALL });
    const other = setOf({ id: serviceId }, { name: "other" });
    const kept = await earlier(world.readReplicaSet.create(other));
    world.readReplicaSet.preview(kept, other);
    const members = { read_replica_sets: form };
    const hidden = fault({ kind: "members", members, times: Infinity });
    fault({ kind: "status", status: 404, operation: "listReplicaSets", times: Infinity });
    const refused = errorOf(world.readReplicaSet.create(setOf({ id: serviceId })));
    await world.clock.sleep(10_000);
    hidden.remove();
    expect((await refused).message).toContain(`there is already read replica set "readers" (${id}`);
    expect(world.calls()).toEqual([]);
  },
);

test("an object of the state that a read of its own has shown after the list is not gone because the list lacks it", async () => {
  const { id } = theirs();
  const kept = await earlier(world.service.create({ name: "other" }));
  world.service.preview(kept, { name: "other" });
  fault({ kind: "brownout", ms: 5_000, operation: "listServices" });
  await world.session.services(world.emulator.projectId).list();
  await world.session.services(world.emulator.projectId).fetch(kept.id, world.clock.now() + MINUTE_MS);
  expect((await errorOf(create())).message).toContain(`there is already service "orders" (${id}`);
  expect(world.calls()).toEqual([]);
});

test("an object of the state that lists lack for a moment holds nothing up where a read of it always fails", async () => {
  const kept = await earlier(world.service.create({ name: "other" }));
  world.service.preview(kept, { name: "other" });
  fault({ kind: "brownout", ms: 5_000, operation: "listServices" });
  const match = ({ path }: { path: string }): boolean => path.endsWith(kept.id);
  fault({ kind: "status", status: 504, times: Infinity, match });
  expect(await world.secondsOf(create)).toBeLessThan(MINUTE_MS / 1_000);
});

test("a peering that exists already is the same where only the case of its region differs", async () => {
  const vpc = await world.vpc.create(NET);
  const peer = { ...PEER, peerRegionCode: PEER.peerRegionCode.toUpperCase() };
  const { id } = world.emulator.mutate.createPeering(vpc.id, peer);
  expect((await errorOf(world.peering.create({ ...PEER, vpcId: vpc.id }))).message).toContain(id);
});

test("an object of the state holds nothing up that is created in another VPC", async () => {
  const args = { ...PEER, vpcId: (await world.vpc.create({ ...NET, name: "one" })).id };
  const vpc = await world.vpc.create({ ...NET, name: "two" });
  const kept = await world.peering.create(args);
  world.restart();
  world.peering.preview(kept, args);
  expect(await world.secondsOf(() => world.peering.create({ ...PEER, vpcId: vpc.id }))).toBeLessThan(15);
});

test.each([
  ["waited for half a minute at most after somebody deleted it", "orders", MINUTE_MS],
  ["not waited for where it had another name", "other", MINUTE_MS / 4],
])("an object that exists already is %s", async (_how, name, mostMs) => {
  const { id } = theirs({ name });
  await world.service.create({ name: "first" });
  world.emulator.mutate.deleteService(id);
  await world.clock.sleep(MINUTE_MS / 12);
  const sinceMs = world.clock.now();
  expect((await create()).id).not.toBe(id);
  expect(world.clock.now() - sinceMs).toBeLessThan(mostMs);
});

test("an object that exists already is not adopted by a word of DBCLOUD_ADOPT for another resource, and a warning has the word", async () => {
  const { id } = theirs();
  world.adopt.push(`dbs=${id}`, "d=b=c");
  const { warningsOfRun } = world.service.check({ name: "orders", ...urn("db") });
  expect(warningsOfRun).toEqual([
    `DBCLOUD_ADOPT is "dbs=${id},d=b=c": what is created under another name is new, not adopted`,
  ]);
  expect(await outcome()).toEqual(refusedFor(id));
});

test("an object that exists already is adopted once by resources of one name under two parents: an error of the preview asks for the URN", async () => {
  const { id } = theirs();
  const under = (parent: string, name: string): Values => ({
    name,
    __urn: `urn:pulumi:dev::shop::my:index:${parent}$pulumi-nodejs:dynamic/dbcloud:Service::db`,
  });
  const [east, west] = [under("East", "orders"), under("West", "others")];
  world.adopt.push(`db=${id}`);
  expect(world.service.check(east).failures).toEqual([]);
  const twice = [
    textLike(/^adoptId: service .* is declared twice, also by db; nothing was sent for this one[^]* the URN\.\n/),
  ];
  expect(world.service.check(west).failures).toEqual(twice);
  world.restart();
  world.adopt.splice(0, 1, `${String(west["__urn"])}=${id}`);
  expect([world.service.check(east).failures, world.service.check(west).failures]).toEqual([[], []]);
  expect((await world.service.create(west)).id).toBe(id);
});

test("an object that exists already is waited for where it is busy by the read of the adoption", async () => {
  const { id } = theirs();
  fault({ kind: "stuck", status: "REBALANCING", ms: MINUTE_MS, operation: "getService" });
  await world.service.create({ ...ORDERS, adoptId: id });
  expect(world.emulator.state().services.find((service) => service.id === id)?.status).toBe("READY");
});

test("an object that exists already blocks no create while it is being deleted, and cannot be adopted", async () => {
  const { id } = theirs({ status: "DELETING" });
  expect((await errorOf(create({ adoptId: id }))).message).toContain("DELETING");
  world.restart();
  expect((await create()).id).not.toBe(id);
});

test("an object that exists already is looked for again after the parent kept the create waiting", async () => {
  world.emulator.settings.timings.resize = 5 * MINUTE_MS;
  const parent = await world.service.create({ name: "parent", ...SMALL });
  const { projectId } = world.emulator;
  await world.session.client.services.resize({ projectId, serviceId: parent.id, ...LARGE });
  const forked = create({ forkFrom: { serviceId: parent.id, strategy: "NOW" } });
  await world.clock.sleep(MINUTE_MS);
  const { id } = theirs();
  expect((await errorOf(forked)).message).toContain(id);
  expect(world.requestsOf("forkService").filter(({ committed }) => committed)).toEqual([]);
});
