// A delete, or the create of a replacement, while nobody can read the tag of the live object.

import { beforeEach, describe, expect, test } from "vitest";
import type { FaultHandle } from "../../../emulator/index";
import type { Kept } from "../../support/world";
import { done, errorOf, MINUTE_MS, nextRun, onRequest, secondsOf, urn, useWorld, world } from "../scene";
import { makeTagged, service, set, TAGGED } from "./taggedScene";

useWorld();

const fail = (status: number, headers: Record<string, string> = {}, times = Infinity): FaultHandle =>
  world.emulator.faults.add({ kind: "status", status, headers, operation: "getService", times });

/** How many seconds a delete takes that goes in the end; the reads are answered once the call is sent. */
function secondsToGo(remove: () => Promise<void>, broken: FaultHandle): Promise<number> {
  onRequest(({ operation = "" }) => {
    if (operation.startsWith("delete")) broken.remove();
  });
  return secondsOf(remove);
}

describe("a service that is tagged PROD since", () => {
  beforeEach(() => makeTagged());

  test.each([
    [500, {}],
    [500, { "retry-after": "1" }],
    [503, { "retry-after": "5" }],
  ])("stays after five minutes of %i %j, and the error says why", async (status, headers) => {
    fail(status, headers);
    const refused = errorOf(world.service.remove(service));
    const minutes = (await secondsOf(() => refused)) / 60;
    expect([minutes > 4, minutes < 7]).toEqual([true, true]);
    const words = new RegExp(`^service orders .*: for 5 m.* no read told .*${status}.*; nothing was deleted$`);
    expect((await refused).message).toMatch(words);
    expect(world.progress.join()).toContain("no read tells yet whether the tag PROD protects it");
    expect(world.calls()).toEqual([]);
  });

  test("stays where the server asks for pauses until the deadline", async () => {
    fail(429, { "retry-after": "30" });
    await expect(world.service.remove(service)).rejects.toThrow(/^service orders .*: for 45 m.* no read told/);
    expect(world.calls()).toEqual([]);
  });

  test("stays after an outage of four minutes, which only delays the answer", async () => {
    const outage = fail(502);
    const endMs = world.clock.now() + 4 * MINUTE_MS;
    world.onEffect(() => {
      if (world.clock.now() > endMs) outage.remove();
    });
    await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
    expect(world.calls()).toEqual([]);
  });

  test.each([401, 403])("stays with its set, at once, where the key is refused (%i)", async (status) => {
    fail(status);
    const before = world.emulator.requests().length;
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow(String(status));
    await expect(world.service.remove(service)).rejects.toThrow(String(status));
    expect(world.emulator.requests().length - before).toBeLessThanOrEqual(2);
    expect(world.calls()).toEqual([]);
  });

  test("does not keep its replica set, which holds no data, for more than five minutes", async () => {
    const seconds = await secondsToGo(() => world.readReplicaSet.remove(set), fail(500));
    expect(seconds).toBeGreaterThan(4 * 60);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("keeps a replica set that has less time than that, and the error says what helps", async () => {
    fail(500);
    const short = { ...set, outputs: { ...set.outputs, timeouts: { delete: "2m" } } };
    const { fullMessage } = await errorOf(world.readReplicaSet.remove(short));
    expect(fullMessage).toMatch(/for (1 m 5\d|2 m).* no read told[^]*`timeouts`/);
    expect(world.calls()).toEqual([]);
  });
});

describe("a service whose protection is switched off, and that is tagged PROD since", () => {
  let open: Kept;
  beforeEach(async () => {
    open = await world.service.create({ name: "orders", deletionProtection: false });
    world.emulator.mutate.service(open.id, { environment: "PROD" });
    nextRun();
  });

  test.each<[string, RegExp, () => void]>([
    [
      "after a pause before a failure",
      new RegExp(TAGGED),
      () => [fail(503, { "retry-after": "15" }, 1), fail(500, {}, 1)],
    ],
    ["after a pause, whatever the status", new RegExp(TAGGED), () => fail(500, { "retry-after": "60" }, 1)],
    [
      "where pauses are asked for until the deadline",
      /for 45 m.* no read told/,
      () => fail(429, { "retry-after": "30" }),
    ],
  ])("stays %s", async (_name, words, answer) => {
    answer();
    await expect(world.service.remove(open)).rejects.toThrow(words);
    expect(world.calls()).toEqual([]);
  });
});

test.each<[string, () => Promise<Kept>]>([
  [
    "the program has switched the protection off",
    async () => {
      const kept = await world.service.create({ name: "orders" });
      fail(500);
      return done(world.service.update(kept, { name: "orders", deletionProtection: false }));
    },
  ],
  [
    "no run has ever read it",
    () => {
      fail(500);
      return world.service.create({ name: "orders" });
    },
  ],
])("a service goes soon where %s, because its tag would not keep it", async (_how, make) => {
  const kept = await make();
  world.emulator.faults.clear();
  nextRun();
  expect(await secondsToGo(() => world.service.remove(kept), fail(500))).toBeLessThan(30);
  expect(world.calls()).toEqual(["deleteService"]);
});

test("no replacement is created while nobody can read the tag of the old service", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const old = await world.service.create(args);
  nextRun();
  const elsewhere = { ...args, regionCode: "eu-west-1", allowReplace: true };
  fail(500);
  expect(world.service.preview(old, elsewhere).replaces).toEqual(["regionCode"]);
  await expect(world.service.create(elsewhere)).rejects.toThrow(/no read told .*nothing was created/);
  expect(world.calls()).toEqual([]);
});
