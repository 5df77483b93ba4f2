// An absence is what lists have lacked without a gap in which nobody looked. What failed, was not asked, or was seen to be
// there again proves nothing.

import { describe, expect, test } from "vitest";
import { alive, make, madeOf } from "../laws/absence";
import { countOrders, ORDERS } from "./createCases";
import { errorOf, fault, KINDS, makeBystander, MINUTE_MS, NET, SMALL, urn, useWorld, world } from "./scene";

useWorld();

/** The edges of a restart: hidden for a moment, then no answers for most of half a minute, then hidden again for some seconds. */
function restart(id: string): void {
  const startMs = world.clock.now();
  const isWithin = (fromMs: number, toMs: number) => (request: { at: number; method: string }) =>
    request.method === "GET" && request.at >= startMs + fromMs && request.at < startMs + toMs;
  const hidden = { kind: "brownout", ids: [id], times: Infinity } as const;
  fault({ ...hidden, match: isWithin(0, 1_500) });
  fault({ kind: "status", status: 503, times: Infinity, match: isWithin(1_500, 29_000) });
  fault({ ...hidden, match: isWithin(29_000, 38_000) });
}

test.each(KINDS)("a refresh of a %s at the edges of a restart forgets nothing", async (kind) => {
  makeBystander();
  makeBystander("vpc");
  const kept = (await madeOf(kind)).at(-1)?.kept;
  if (kept === undefined) throw new Error("none");
  world.nextRun();
  restart(kept.id);
  const [seen] = await Promise.allSettled([world[kind].refresh(kept)]);
  expect(seen.status === "fulfilled" && seen.value === undefined).toBe(false);
});

test.each(KINDS)("a %s that is hidden alone after an outage is not missing for the time of both", async (kind) => {
  makeBystander();
  makeBystander("vpc");
  const kept = (await madeOf(kind)).at(-1)?.kept;
  if (kept === undefined) throw new Error("none");
  world.nextRun();
  fault({ kind: "brownout", ms: 28_000 });
  fault({ kind: "brownout", ids: [kept.id], ms: 46_000 });
  expect((await world[kind].refresh(kept))?.id).toBe(kept.id);
});

test.each([
  ["one answer in ten", (at: number) => at % 10 === 9],
  ["each answer of every other 12 s", (_at: number, ms: number) => ms % 24_000 < 12_000],
])("what is gone is gone although %s shows nothing", async (_which, isEmpty) => {
  makeBystander();
  const { kept } = await make("service", { name: "orders", ...SMALL });
  world.nextRun();
  world.emulator.mutate.deleteService(kept.id);
  let reads = 0;
  const startMs = world.clock.now();
  fault({
    kind: "brownout",
    times: Infinity,
    match: ({ method, at }) => method === "GET" && isEmpty(reads++, at - startMs),
  });
  expect(await world.secondsOf(async () => expect(await world.service.refresh(kept)).toBeUndefined())).toBeLessThan(90);
});

test("five last services that are gone take half a minute together, where the project is believed to be empty", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const all = await Promise.all(names.map((name) => make("service", { name, ...SMALL, ...urn(name) })));
  for (const { kept } of all) world.emulator.mutate.deleteService(kept.id);
  const believing = world.elsewhere({});
  believing.believedGone.push(world.emulator.projectId);
  const seconds = await world.secondsOf(async () => {
    for (const { kept } of all) expect(await believing.service.refresh(kept)).toBeUndefined();
  });
  expect(seconds).toBeLessThan(60);
});

test("lists that showed nothing at all in an outage say nothing of a service that is hidden alone after it", async () => {
  const [first, second] = await Promise.all(["a", "b"].map((name) => make("service", { name, ...SMALL })));
  if (first === undefined || second === undefined) throw new Error("none");
  world.nextRun();
  fault({ kind: "brownout", ms: 28_000 });
  fault({ kind: "brownout", ids: [second.kept.id], ms: 46_000 });
  // One after the other: the second watch begins when the outage is over.
  for (const { kept } of [first, second]) expect((await world.service.refresh(kept))?.id).toBe(kept.id);
});

test("a create whose answer was lost is not sent again at the edges of a restart", async () => {
  const args = { ...ORDERS, ...urn("hidden") };
  makeBystander();
  fault({ kind: "lostAfter", operation: "createService" });
  await errorOf(world.service.create(args));
  world.nextRun();
  await world.clock.sleep(5 * MINUTE_MS);
  restart(world.emulator.state().services.find(({ name }) => name === ORDERS.name)?.id ?? "");
  await errorOf(world.service.create(args));
  expect([countOrders(), world.requestsOf("createService").length]).toEqual([1, 1]);
});

test("a name whose create an earlier run has sent is not given to another object before lists have lacked it", async () => {
  const { kept, args } = await make("service", { name: "x", ...SMALL });
  world.nextRun();
  world.emulator.settings.listLag = { ms: 40_000 };
  world.onRequest(({ operation }) => void (operation === "createService" && world.endEngine()));
  await Promise.allSettled([world.service.create({ ...ORDERS, ...urn("late") })]);
  world.onRequest(() => undefined);
  world.nextRun();
  const { message } = await errorOf(world.service.update(kept, { ...args, name: ORDERS.name }));
  expect(message).toContain("there is already");
  expect(countOrders()).toBe(1);
});

test.each([1_500, 3_000])("after half a minute without a list, 404s of %i ms prove no absence", async (ms) => {
  const [one, two, hidden] = await Promise.all(["a", "b", "c"].map((name) => make("service", { name, ...SMALL })));
  if (one === undefined || two === undefined || hidden === undefined) throw new Error("none");
  const { id } = hidden.kept;
  world.nextRun();
  fault({ kind: "brownout", ids: [id], in: "lists" });
  // Two objects: one is read without a list.
  await Promise.all([world.service.refresh(one.kept), world.service.refresh(two.kept)]);
  await world.clock.sleep(31_000);
  fault({ kind: "brownout", ids: [id], in: "reads", ms });
  expect((await world.service.refresh(hidden.kept))?.id).toBe(id);
});

describe("a deletion that has failed explains no absence of a later run", () => {
  test.each(["refresh", "destroy"])("%s", async (command) => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    world.nextRun();
    fault({ kind: "stuck", status: "DELETING", operation: "deleteService", times: Infinity });
    world.onRequest(({ operation }) => {
      if (operation !== "deleteService") return;
      world.onRequest(() => undefined);
      void world.clock.sleep(1_000).then(() => world.emulator.mutate.service(kept.id, { status: "READY" }));
    });
    const outputs = { ...kept.outputs, timeouts: { delete: "2m" } };
    expect((await errorOf(world.service.remove({ ...kept, outputs }))).message).toContain("still READY");
    world.nextRun();
    fault({ kind: "brownout", ms: 40_000 });
    const end = command === "refresh" ? world.service.refresh(kept) : world.service.remove(kept);
    expect((await errorOf(end)).message).toContain("outage");
    expect([alive().length, world.calls()]).toEqual([1, []]);
  });
});

test("each of thirty that are gone is asked for by its id at the start and at the end, whoever else is missing", async () => {
  makeBystander();
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, at) => make("service", { name: `s${at}`, ...SMALL, ...urn(`s${at}`) })),
  );
  for (const { kept } of all) world.emulator.mutate.deleteService(kept.id);
  world.nextRun();
  const before = world.requestsOf("getService").length;
  const ends = await Promise.all(all.map(({ kept }) => world.service.refresh(kept)));
  expect(ends).toEqual(all.map(() => undefined));
  expect(world.requestsOf("getService").length - before).toBeLessThanOrEqual(3 * all.length);
});

test("what is DELETING in no list holds up no create", async () => {
  const { kept, args } = await make("service", { name: "old", ...SMALL });
  makeBystander();
  world.nextRun();
  world.service.preview(kept, args);
  world.emulator.mutate.service(kept.id, { status: "DELETING" });
  fault({ kind: "brownout", ids: [kept.id], in: "lists" });
  const made = await world.service.create({ name: "new", ...SMALL, ...urn("new") });
  expect(made.failed).toBeUndefined();
});

describe("a slow server still proves what is gone", () => {
  test.each([4_000, 11_000])("a lost create is sent again beside lists that take %i ms", async (ms) => {
    const args = { ...ORDERS, ...urn("lost") };
    makeBystander();
    fault({ kind: "lostBefore", operation: "createService" });
    await errorOf(world.service.create(args));
    world.nextRun();
    await world.clock.sleep(5 * MINUTE_MS);
    world.told.answerMs = ms;
    const { seconds, result } = await world.timed(() => world.service.create(args));
    expect([result.failed, countOrders(), seconds < 300]).toEqual([undefined, 1, true]);
  });

  test.each(["refresh", "removePending"] as const)("thirty are gone at one request per second: %s", async (command) => {
    makeBystander();
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => make("service", { name: `s${at}`, ...SMALL, ...urn(`s${at}`) })),
    );
    for (const { kept } of all) world.emulator.mutate.deleteService(kept.id);
    const { service } = world.elsewhere({ maxRequestsPerSecond: "1" });
    const ends = await Promise.all(all.map(({ kept }) => service[command](kept)));
    expect(ends).toEqual(all.map(() => undefined));
  });

  test.each(["service", "vpc"] as const)("a %s goes at one request per second", async (kind) => {
    const { kept } = await make(kind, kind === "vpc" ? NET : { name: "orders", ...SMALL });
    makeBystander(kind);
    world.nextRun();
    world.emulator.settings.rateLimit = { perSecond: 1, burst: 1 };
    expect(await world.secondsOf(() => world[kind].remove(kept))).toBeLessThan(120);
  });

  test("a VPC whose member leaves after a quarter of an hour goes soon after it", async () => {
    const vpc = await world.vpc.create(NET);
    world.nextRun();
    const { id } = world.emulator.mutate.createService({ name: "theirs", regionCode: NET.regionCode, vpcId: vpc.id });
    world.emulator.mutate.service(id, { status: "DELETING" });
    makeBystander();
    void world.clock.sleep(14 * MINUTE_MS).then(() => world.emulator.mutate.deleteService(id));
    expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(19 * 60);
  });

  test.each([503, 429])("one %i to the own read at the end of the watch ends nothing", async (status) => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    makeBystander();
    world.nextRun();
    world.emulator.mutate.deleteService(kept.id);
    const fromMs = world.clock.now() + 25_000;
    const match = ({ at }: { at: number }): boolean => at > fromMs;
    fault({ kind: "status", status, operation: "getService", match });
    expect(await world.service.refresh(kept)).toBeUndefined();
  });
});

describe("what explains an absence stays", () => {
  test("one old READY after a delete whose answer was lost does not unmake it", async () => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    world.nextRun();
    let [isSent, reads] = [false, 0];
    world.onRequest(({ operation }) => void (isSent ||= operation === "deleteService"));
    fault({ kind: "lostAfter", operation: "deleteService" });
    const match = ({ operation }: { operation?: string | undefined }): boolean =>
      isSent && operation === "getService" && (reads += 1) === 2;
    const members = { status: { value: "READY" } } as const;
    fault({ kind: "members", members, in: "reads", ids: [kept.id], times: Infinity, match });
    await world.service.remove(kept);
    expect(alive()).toEqual([]);
  });

  test("a delete that was ended while its object was still READY explains its absence in the next run", async () => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    world.nextRun();
    fault({ kind: "stuck", status: "READY", operation: "deleteService", times: Infinity });
    world.onRequest(({ operation }) => {
      if (operation !== "deleteService") return;
      world.onRequest(() => undefined);
      void world.clock.sleep(2_000).then(() => world.endEngine());
    });
    await Promise.allSettled([world.service.remove(kept)]);
    world.emulator.mutate.deleteService(kept.id);
    await world.clock.sleep(MINUTE_MS);
    world.nextRun();
    await expect(world.service.remove(kept)).resolves.toBeUndefined();
  });
});

test("one 404 to a DELETE, and one to the look after it, deny nothing: the DELETE is sent once more", async () => {
  const { kept } = await make("service", { name: "orders", ...SMALL });
  makeBystander();
  world.nextRun();
  let [deletes, gets] = [0, 0];
  fault({ kind: "status", status: 404, operation: "deleteService" });
  world.onRequest(({ operation }) => void (deletes += operation === "deleteService" ? 1 : 0));
  const match = (): boolean => deletes === 1 && (gets += 1) === 2;
  fault({ kind: "status", status: 404, operation: "getService", times: Infinity, match });
  await world.service.remove(kept);
  expect([deletes, alive().some(({ id }) => id === kept.id)]).toEqual([2, false]);
});

test("a forced replacement, the old one first, of what the program protects from now on is refused", async () => {
  const { kept, args } = await make("service", { name: "orders", ...SMALL, deletionProtection: false });
  world.nextRun();
  world.service.check({ ...args, deletionProtection: true }, {});
  await expect(world.bare("service").delete(kept.id, kept.outputs)).rejects.toThrow("protected");
  expect(alive()).toHaveLength(1);
});

test.each([
  ["", 0],
  [", by a clock that was a month ahead", 30 * 24 * 60 * MINUTE_MS],
])("a delete that an earlier run sent%s, and that failed, explains no absence an hour later", async (_, aheadMs) => {
  const { kept, args } = await make("service", { name: "orders", ...SMALL });
  world.told.isDated = aheadMs === 0;
  world.told.machineAheadMs = aheadMs;
  world.nextRun();
  fault({ kind: "stuck", status: "DELETING", operation: "deleteService", times: Infinity });
  world.onRequest(({ operation }) => {
    if (operation !== "deleteService") return;
    world.onRequest(() => undefined);
    void world.clock.sleep(2_000).then(() => world.endEngine());
  });
  await Promise.allSettled([world.service.remove(kept)]);
  world.emulator.mutate.service(kept.id, { status: "READY" });
  world.told.machineAheadMs = 0;
  world.nextRun();
  // The program has it, and nothing to do: no handler reads it.
  world.service.preview(kept, args);
  await world.clock.sleep(60 * MINUTE_MS);
  world.nextRun();
  fault({ kind: "brownout", ms: 50_000 });
  await expect(world.service.refresh(kept)).rejects.toThrow("shows no service at all");
});

test("what was made long after a lost create is not said to be perhaps its own", async () => {
  const args = { ...ORDERS, ...urn("db") };
  makeBystander();
  fault({ kind: "lostBefore", operation: "createService" });
  await errorOf(world.service.create(args));
  world.nextRun();
  await world.clock.sleep(60 * MINUTE_MS);
  world.emulator.mutate.createService({ name: ORDERS.name, ...SMALL });
  const { hint } = await errorOf(world.service.create(args));
  expect(hint).toMatch(/^To create a separate one/);
});
