// An absence is what lists have lacked without a gap in which nobody looked. What failed, was not asked, or was seen to be
// there again proves nothing.

import { describe, expect, test } from "vitest";
import { alive, make } from "../laws/absence";
import { countOrders, ORDERS } from "./createCases";
import { errorOf, makeBystander, MINUTE_MS, NET, SMALL, urn, useWorld, world } from "./scene";

useWorld();

/** The edges of a restart: hidden for a moment, then no answers for most of half a minute, then hidden again for some seconds. */
function restart(id: string): void {
  const startMs = world.clock.now();
  const isWithin = (fromMs: number, toMs: number) => (request: { at: number; method: string }) =>
    request.method === "GET" && request.at >= startMs + fromMs && request.at < startMs + toMs;
  const hidden = { kind: "brownout", ids: [id], times: Infinity } as const;
  world.emulator.faults.add({ ...hidden, match: isWithin(0, 1_500) });
  world.emulator.faults.add({ kind: "status", status: 503, times: Infinity, match: isWithin(1_500, 29_000) });
  world.emulator.faults.add({ ...hidden, match: isWithin(29_000, 38_000) });
}

test("a refresh at the edges of a restart forgets nothing", async () => {
  makeBystander();
  const { kept } = await make("service", { name: "orders", ...SMALL });
  world.nextRun();
  restart(kept.id);
  expect((await world.service.refresh(kept))?.id).toBe(kept.id);
});

test("a create whose answer was lost is not sent again at the edges of a restart", async () => {
  const args = { ...ORDERS, ...urn("hidden") };
  makeBystander();
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
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
  world.emulator.faults.add({ kind: "brownout", ids: [id], in: "lists" });
  // Two objects: one is read without a list.
  await Promise.all([world.service.refresh(one.kept), world.service.refresh(two.kept)]);
  await world.clock.sleep(31_000);
  world.emulator.faults.add({ kind: "brownout", ids: [id], in: "reads", ms });
  expect((await world.service.refresh(hidden.kept))?.id).toBe(id);
});

describe("a deletion that has failed explains no absence of a later run", () => {
  test.each(["refresh", "destroy"])("%s", async (command) => {
    const { kept } = await make("service", { name: "orders", ...SMALL });
    world.nextRun();
    world.emulator.faults.add({ kind: "stuck", status: "DELETING", operation: "deleteService", times: Infinity });
    world.onRequest(({ operation }) => {
      if (operation !== "deleteService") return;
      world.onRequest(() => undefined);
      void world.clock.sleep(1_000).then(() => world.emulator.mutate.service(kept.id, { status: "READY" }));
    });
    const outputs = { ...kept.outputs, timeouts: { delete: "2m" } };
    expect((await errorOf(world.service.remove({ ...kept, outputs }))).message).toContain("still READY");
    world.nextRun();
    world.emulator.faults.add({ kind: "brownout", ms: 40_000 });
    const end = command === "refresh" ? world.service.refresh(kept) : world.service.remove(kept);
    expect((await errorOf(end)).message).toContain("outage");
    expect([alive().length, world.calls()]).toEqual([1, []]);
  });
});

test("what is DELETING in no list holds up no create", async () => {
  const { kept, args } = await make("service", { name: "old", ...SMALL });
  makeBystander();
  world.nextRun();
  world.service.preview(kept, args);
  world.emulator.mutate.service(kept.id, { status: "DELETING" });
  world.emulator.faults.add({ kind: "brownout", ids: [kept.id], in: "lists" });
  const made = await world.service.create({ name: "new", ...SMALL, ...urn("new") });
  expect(made.failed).toBeUndefined();
});

test.each(["service", "vpc"] as const)("a %s goes at one request per second", async (kind) => {
  const { kept } = await make(kind, kind === "vpc" ? NET : { name: "orders", ...SMALL });
  makeBystander(kind);
  world.nextRun();
  world.emulator.settings.rateLimit = { perSecond: 1, burst: 1 };
  expect(await world.secondsOf(() => world[kind].remove(kept))).toBeLessThan(120);
});
