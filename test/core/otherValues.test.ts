// A server that takes a change and settles with something else: an autoscaler, a text in another form, a window of time until
// the change begins. The run ends, says what is there, and the next one leaves it alone.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { done, fault, LARGE, MINUTE_MS, refreshed, setOf, SMALL, useWorld, world } from "./scene";

useWorld();

const BEFORE = { name: "orders", ...SMALL };
const AFTER = { name: "orders", ...LARGE };
const COMPOSED = "Caf\u00e9";
const DECOMPOSED = "Cafe\u0301";

/** From now on each answer to this operation is followed by this change of the object. */
function follow(operation: string, change: (id: string) => unknown): void {
  world.onRequest((request) => {
    const id = request.params["serviceId"] ?? world.emulator.state().services[0]?.id;
    if (request.operation === operation && id !== undefined) change(id);
  });
}

/** An update by a new process, with the calls that it sent. */
async function nextUp(kept: Kept, args: Values): Promise<{ next: Kept; calls: string[] }> {
  world.nextRun();
  const next = await world.service.update(kept, args);
  return { next, calls: world.calls() };
}

async function scaled(args: Values = AFTER): Promise<Kept> {
  const kept = await done(world.service.create(BEFORE));
  follow("resize", (id) => world.emulator.mutate.service(id, { cpuMillis: 4000, memoryGbs: 16 }));
  const { seconds, result } = await world.timed(() => world.service.update(kept, args));
  expect(seconds).toBeLessThan(3 * 60);
  world.onRequest(() => undefined);
  return result;
}

test("a size that an autoscaler sets after the resize ends the wait soon, and the next runs leave it alone", async () => {
  const args = { ...AFTER, poolerEnabled: true };
  const kept = await scaled(args);
  expect(kept.failed).toContain("cpuMillis 4000, not 1000 as declared or 500 as before");
  expect(kept.failed).toContain("memoryGbs 16, not 4 as declared or 2 as before");
  expect(kept.failed).toMatch(/autoscaler.*`ignoreChanges: \["cpuMillis","memoryGbs"\]`.*`pulumi up --refresh`/);
  expect(kept.failed).toContain("done: resize");
  expect(kept.failed).not.toContain("`timeouts`");
  expect(world.requestsOf("getService").length).toBeGreaterThan(8);
  const { next, calls } = await nextUp(kept, args);
  expect([next.failed, calls]).toEqual([undefined, ["enablePooler"]]);
  expect(world.warnings.at(-1)).toContain("cpuMillis is 4000, the program says 1000");
  expect((await nextUp(next, args)).calls).toEqual([]);
  expect(world.service.preview(await refreshed(next), args).operations).toEqual(["resize"]);
});

test("a size that an autoscaler sets after the resize is found by the run that waits for what an earlier one has sent", async () => {
  const kept = await done(world.service.create(BEFORE));
  fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
  const cut = await world.service.update(kept, { ...AFTER, timeouts: { update: "30s" } });
  world.emulator.settle();
  world.emulator.mutate.service(kept.id, { cpuMillis: 4000, memoryGbs: 16 });
  const { next, calls } = await nextUp(cut, AFTER);
  expect([next.failed, calls]).toEqual([expect.stringContaining("cpuMillis 4000"), []]);
  expect((await nextUp(next, AFTER)).calls).toEqual([]);
});

test("a size that an autoscaler sets after the resize of a replica set is no other case", async () => {
  const parent = await done(world.service.create(BEFORE));
  const kept = await done(world.readReplicaSet.create(setOf(parent)));
  world.onRequest(({ operation }) => {
    if (operation === "resizeReplicaSet") world.emulator.mutate.replicaSet(kept.id, { cpuMillis: 4000 });
  });
  const next = await world.readReplicaSet.update(kept, setOf(parent, LARGE));
  expect(next.failed).toContain("cpuMillis 4000, not 1000 as declared or 500 as before");
  world.nextRun();
  await done(world.readReplicaSet.update(next, setOf(parent, LARGE)));
  expect(world.calls()).toEqual([]);
});

/** From the call on, each change at its moment. */
function after(operation: string, changes: readonly (readonly [ms: number, change: object])[], id: string): void {
  let sentMs = Number.NaN;
  const left = [...changes];
  world.onRequest((request) => {
    if (request.operation === operation) sentMs = world.clock.now();
    while (left[0] !== undefined && world.clock.now() - sentMs >= left[0][0]) {
      world.emulator.mutate.service(id, left.shift()?.[1] ?? {});
    }
  });
}

test("a value on the way to the wanted one does not end the wait: one replica of two, for minutes", async () => {
  const kept = await done(world.service.create({ ...BEFORE, haReplicas: { replicaCount: 0 } }));
  const one = { replicaCount: 1, status: "READY" };
  after("setHA", [[1, one], [1_000, one], [5 * MINUTE_MS, { ...one, replicaCount: 2 }]], kept.id); // prettier-ignore
  const { outputs } = await done(world.service.update(kept, { ...BEFORE, haReplicas: { replicaCount: 2 } }));
  expect(outputs).toMatchObject({ haReplicas: { replicaCount: 2 } });
});

test("a value on the way to the wanted one does not end it either while a change is under way again and again", async () => {
  const kept = await done(world.service.create(BEFORE));
  const changes = [0, 1, 2, 3, 4, 5].flatMap((minute) => [
    [minute * MINUTE_MS + 1, { cpuMillis: 2000, memoryGbs: 8, status: "READY" }] as const,
    [minute * MINUTE_MS + 2_500, { status: "UPGRADING" }] as const,
  ]);
  after("resize", [...changes, [6 * MINUTE_MS, { ...LARGE, status: "READY" }]], kept.id);
  expect((await done(world.service.update(kept, AFTER))).outputs).toMatchObject(LARGE);
});

test("a value on the way to the wanted one is not what was shown right before the call, though the wait began earlier", async () => {
  const kept = await done(world.service.create(BEFORE));
  fault({ kind: "status", status: 409, operation: "resize", times: 1 });
  let calls = 0;
  world.onRequest(({ operation }) => {
    if (operation !== "resize") return;
    calls += 1;
    if (calls === 1) world.emulator.mutate.service(kept.id, { cpuMillis: 4000, memoryGbs: 16 });
    else Object.assign(world.emulator.settings.stale, { ms: 4 * MINUTE_MS });
  });
  await done(world.service.update(kept, AFTER));
  expect(calls).toBe(2);
});

test.each([
  ["Unicode", DECOMPOSED, COMPOSED, "Cafe\\u0301"],
  ["a blank at the end", "orders ", "orders", "orders "],
  ["entities", "R&D", "R&amp;D", "R&D"],
])(
  "a text that the server keeps in another form (%s) is shown, with the form to write",
  async (_name, given, stored, shown) => {
    const kept = await done(world.service.create({ name: "shop" }));
    follow("renameService", (id) => world.emulator.mutate.service(id, { name: stored }));
    const { seconds, result } = await world.timed(() => world.service.update(kept, { name: given }));
    expect(seconds).toBeLessThan(3 * 60);
    expect(result.failed).toContain(`name "${stored}", not "${shown}" as declared or "shop" as before`);
    expect(result.failed).toContain(`give it in that form, \`name: "${stored}"\``);
    expect((await nextUp(result, { name: given })).calls).toEqual([]);
    const { next, calls } = await nextUp(result, { name: stored });
    expect([next.failed, calls, next.outputs["name"]]).toEqual([undefined, [], stored]);
  },
);

test("a text that the server keeps in another form: also where the form that it keeps is what was there before", async () => {
  const kept = await done(world.service.create({ name: COMPOSED }));
  follow("renameService", (id) => world.emulator.mutate.service(id, { name: COMPOSED }));
  const { seconds, result } = await world.timed(() => world.service.update(kept, { name: DECOMPOSED }));
  expect([seconds < 3 * 60, result.failed]).toEqual([true, expect.stringContaining("in a form of its own")]);
});

test("a text that the server keeps in another form: of a new service: it is created once, and never renamed", async () => {
  follow("createService", (id) => world.emulator.mutate.service(id, { name: COMPOSED }));
  const kept = await done(world.service.create({ name: DECOMPOSED, poolerEnabled: true }));
  expect(world.warnings.at(-1)).toMatch(/keeps the text in a form of its own; .*`name: "Café"`, not "Cafe\\u0301"/);
  expect(world.calls()).toEqual(["createService", "enablePooler"]);
  expect((await nextUp(kept, { name: DECOMPOSED, poolerEnabled: true })).calls).toEqual([]);
});

test("a text that the server keeps in another form: takes the name of a new one that differs in the form alone", async () => {
  world.emulator.mutate.createService({ name: COMPOSED });
  await expect(world.service.create({ name: DECOMPOSED })).rejects.toMatchObject({ errorName: "name-taken" });
  expect(world.calls()).toEqual([]);
});

const WINDOW_MS = 10 * MINUTE_MS;
const short = { ...AFTER, timeouts: { update: "2m" } };

/** The server is READY with the old size, for as long as the window takes. */
async function leftWaiting(): Promise<Kept> {
  const made = await done(world.service.create(BEFORE));
  Object.assign(world.emulator.settings.stale, { ms: WINDOW_MS });
  const waiting = await world.service.update(made, short);
  expect(waiting.failed).toContain("accepted, not yet seen: resize; the next `pulumi up` waits for it");
  expect(waiting.failed).not.toContain("in the program");
  return waiting;
}

test("a change that the server has accepted and keeps for later is not sent again by the next run, whose preview says so, also after a refresh", async () => {
  const waiting = await leftWaiting();
  const seen = await refreshed(waiting);
  for (const one of [waiting, seen]) {
    expect(world.service.preview(one, short).operations).toEqual([]);
    expect(world.warnings.at(-1)).toContain("sent resize, which the server has accepted; this run waits for it");
  }
  await world.clock.sleep(WINDOW_MS);
  const { next, calls } = await nextUp(seen, short);
  expect([next.failed, calls]).toEqual([undefined, []]);
  expect(next.outputs).toMatchObject(LARGE);
  expect(next.outputs).not.toHaveProperty("__sent");
});

test.each<[string, Values, Values]>([
  ["size", AFTER, BEFORE],
  ["paused", { ...BEFORE, paused: true }, { ...BEFORE, paused: false }],
  ["pooler", { ...BEFORE, poolerEnabled: true }, { ...BEFORE, poolerEnabled: false }],
  ["name", { ...BEFORE, name: "bills" }, BEFORE],
])("a change that the server keeps for later is taken back by a call of its own: %s", async (_what, change, back) => {
  const made = await done(world.service.create(back));
  Object.assign(world.emulator.settings.stale, { ms: WINDOW_MS });
  const waiting = await world.service.update(made, { ...change, timeouts: { update: "2m" } });
  expect(waiting.failed).toContain("accepted, not yet seen");
  const { next, calls } = await nextUp(waiting, back);
  expect([next.failed, calls.length]).toEqual([undefined, 1]);
  await world.clock.sleep(2 * WINDOW_MS);
  expect(world.service.preview(await refreshed(next), back).operations).toEqual([]);
});

test("a change that the server has accepted and keeps for later is not awaited any more once a refresh has saved another value in its place", async () => {
  const made = await done(world.service.create(BEFORE));
  fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
  const cut = await world.service.update(made, { ...AFTER, timeouts: { update: "30s" } });
  world.emulator.settle();
  world.emulator.mutate.service(made.id, { cpuMillis: 4000, memoryGbs: 16 });
  const seen = await refreshed(cut);
  const { next, calls } = await nextUp(seen, AFTER);
  expect([next.failed, calls]).toEqual([undefined, ["resize"]]);
});

test("a change that the server has accepted and keeps for later is sent again after a second run that waited in vain, or with another value", async () => {
  const waiting = await leftWaiting();
  const { next, calls } = await nextUp(waiting, short);
  expect([next.failed, calls]).toEqual([expect.stringContaining("failed: resize"), []]);
  await world.clock.sleep(WINDOW_MS);
  world.emulator.mutate.service(next.id, SMALL);
  await world.clock.sleep(WINDOW_MS);
  expect((await nextUp(next, short)).calls).toEqual(["resize"]);
  expect((await nextUp(waiting, { ...short, cpuMillis: 2000, memoryGbs: 8 })).calls).toEqual(["resize"]);
});
