// An absence is what lists have lacked without a gap in which nobody looked. What failed, was not asked, or was seen to be
// there again proves nothing.

import { expect, test } from "vitest";
import { alive, atDelete, hide, make, madeOf, makeServices } from "../laws/absence";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { countOrders, ORDERS } from "./createCases";
import {
  earlier,
  errorOf,
  fault,
  KINDS,
  makeBystander,
  MINUTE_MS,
  NET,
  refreshed,
  SMALL,
  urn,
  useWorld,
  world,
} from "./scene";

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

/** Everything is hidden in an outage, and this one still after it. */
function hiddenAfterOutage(id: string): void {
  hide(28_000);
  fault({ kind: "brownout", ids: [id], ms: 46_000 });
}

test.each(KINDS.flatMap((kind) => [restart, hiddenAfterOutage].map((how) => [kind, how.name, how] as const)))(
  "a refresh forgets no %s that %s hides: it is not missing for all of that time",
  async (kind, _how, act) => {
    makeBystander();
    makeBystander("vpc");
    const { kept } = (await madeOf(kind)).held;
    world.nextRun();
    act(kept.id);
    const end = world[kind].refresh(kept).then((seen) => seen?.id ?? "gone");
    expect(await end.catch((error: unknown) => (act === restart ? kept.id : error))).toBe(kept.id);
  },
);

test.each([
  ["one answer in ten", (at: number) => at % 10 === 9],
  ["each answer of every other 12 s", (_at: number, ms: number) => ms % 24_000 < 12_000],
])("what is gone is gone although %s shows nothing", async (_which, isEmpty) => {
  makeBystander();
  const [{ kept }] = await earlier(makeServices("orders"));
  world.emulator.mutate.deleteService(kept.id);
  let reads = 0;
  const startMs = world.clock.now();
  const match = ({ method, at }: { method: string; at: number }): boolean =>
    method === "GET" && isEmpty(reads++, at - startMs);
  fault({ kind: "brownout", times: Infinity, match });
  expect(await world.secondsOf(async () => expect(await world.service.refresh(kept)).toBeUndefined())).toBeLessThan(90);
});

test("five last services that are gone take half a minute together, where the project is believed to be empty", async () => {
  const all = await makeServices("a", "b", "c", "d", "e");
  for (const { kept } of all) world.emulator.mutate.deleteService(kept.id);
  const believing = world.elsewhere({});
  believing.believedGone.push(world.emulator.projectId);
  const seconds = await world.secondsOf(async () => {
    for (const { kept } of all) expect(await believing.service.refresh(kept)).toBeUndefined();
  });
  expect(seconds).toBeLessThan(60);
});

test("lists that showed nothing at all in an outage say nothing of a service that is hidden alone after it", async () => {
  const [first, second] = await earlier(makeServices("a", "b"));
  hiddenAfterOutage(second.kept.id);
  // One after the other: the second watch begins when the outage is over.
  for (const { kept } of [first, second]) expect((await refreshed(kept)).id).toBe(kept.id);
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
  const [{ kept, args }] = await earlier(makeServices("x"));
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
  const [one, two, hidden] = await makeServices("a", "b", "c");
  const { id } = hidden.kept;
  world.nextRun();
  fault({ kind: "brownout", ids: [id], in: "lists" });
  // Two objects: one is read without a list.
  await Promise.all([world.service.refresh(one.kept), world.service.refresh(two.kept)]);
  await world.clock.sleep(31_000);
  fault({ kind: "brownout", ids: [id], in: "reads", ms });
  expect((await refreshed(hidden.kept)).id).toBe(id);
});

/** A delete of the next run is taken and never done; some time after it something happens. */
async function deletedInVain(kept: Kept, status: string, afterMs: number, act: () => unknown): Promise<unknown> {
  world.nextRun();
  fault({ kind: "stuck", status, operation: "deleteService", times: Infinity });
  atDelete(() => void world.clock.sleep(afterMs).then(act));
  const outputs = { ...kept.outputs, timeouts: { delete: "2m" } };
  return world.service.remove({ ...kept, outputs }).catch((error: unknown) => error);
}

const showsReady = ({ id }: Kept): unknown => world.emulator.mutate.service(id, { status: "READY" });

/** The run that sends the delete ends, by a clock that is so much ahead, and an hour passes. */
const endedRun = (aheadMs: number) => async (kept: Kept, args: Values) => {
  world.told.isDated = aheadMs === 0;
  world.told.machineAheadMs = aheadMs;
  await deletedInVain(kept, "DELETING", 2_000, () => world.endEngine());
  showsReady(kept);
  world.told.machineAheadMs = 0;
  world.nextRun();
  // The program has it, and nothing to do: no handler reads it.
  world.service.preview(kept, args);
  await world.clock.sleep(60 * MINUTE_MS);
};
const goesBack = async (kept: Kept) =>
  expect(String(await deletedInVain(kept, "DELETING", 1_000, () => showsReady(kept)))).toContain("still READY");
const hasNoEffect = async (kept: Kept) => {
  fault({
    kind: "status",
    status: 202,
    body: "",
    headers: { "Content-Type": "text/plain" },
    operation: "deleteService",
  });
  expect((await errorOf(world.service.remove(kept))).message).toContain("still READY");
  await world.service.refresh(kept);
};

test.each<[string, "refresh" | "remove", (kept: Kept, args: Values) => Promise<unknown>]>([
  ["did not end", "refresh", goesBack],
  ["did not end", "remove", goesBack],
  ["had no effect", "refresh", hasNoEffect],
  ["a run has sent that ended", "refresh", endedRun(0)],
  ["a run has sent that ended, by a clock a month ahead,", "refresh", endedRun(30 * 24 * 60 * MINUTE_MS)],
])("a delete that %s explains no absence to a %s of a later run", async (_how, command, fail) => {
  const [{ kept, args }] = await makeServices("orders");
  await fail(kept, args);
  world.nextRun();
  hide(50_000);
  expect((await errorOf(world.service[command](kept))).message).toMatch(/shows no service at all.*outage/);
  expect([alive().length, world.calls()]).toEqual([1, []]);
});

test("what is DELETING in no list holds up no create", async () => {
  const [{ kept, args }] = await makeServices("old");
  makeBystander();
  world.nextRun();
  world.service.preview(kept, args);
  world.emulator.mutate.service(kept.id, { status: "DELETING" });
  fault({ kind: "brownout", ids: [kept.id], in: "lists" });
  expect((await world.service.create({ name: "new", ...SMALL, ...urn("new") })).failed).toBeUndefined();
});

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

test.each(["refresh", "removePending"] as const)(
  "thirty that are gone go at one request per second: %s",
  async (command) => {
    makeBystander();
    const all = await makeServices(...Array.from({ length: 30 }, (_, at) => `s${at}`));
    for (const { kept } of all) world.emulator.mutate.deleteService(kept.id);
    const { service } = world.elsewhere({ maxRequestsPerSecond: "1" });
    const ends = await Promise.all(all.map(({ kept }) => service[command](kept)));
    expect(ends).toEqual(all.map(() => undefined));
  },
);

test.each(["service", "vpc"] as const)("a %s goes at one request per second", async (kind) => {
  const { kept } = (await madeOf(kind)).held;
  makeBystander(kind);
  world.nextRun();
  world.emulator.settings.rateLimit = { perSecond: 1, burst: 1 };
  expect(await world.secondsOf(() => world[kind].remove(kept))).toBeLessThan(120);
});

test("a VPC whose member leaves after a quarter of an hour goes soon after it", async () => {
  const vpc = await earlier(world.vpc.create(NET));
  const { id } = world.emulator.mutate.createService({ name: "theirs", regionCode: NET.regionCode, vpcId: vpc.id });
  world.emulator.mutate.service(id, { status: "DELETING" });
  makeBystander();
  void world.clock.sleep(14 * MINUTE_MS).then(() => world.emulator.mutate.deleteService(id));
  expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(19 * 60);
});

test.each([503, 429])("one %i to the own read at the end of the watch ends nothing", async (status) => {
  const [{ kept }] = await makeServices("orders");
  makeBystander();
  world.nextRun();
  world.emulator.mutate.deleteService(kept.id);
  const fromMs = world.clock.now() + 25_000;
  fault({ kind: "status", status, operation: "getService", match: ({ at }: { at: number }): boolean => at > fromMs });
  expect(await world.service.refresh(kept)).toBeUndefined();
});

test("one old READY after a delete whose answer was lost does not unmake what explains the absence", async () => {
  const [{ kept }] = await earlier(makeServices("orders"));
  let [isSent, reads] = [false, 0];
  atDelete(() => (isSent = true));
  fault({ kind: "lostAfter", operation: "deleteService" });
  const match = ({ operation }: { operation?: string | undefined }): boolean =>
    isSent && operation === "getService" && (reads += 1) === 2;
  fault({ kind: "members", members: { status: { value: "READY" } }, in: "reads", times: Infinity, match });
  await world.service.remove(kept);
  expect(alive()).toEqual([]);
});

test("a delete that was ended while its object was still READY explains its absence in the next run", async () => {
  const [{ kept }] = await makeServices("orders");
  await deletedInVain(kept, "READY", 2_000, () => world.endEngine());
  world.emulator.mutate.deleteService(kept.id);
  await world.clock.sleep(MINUTE_MS);
  world.nextRun();
  await expect(world.service.remove(kept)).resolves.toBeUndefined();
});

test("one 404 to a DELETE, and one to the look after it, deny nothing: the DELETE is sent once more", async () => {
  const [{ kept }] = await makeServices("orders");
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
  const { kept, args } = await earlier(make("service", { name: "orders", ...SMALL, deletionProtection: false }));
  world.service.check({ ...args, deletionProtection: true }, {});
  await expect(world.bare("service").delete(kept.id, kept.outputs)).rejects.toThrow("protected");
  expect(alive()).toHaveLength(1);
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
