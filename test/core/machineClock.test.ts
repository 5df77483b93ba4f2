// A create on a machine whose clock is wrong, or is set while the create is under way. Whatever it says, one object is
// made, and what is said of its time is so.

import { expect, test } from "vitest";
import { done, errorOf, fault, MINUTE_MS, world } from "./scene";
import { ORDERS, useCreates } from "./createCases";

const HOUR_MS = 60 * MINUTE_MS;

useCreates();

const setClock = (aheadMs: number) => (): void => void (world.told.machineAheadMs = aheadMs);

/** A create whose answer is lost: what it says of the one that is there. `meanwhile` happens at the server, right before it gets there. */
async function lose(kind: "lostBefore" | "lostAfter", meanwhile: () => void = () => undefined): Promise<string> {
  const match = (): boolean => {
    meanwhile();
    return true;
  };
  fault({ kind, operation: "createService", match });
  world.calls();
  const { message } = await errorOf(world.service.create(ORDERS));
  expect(world.calls()).toEqual(["createService"]);
  const there = world.emulator.state().services.filter(({ name }) => name === "orders");
  expect(there).toHaveLength(1);
  return new RegExp(`\\(${there[0]?.id}, .*\\): (.*)$`).exec(message)?.[1] ?? message;
}

const OURS = /^created within the call, equals/;
const ANOTHER = /^not created within the call, equals/;

/** Somebody else's of the same name, which no list showed before. */
const makeOlder = (): void =>
  void world.emulator.mutate.createService({ ...ORDERS, createdAt: world.clock.now() - HOUR_MS / 2 });

/** The same after another create, before which the clock was another one. */
async function loseOnceSet(aheadMs: number): Promise<string> {
  await world.service.create({ name: "first" });
  setClock(aheadMs)();
  return lose("lostAfter");
}

type Case = [what: string, aheadMs: number, end: RegExp, create: () => Promise<string>];

const CASES = Object.entries({ right: 0, "an hour ahead": HOUR_MS, "ten days behind": -240 * HOUR_MS });

test.each<Case>(
  CASES.flatMap(([how, aheadMs]): Case[] => [
    [`${how}: the new object is told as ours`, aheadMs, OURS, () => lose("lostAfter")],
    [`${how}: an older object is told from ours`, aheadMs, ANOTHER, () => lose("lostBefore", makeOlder)],
    [`${how} until the create: the new object is told as ours`, aheadMs, OURS, () => loseOnceSet(0)],
    [`${how} until the answer: the new object is told as ours`, aheadMs, OURS, () => lose("lostAfter", setClock(0))],
  ]),
)("a create that is lost, with a machine's clock that is %s", async (_what, aheadMs, end, create) => {
  setClock(aheadMs)();
  expect(await create()).toMatch(end);
});

test.each<Case>([
  ["is set ahead during the wait for the answer: no matter", 0, OURS, () => lose("lostAfter", setClock(HOUR_MS))],
  ["is set back during the wait for the answer: no matter", 0, OURS, () => lose("lostAfter", setClock(-HOUR_MS))],
  ["was set back before the create: the new object is told as ours", HOUR_MS, OURS, () => loseOnceSet(0)],
  ["is ahead: ours is told as another one", HOUR_MS, ANOTHER, () => lose("lostAfter")],
  ["is right: an older object is told from ours", 0, ANOTHER, () => lose("lostBefore", makeOlder)],
])("at a server that does not tell its time, a machine's clock that %s", async (_what, aheadMs, end, create) => {
  setClock(aheadMs)();
  world.told.isDated = false;
  expect(await create()).toMatch(end);
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
