// What a create writes down for later runs: what it was answered, and what an error or a list has shown. Each of it must be
// proven gone before the name is posted again; and once the state has the object, nothing of it is left.

import { describe, expect, test } from "vitest";
import { countOrders, ORDERS } from "../core/createCases";
import { done, errorOf, makeBystander, MINUTE_MS, urn, useWorld, world } from "../core/scene";
import type { Kept } from "../support/world";

useWorld();

const args = { ...ORDERS, ...urn("db") };
const idOfOrders = (): string => world.emulator.state().services.find(({ name }) => name === "orders")?.id ?? "";

/** The run ends at the first read after the create was answered. */
async function canceled(): Promise<Kept | undefined> {
  world.onRequest(({ method }) => {
    if (method === "GET" && countOrders() > 0) world.endEngine();
  });
  const kept = await world.service.create(args).catch(() => undefined);
  world.onRequest(() => undefined);
  world.nextRun();
  return kept;
}

/** A later `up` in an outage of everything, long after a create must have shown. */
async function nextUp(inputs: Record<string, unknown> = args): Promise<void> {
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  world.emulator.faults.add({ kind: "brownout", ms: 46_000 });
  await world.service.create(inputs).catch(() => undefined);
}

describe("a create that was canceled is over once the state has its object", () => {
  test("after a refresh has proven it gone, the name is free at once", async () => {
    const kept = await canceled();
    if (kept === undefined) throw new Error("no state");
    makeBystander();
    world.emulator.mutate.deleteService(kept.id);
    await world.clock.sleep(60 * MINUTE_MS);
    expect(await world.service.refresh(kept)).toBeUndefined();
    world.nextRun();
    expect(await world.secondsOf(() => done(world.service.create(args)))).toBeLessThan(15);
  });

  test.each(["an update", "a refresh", "an import"])(
    "after %s and a destroy, the name is free at once",
    async (how) => {
      const kept = await canceled();
      const imported = async (): Promise<Kept> => {
        const { id, inputs, props } = await world.bare("service").read(idOfOrders(), {});
        return { id: String(id), inputs: { ...inputs }, outputs: { ...props } };
      };
      if (kept === undefined) throw new Error("no state");
      const held = how === "an import" ? await imported() : kept;
      if (how === "an update") await done(world.service.update(held, args));
      if (how === "a refresh") await world.service.refresh(held);
      world.nextRun();
      await world.service.remove(held);
      world.nextRun();
      await world.clock.sleep(60 * MINUTE_MS);
      expect(await world.secondsOf(() => done(world.service.create(args)))).toBeLessThan(15);
    },
  );
});

describe("no second service is made in an outage", () => {
  test("after a run that ended while it watched for a lost answer", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    let lists = 0;
    world.onRequest(({ operation }) => {
      if (operation === "listServices" && countOrders() > 0) lists += 1;
      if (lists === 4) world.endEngine();
    });
    await errorOf(world.service.create(args));
    world.onRequest(() => undefined);
    await nextUp();
    expect(countOrders()).toBe(1);
  });

  test("of what an error has named as unreadable", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const members = { status: { value: 7 } };
    world.emulator.faults.add({
      kind: "members",
      members,
      in: "lists",
      times: Infinity,
      match: () => countOrders() > 0,
    });
    expect((await errorOf(world.service.create(args))).fullMessage).toContain(idOfOrders());
    world.emulator.faults.clear();
    await nextUp();
    expect(countOrders()).toBe(1);
  });

  test("of what only the first lists after a lost answer have shown, and nobody could read", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    let lists = 0;
    world.onRequest(({ operation }) => {
      if (operation !== "listServices" || countOrders() === 0) return;
      lists += 1;
      const ids = [idOfOrders()];
      if (lists === 1)
        world.emulator.faults.add({ kind: "members", members: { status: { value: 7 } }, ids, in: "lists" });
      if (lists === 2) world.emulator.faults.add({ kind: "brownout", ids, in: "lists", times: Infinity });
    });
    expect((await errorOf(world.service.create(args))).fullMessage).toContain(idOfOrders());
    world.onRequest(() => undefined);
    world.emulator.faults.clear();
    await nextUp();
    expect(countOrders()).toBe(1);
  });

  test("of what was made although its create was answered 409", async () => {
    makeBystander();
    world.emulator.faults.add({ kind: "status", status: 409, commit: true, operation: "createService" });
    await errorOf(world.service.create(args));
    world.nextRun();
    world.emulator.faults.add({ kind: "brownout", ids: [idOfOrders()], ms: 25_000 });
    await errorOf(world.service.create(args));
    expect(countOrders()).toBe(1);
  });

  test("of what was listed after a refusal", async () => {
    const { id } = world.emulator.mutate.createService({ name: "source" });
    const fork = { name: "orders", forkFrom: { serviceId: id, strategy: "NOW" }, ...urn("db") };
    world.emulator.faults.add({ kind: "status", status: 409, commit: true, operation: "forkService" });
    expect((await errorOf(world.service.create(fork))).fullMessage).toContain(idOfOrders());
    await nextUp(fork);
    expect(countOrders()).toBe(1);
  });
});

test("what was noted, and is gone, holds the name no longer, although somebody's row has no id", async () => {
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
  await errorOf(world.service.create(args));
  world.emulator.mutate.deleteService(idOfOrders());
  const ids = [world.emulator.mutate.createService({ name: "theirs" }).id];
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  const members = { service_id: { value: null }, id: { value: null } };
  world.emulator.faults.add({ kind: "members", members, ids, times: Infinity });
  await done(world.service.create(args));
  expect(countOrders()).toBe(1);
});

test("what was noted stays so beside a row without an id, although its own read has answered 404 once", async () => {
  makeBystander();
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
  await errorOf(world.service.create(args));
  const ids = [idOfOrders()];
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  const members = { service_id: { value: null }, id: { value: null } };
  world.emulator.faults.add({ kind: "members", members, ids, in: "lists", times: Infinity });
  world.emulator.faults.add({ kind: "status", status: 404, operation: "getService" });
  await errorOf(world.service.create(args));
  world.emulator.faults.clear();
  world.nextRun();
  world.emulator.faults.add({ kind: "brownout", ids, ms: 46_000 });
  await errorOf(world.service.create(args));
  expect(countOrders()).toBe(1);
});

test.each([{ name: { value: null } }, { name: { value: null }, service_id: { value: null }, id: { value: null } }])(
  "what was noted, and is listed without what tells it, is asked for by its id: %o",
  async (members) => {
    makeBystander();
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    await errorOf(world.service.create(args));
    world.nextRun();
    await world.clock.sleep(3 * MINUTE_MS);
    world.emulator.faults.add({ kind: "members", members, ids: [idOfOrders()], in: "lists", times: Infinity });
    await errorOf(world.service.create(args));
    expect([countOrders(), world.requestsOf("createService").length]).toEqual([1, 1]);
  },
);

test("a create does not wait for its own note, although the first reads show another name", async () => {
  world.emulator.faults.add({ kind: "members", members: { name: { value: "stale" } }, times: 4 });
  expect(await world.secondsOf(() => done(world.service.create(args)))).toBeLessThan(15);
});
