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

/** The same after another create, before which the clock was another one. */
async function loseOnceSet(aheadMs: number): Promise<string> {
  await world.service.create({ name: "first" });
  setClock(aheadMs)();
  return lose("lostAfter");
}

type Case = [what: string, aheadMs: number, end: string | RegExp, create: () => Promise<string>];

const CASES = Object.entries({ right: 0, "an hour ahead": HOUR_MS, "ten days behind": -240 * HOUR_MS });

test.each<Case>(
  CASES.flatMap(([how, aheadMs]): Case[] => [
    [`${how}: the only new object is taken`, aheadMs, TAKEN, () => lose("lostAfter")],
    [
      `${how}: no older object of somebody else is taken`,
      aheadMs,
      UNKNOWN_OUTCOME,
      () => lose("lostBefore", makeOlder),
    ],
    [`${how} until the create: the only new object is taken`, aheadMs, TAKEN, () => loseOnceSet(0)],
    [`${how} until the answer: the only new object is taken`, aheadMs, TAKEN, () => lose("lostAfter", setClock(0))],
  ]),
)(
  "a create whose answer or request is lost, with a machine's clock that is %s",
  async (_what, aheadMs, end, create) => {
    setClock(aheadMs)();
    expect(await create()).toMatch(end);
  },
);

test.each<Case>([
  ["is set ahead during the wait for the answer: no matter", 0, TAKEN, () => lose("lostAfter", setClock(HOUR_MS))],
  ["is set back during the wait for the answer: no matter", 0, TAKEN, () => lose("lostAfter", setClock(-HOUR_MS))],
  ["was set back before the create: the only new object is taken", HOUR_MS, TAKEN, () => loseOnceSet(0)],
  ["is ahead: the outcome is unknown, and nothing is sent again", HOUR_MS, UNKNOWN_OUTCOME, () => lose("lostAfter")],
  ["is right: no older object is taken", 0, UNKNOWN_OUTCOME, () => lose("lostBefore", makeOlder)],
])("at a server that does not tell its time, a machine's clock that %s", async (_what, aheadMs, end, create) => {
  setClock(aheadMs)();
  world.told.isDated = false;
  expect(await create()).toMatch(end);
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
