// After a create whose answer was lost, nothing is taken, nothing of a stranger is touched, nothing is deleted because of it,
// and the name does not count as free until a created object must have shown.

import { describe, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { errorOf, LARGE, MINUTE_MS, NET, SMALL, urn, world } from "../core/scene";
import { countOrders, kinds, ORDERS, useCreates } from "../core/createCases";
import { alive, make } from "./absence";

useCreates();

/** The create never arrives, and in that moment a stranger makes one of the same name. */
function loseToStranger(kind: "service" | "vpc", args: Values): { id: string } {
  const theirs = { id: "" };
  const [operation, mutation] =
    kind === "service" ? (["createService", "createService"] as const) : (["createVpc", "createVpc"] as const);
  const act = (): void => void (theirs.id = world.emulator.mutate[mutation](args).id);
  world.emulator.faults.add({ kind: "meanwhile", operation, act });
  world.emulator.faults.add({ kind: "lostBefore", operation });
  return theirs;
}

/** What an `up` makes of a create that has failed: the engine has an entry of it, or creates anew. */
async function up(kind: (typeof kinds)[number][1], before: Kept | undefined, args: Values): Promise<Kept | undefined> {
  const work = before === undefined ? kind.handlers().create(args) : kind.handlers().update(before, args);
  return work.catch(() => before);
}

describe("a replacement whose create never arrived, while a stranger takes the name,", () => {
  test.each([
    ["that the old one has", ORDERS.name],
    ["that is new", "orders-2"],
  ])(
    "a replacement whose create was lost to a stranger with the name %s deletes no service, and takes none",
    async (_whose, name) => {
      const { kept: old, args } = await make("service", ORDERS);
      const moved = { ...args, name, regionCode: "eu-west-1", allowReplace: true };
      world.nextRun();
      const theirs = loseToStranger("service", { name, regionCode: "eu-west-1" });
      for (let run = 0; run < 2; run += 1) {
        await expect(world.service.replace(old, moved)).rejects.toThrow(/answer was lost|already/);
        world.nextRun();
      }
      expect(world.callsOn(old.id)).toEqual([]);
      expect(world.callsOn(theirs.id)).toEqual([]);
      // That of the old one, and the lost one.
      expect(world.requestsOf("createService")).toHaveLength(2);
      expect(alive().map(({ id }) => id)).toEqual(expect.arrayContaining([old.id, theirs.id]));
    },
  );

  test("a replacement whose create was lost to a stranger deletes no VPC, and takes none", async () => {
    const { kept: old, args } = await make("vpc", NET);
    const moved = { ...args, cidr: "10.9.0.0/24" };
    world.nextRun();
    const theirs = loseToStranger("vpc", { ...NET, cidr: "10.9.0.0/24" });
    await expect(world.vpc.replace(old, moved)).rejects.toThrow("the answer was lost");
    expect([world.callsOn(old.id), world.callsOn(theirs.id)]).toEqual([[], []]);
    expect(alive().map(({ id }) => id)).toEqual(expect.arrayContaining([old.id, theirs.id]));
  });
});

test.each<[what: string, more: Values]>([
  ["a password", { password: "our-password-0" }],
  ["a stop", { paused: true }],
  ["a size", LARGE],
])("no run sends a stranger's service %s because a create of ours was lost beside it", async (_what, more) => {
  const theirs = loseToStranger("service", ORDERS);
  const args = { ...ORDERS, ...more, ...urn("db") };
  const ends = [];
  for (let run = 0; run < 2; run += 1) {
    ends.push(
      await world.service.create(args).then(
        ({ id }) => id,
        () => "refused",
      ),
    );
    world.nextRun();
  }
  expect(ends).not.toContain(theirs.id);
  expect(world.callsOn(theirs.id)).toEqual([]);
  expect(countOrders()).toBe(1);
});

describe("the name of a lost create whose object shows late", () => {
  test.each(kinds)("a %s whose create was lost is posted once, although it shows late", async (_name, kind) => {
    world.emulator.settings.listLag = { ms: 90_000 };
    world.emulator.faults.add({ kind: "lostAfter", operation: kind.operation });
    const args = { ...kind.args(), ...urn("late") };
    let kept: Kept | undefined;
    for (let run = 0; run < 3; run += 1) {
      kept = await up(kind, kept, args);
      world.nextRun();
    }
    expect([kind.count(), world.requestsOf(kind.operation).length]).toEqual([1, 1]);
  });

  test.each(kinds)(
    "a %s whose run ended while it was created is posted once, although it shows late",
    async (_name, kind) => {
      world.emulator.settings.listLag = { ms: 40_000 };
      const args = { ...kind.args(), ...urn("late") };
      world.onRequest(({ operation }) => {
        if (operation === kind.operation) world.endEngine();
      });
      // Whatever it ends with, nobody is there to record it.
      await up(kind, undefined, args);
      world.onRequest(() => undefined);
      let kept: Kept | undefined;
      for (let run = 0; run < 2; run += 1) {
        world.nextRun();
        kept = await up(kind, kept, args);
      }
      expect([kind.count(), world.requestsOf(kind.operation).length]).toEqual([1, 1]);
    },
  );

  test("a service whose create was lost is posted once, also where the time of the create was over before it shows", async () => {
    const [, service] = kinds[0] ?? [];
    if (service === undefined) throw new Error("no kinds");
    world.emulator.settings.listLag = { ms: 40_000 };
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const args = { ...ORDERS, ...urn("late"), timeouts: { create: "20s" } };
    let kept: Kept | undefined;
    for (let run = 0; run < 3; run += 1) {
      kept = await up(service, kept, args);
      world.nextRun();
    }
    expect([countOrders(), world.requestsOf("createService").length]).toEqual([1, 1]);
  });

  test("the refusal of a name that an earlier run may have taken says since when, and how long it stays so", async () => {
    world.emulator.settings.listLag = { ms: 40_000 };
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const args = { ...ORDERS, ...urn("late"), timeouts: { create: "20s" } };
    await world.service.create(args).catch(() => undefined);
    world.nextRun();
    const refused = await errorOf(world.service.create(args));
    expect(refused.errorName).toBe("name-in-doubt");
    expect(refused.message).toMatch(/an earlier run sent a create of it at \d{4}-\S+Z and recorded nothing/);
    expect(refused.hint).toMatch(/^Give it .*\d+ ?s more with `timeouts\.create`/);
  });

  test.each(kinds)(
    "a %s whose create was lost is posted once, although lists hide it minutes later",
    async (_name, kind) => {
      const args = { ...kind.args(), ...urn("hidden") };
      world.emulator.faults.add({ kind: "lostAfter", operation: kind.operation });
      const lost = await up(kind, undefined, args);
      world.nextRun();
      await world.clock.sleep(5 * MINUTE_MS);
      world.emulator.faults.add({ kind: "brownout", ms: 20_000, times: Infinity });
      await up(kind, lost, args);
      expect([kind.count(), world.requestsOf(kind.operation).length]).toEqual([1, 1]);
    },
  );

  test("a service whose create was lost is posted once, although lists fail and then hide it minutes later", async () => {
    const args = { ...ORDERS, ...urn("hidden") };
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    await world.service.create(args).catch(() => undefined);
    world.nextRun();
    await world.clock.sleep(5 * MINUTE_MS);
    const failsMs = world.clock.now() + 35_000;
    const match = ({ at }: { at: number }): boolean => at < failsMs;
    world.emulator.faults.add({ kind: "status", status: 503, operation: "listServices", times: Infinity, match });
    world.emulator.faults.add({ kind: "brownout", ms: 45_000, times: Infinity });
    await world.service.create(args).catch(() => undefined);
    expect([countOrders(), world.requestsOf("createService").length]).toEqual([1, 1]);
  });

  test.each(kinds)("a %s whose create never arrived is created some minutes later", async (_name, kind) => {
    world.emulator.faults.add({ kind: "lostBefore", operation: kind.operation });
    const args = { ...kind.args(), ...urn("never") };
    const kept = await up(kind, undefined, args);
    world.nextRun();
    await world.clock.sleep(5 * MINUTE_MS);
    const made = await up(kind, kept, args);
    expect([made?.failed, kind.count()]).toEqual([undefined, 1]);
  });
});

test.each([
  ["the error of the lost create", 1],
  ["the run after it", 2],
])("what %s has named keeps its name in an outage of 46 s, also when nobody else holds it", async (_who, runs) => {
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
  const args = { ...ORDERS, ...urn("db") };
  for (let run = 0; run < runs; run += 1) {
    const { fullMessage } = await errorOf(world.service.create(args));
    expect(fullMessage).toContain(world.emulator.state().services.find(({ name }) => name === ORDERS.name)?.id);
    world.nextRun();
    await world.clock.sleep(3 * MINUTE_MS);
  }
  world.emulator.faults.add({ kind: "brownout", ms: 46_000 });
  await expect(world.service.create(args)).rejects.toThrow("shows no service at all");
  expect(countOrders()).toBe(1);
});

test("what no error could name keeps its name in twenty seconds of lists without it", async () => {
  world.emulator.settings.listLag = { ms: 90_000 };
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
  const args = { ...ORDERS, ...urn("db") };
  expect((await errorOf(world.service.create(args))).message).toContain("no new object like it has appeared");
  world.nextRun();
  await world.clock.sleep(3 * MINUTE_MS);
  world.emulator.faults.add({ kind: "brownout", ms: 20_000 });
  await expect(world.service.create(args)).rejects.toThrow("there is already");
  expect(countOrders()).toBe(1);
});

test("what a create was answered keeps its name for the next run, if it ended before that was recorded", async () => {
  const args = { ...ORDERS, ...urn("db") };
  world.onRequest(({ operation }) => {
    if (operation === "getService") world.endEngine();
  });
  await Promise.allSettled([world.service.create(args)]);
  world.nextRun();
  world.onRequest(() => undefined);
  await world.clock.sleep(20 * MINUTE_MS);
  world.emulator.faults.add({ kind: "brownout", ms: 39_000, in: "lists" });
  await expect(world.service.create(args)).rejects.toThrow(/cut|already/);
  expect(countOrders()).toBe(1);
});

describe("a list that is cut, and lacks what answers by its id,", () => {
  test("a cut list makes no name free: after a lost create the next run posts no second service", async () => {
    const five = [];
    for (const name of ["a", "b", "c", "d", "e"]) five.push(await make("service", { name, ...SMALL }));
    world.nextRun();
    world.emulator.faults.add({ kind: "cut", rows: 2 });
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const before = world.requestsOf("createService").length;
    for (let run = 0; run < 3; run += 1) {
      for (const { kind, kept, args } of five) world[kind].preview(kept, args);
      await world.service.create({ ...ORDERS, ...urn("db") }).catch(() => undefined);
      world.nextRun();
    }
    const posted = world.requestsOf("createService").length - before;
    expect([countOrders() <= 1, posted <= 1]).toEqual([true, true]);
  });

  test("a cut list makes no name free: a service that it does not reach is not made a second time", async () => {
    const five = [];
    for (const name of ["a", "b", "c", "d", "e"]) five.push(await make("service", { name, ...SMALL }));
    world.emulator.mutate.createService(ORDERS);
    world.nextRun();
    world.emulator.faults.add({ kind: "cut", rows: 1 });
    for (const { kind, kept, args } of five) world[kind].preview(kept, args);
    await expect(world.service.create({ ...ORDERS, ...urn("db") })).rejects.toThrow(/list/);
    expect(countOrders()).toBe(1);
  });
});
