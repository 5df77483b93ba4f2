// A create on a machine whose clock is wrong, or is set while the create is under way. Whatever it says, one object is
// made, and nobody else's is taken.

import { beforeEach, describe, expect, test } from "vitest";
import { done, errorOf, MINUTE_MS, world } from "../scene";
import { ORDERS, useCreates } from "./createCases";

const HOUR_MS = 60 * MINUTE_MS;

useCreates();

const setClock = (aheadMs: number) => (): void => void (world.told.machineAheadMs = aheadMs);

/** A create whose answer is lost: what it takes or says. `meanwhile` happens at the server, right before it gets there. */
async function lose(kind: "lostBefore" | "lostAfter", meanwhile: () => void = () => undefined): Promise<string> {
  const match = (): boolean => {
    meanwhile();
    return true;
  };
  world.emulator.faults.add({ kind, operation: "createService", match });
  world.calls();
  const [kept] = await Promise.allSettled([world.service.create(ORDERS)]);
  expect(world.calls()).toEqual(["createService"]);
  const there = world.emulator.state().services.filter(({ name }) => name === "orders");
  expect(there).toHaveLength(1);
  if (kept.status === "rejected") return String(kept.reason);
  return kept.value.failed ?? (kept.value.id === there[0]?.id ? TAKEN : kept.value.id);
}

const TAKEN = "the one that is there";
const UNKNOWN_OUTCOME = /no new object that matches has appeared/;

/** Somebody else's of the same name, which no list showed before. */
const makeOlder = (): void =>
  void world.emulator.mutate.createService({ ...ORDERS, createdAt: world.clock.now() - HOUR_MS / 2 });

describe.each([
  ["right", 0],
  ["an hour ahead", HOUR_MS],
  ["ten days behind", -240 * HOUR_MS],
])("with a machine's clock that is %s", (_how, aheadMs) => {
  beforeEach(setClock(aheadMs));

  test("a create whose answer is lost takes the only new object", async () => {
    expect(await lose("lostAfter")).toBe(TAKEN);
  });

  test("a create whose request is lost does not take an older object of somebody else", async () => {
    expect(await lose("lostBefore", makeOlder)).toMatch(UNKNOWN_OUTCOME);
  });

  test("and corrected before the create, the only new object is taken", async () => {
    await world.service.create({ name: "first" });
    setClock(0)();
    expect(await lose("lostAfter")).toBe(TAKEN);
  });

  test("and corrected during the wait for the answer, the only new object is taken", async () => {
    expect(await lose("lostAfter", setClock(0))).toBe(TAKEN);
  });
});

describe("at a server that does not tell its time", () => {
  beforeEach(() => void (world.told.isDated = false));

  test.each([HOUR_MS, -HOUR_MS])(
    "a clock that is set by %i ms during the wait for the answer is no matter",
    async (byMs) => {
      expect(await lose("lostAfter", setClock(byMs))).toBe(TAKEN);
    },
  );

  test("a clock that was set back before the create takes the only new object", async () => {
    setClock(HOUR_MS)();
    await world.service.create({ name: "first" });
    setClock(0)();
    expect(await lose("lostAfter")).toBe(TAKEN);
  });

  test("with a clock that is ahead the outcome is unknown, and nothing is sent again", async () => {
    setClock(HOUR_MS)();
    expect(await lose("lostAfter")).toMatch(UNKNOWN_OUTCOME);
  });

  test("an older object of somebody else is not taken", async () => {
    expect(await lose("lostBefore", makeOlder)).toMatch(UNKNOWN_OUTCOME);
  });
});

describe("after a list that the create may share", () => {
  beforeEach(() => world.session.services(world.emulator.projectId).list());

  test("a machine that slept reads it again, and finds what was made meanwhile", async () => {
    const { id } = world.emulator.mutate.createService(ORDERS);
    setClock(8 * HOUR_MS)();
    expect((await errorOf(world.service.create(ORDERS))).message).toContain(id);
    expect(world.calls()).toEqual([]);
  });

  test.each([HOUR_MS, -HOUR_MS])("a clock that is set by %i ms takes the one new object", async (byMs) => {
    setClock(byMs)();
    expect(await lose("lostAfter")).toBe(TAKEN);
  });
});

test("waits end neither sooner nor later where the clock is set in the middle of them", async () => {
  const lasts = (name: string, byMs: number): Promise<number> =>
    world.secondsOf(async () => {
      const created = done(world.service.create({ name }));
      await world.clock.sleep(5_000);
      world.told.machineAheadMs += byMs;
      await created;
    });
  const usual = await lasts("usual", 0);
  expect(await lasts("ahead", HOUR_MS)).toBe(usual);
  expect(await lasts("back", -2 * HOUR_MS)).toBe(usual);
});
