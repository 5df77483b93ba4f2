// A create on a machine whose clock is wrong, or is set while the create is under way. Whatever it says, one object is
// made, and nobody else's is taken.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { World } from "../../support/world";
import { MINUTE_MS, openScene, refusal, type Scene, SIZE } from "./createCases";

const HOUR_MS = 60 * MINUTE_MS;

let scene: Scene;
let world: World;

beforeEach(async () => {
  scene = await openScene();
  world = scene.world;
});
afterEach(() => world.close());

const ours = { name: "orders", regionCode: "us-east-1", ...SIZE };

/** The create is answered by nothing; `meanwhile` happens at the server, right before it gets there. */
function loseAnswer(kind: "lostBefore" | "lostAfter", meanwhile: () => void = () => undefined): void {
  const match = (): boolean => {
    meanwhile();
    return true;
  };
  world.emulator.faults.add({ kind, operation: "createService", match });
}

/** What a create whose answer is lost comes to: what it takes or says, what was sent, and how many there are then. */
async function outcome(): Promise<object> {
  const [kept] = await Promise.allSettled([world.service.create(ours)]);
  const there = world.emulator.state().services.flatMap(({ name, id }) => (name === "orders" ? [id] : []));
  const sent = world.calls();
  if (kept.status === "rejected") return { says: String(kept.reason), sent, count: there.length };
  const { id, failed } = kept.value;
  return { takes: failed ?? (there.includes(id) ? "the one that is there" : id), sent, count: there.length };
}

const SENT_ONCE = { sent: ["createService"], count: 1 };
const TAKEN = { takes: "the one that is there", ...SENT_ONCE };
const UNKNOWN = { says: expect.stringContaining("nothing new that fits has shown up") as string, ...SENT_ONCE };

/** Somebody else's of the same name, which no list showed before. */
const makeOlder = (ageMs: number): void =>
  void world.emulator.mutate.createService({ ...ours, createdAt: world.clock.now() - ageMs });

const WRONG: [string, number][] = [
  ["right", 0],
  ["an hour ahead", HOUR_MS],
  ["an hour behind", -HOUR_MS],
  ["ten days ahead", 240 * HOUR_MS],
  ["ten days behind", -240 * HOUR_MS],
];

describe.each(WRONG)("a machine's clock that is %s", (_how, aheadMs) => {
  beforeEach(() => {
    world.told.machineAheadMs = aheadMs;
  });

  test("after a lost answer, the only new object is used", async () => {
    loseAnswer("lostAfter");
    expect(await outcome()).toEqual(TAKEN);
  });

  test("an older object of somebody else is not taken", async () => {
    loseAnswer("lostBefore", () => makeOlder(HOUR_MS / 2));
    expect(await outcome()).toEqual(UNKNOWN);
  });

  test("it is corrected before the create: the only new object is used", async () => {
    await world.service.create({ name: "first" });
    world.calls();
    world.told.machineAheadMs = 0;
    loseAnswer("lostAfter");
    expect(await outcome()).toEqual(TAKEN);
  });

  test("it is corrected during the wait for the answer: the only new object is used", async () => {
    loseAnswer("lostAfter", () => {
      world.told.machineAheadMs = 0;
    });
    expect(await outcome()).toEqual(TAKEN);
  });
});

describe("a server that does not tell its time", () => {
  beforeEach(() => {
    world.told.isDated = false;
  });

  test("a machine's clock that was set back before the create: the only new object is used", async () => {
    world.told.machineAheadMs = HOUR_MS;
    await world.service.create({ name: "first" });
    world.calls();
    world.told.machineAheadMs = 0;
    loseAnswer("lostAfter");
    expect(await outcome()).toEqual(TAKEN);
  });

  test.each([HOUR_MS, -HOUR_MS])("one that is set by %i ms while the answer is awaited is no matter", async (byMs) => {
    loseAnswer("lostAfter", () => {
      world.told.machineAheadMs = byMs;
    });
    expect(await outcome()).toEqual(TAKEN);
  });

  test("one that is ahead: the outcome is unknown, and nothing is sent again", async () => {
    world.told.machineAheadMs = HOUR_MS;
    loseAnswer("lostAfter");
    expect(await outcome()).toEqual(UNKNOWN);
  });

  test("an older object of somebody else is not taken", async () => {
    loseAnswer("lostBefore", () => makeOlder(HOUR_MS / 2));
    expect(await outcome()).toEqual(UNKNOWN);
  });
});

describe("after a list that the create may share", () => {
  beforeEach(async () => {
    await world.session.services(world.emulator.projectId).list();
  });

  test("a machine that slept reads it again, and finds what was made meanwhile", async () => {
    const { id } = world.emulator.mutate.createService(ours);
    world.told.machineAheadMs = 8 * HOUR_MS;
    expect((await refusal(world.service.create(ours))).message).toContain(id);
    expect(world.calls()).toEqual([]);
  });

  test.each([HOUR_MS, -HOUR_MS])("a clock that is set by %i ms: the one new object is taken", async (byMs) => {
    world.told.machineAheadMs = byMs;
    loseAnswer("lostAfter");
    expect(await outcome()).toEqual(TAKEN);
  });
});

test("waits end neither sooner nor later where the clock is set in the middle of them", async () => {
  const lasts = async (name: string, byMs: number): Promise<number> => {
    const sinceMs = world.clock.now();
    const created = world.service.create({ name });
    await world.clock.sleep(5_000);
    world.told.machineAheadMs += byMs;
    expect((await created).failed).toBeUndefined();
    return world.clock.now() - sinceMs;
  };
  const usualMs = await lasts("usual", 0);
  expect(await lasts("ahead", HOUR_MS)).toBe(usualMs);
  expect(await lasts("back", -2 * HOUR_MS)).toBe(usualMs);
});
