// The wait itself, on a clock of its own and a view that says what the case needs.

import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiCategory, ApiError, ContractError, TransportError, WaitError } from "../../provider/domain/errors";
import { listed } from "../../provider/domain/listed";
import { type Verdict, type Wait, waitFor } from "../../provider/core/wait";
import { nextPauseMs } from "../../provider/core/pace";
import type { Reader, WaitPace } from "../../provider/core/session";
import { createTestClock, type TestClock } from "../support/clock";

interface Thing {
  status: string;
}
type Answer = Thing | undefined | Error;

let clock: TestClock;
let lines: string[];
let looksAt: number[];
beforeEach(() => {
  clock = createTestClock(0);
  lines = [];
  looksAt = [];
});
afterEach(() => {
  clock.close();
});

function pace(): WaitPace {
  return { clock, intervalMs: 1_000, intervalMaxMs: 15_000, random: () => 0 };
}

/** Answers one after the other, the last one for ever. */
function viewOf(...answers: Answer[]): Reader<Thing> {
  let index = 0;
  const answer = async (inMs: number): Promise<Thing | undefined> => {
    if (inMs > 0) await clock.sleep(inMs);
    looksAt.push(clock.now());
    const next = answers[Math.min(index, answers.length - 1)];
    index += 1;
    if (next instanceof Error) throw next;
    return next;
  };
  return {
    get: () => answer(0),
    fetch: () => answer(0),
    nextPoll: (_id, { inMs = 0 }) => answer(inMs),
    list: () => Promise.resolve(listed([])),
    absentSinceMs: () => undefined,
    shown: () => [],
    missing: () => [],
    unlisted: () => Promise.resolve([]),
    invalidate: () => undefined,
  };
}

type Answered = Verdict<Thing | undefined>;

function judge(item: Thing): Answered {
  if (item.status === "READY") return { is: "yes", answer: item, seen: "READY" };
  return { is: "notYet", seen: item.status };
}

function waitOn(view: Reader<Thing>, more: Partial<Wait<Thing, Thing | undefined>> = {}): Promise<Thing | undefined> {
  const wait: Wait<Thing, Thing | undefined> = {
    what: "resize",
    label: "service orders (svc1)",
    id: "svc1",
    judge,
    absent: () => Promise.resolve(LOST),
    deadlineMs: 60_000,
    report: (line) => lines.push(line),
    ...more,
  };
  return waitFor(view, wait, pace());
}

const LOST = { is: "never", error: new WaitError("vanished", "vanished", "it is no longer there", "") } as const;
const busy = { status: "UPGRADING" };
const ready = { status: "READY" };

function refusal(category: ApiCategory, status = 500): ApiError {
  return new ApiError({ operation: "getService", status, category }, `getService: ${status}`);
}

test("a wait ends after one last read just at the deadline, also at one that is over already", async () => {
  await expect(waitOn(viewOf(busy), { deadlineMs: 10_500 })).rejects.toThrow("not done");
  expect(looksAt.at(-1)).toBe(10_500);
  expect(await waitOn(viewOf(ready), { deadlineMs: -1 })).toEqual(ready);
  await expect(waitOn(viewOf(busy), { deadlineMs: -1 })).rejects.toThrow("not done");
});

test.each<[string, Error]>([
  ["a server error", refusal("server", 503)],
  ["too many requests", refusal("rate", 429)],
  ["a conflict", refusal("conflict", 409)],
  ["no connection", new TransportError("getService", "no", "refused")],
  ["a lost answer", new TransportError("getService", "maybe", "reset")],
  ["nonsense", new ContractError("broken-answer", "getService", "not what the contract says")],
])("one failed read: %s ends nothing, and is not heard of", async (_name, error) => {
  expect(await waitOn(viewOf(busy, error, busy, error, ready))).toEqual(ready);
  expect(lines.filter((line) => line.includes("no answer"))).toEqual([]);
});

test("one failed read is followed by the next one after the pause that the server asks for, at the latest at the deadline", async () => {
  const details = { operation: "getService", status: 503, category: "server", retryAfterMs: 7_000 } as const;
  const resting = new ApiError(details, "503");
  expect(await waitOn(viewOf(resting, resting, ready))).toEqual(ready);
  expect(looksAt).toEqual([0, 7_000, 14_000]);
  await expect(waitOn(viewOf(resting), { deadlineMs: clock.now() + 10_000 })).rejects.toThrow("not done");
  expect(looksAt.slice(3)).toEqual([14_000, 21_000, 24_000]);
});

test.each<[string, Error]>([
  ["no right", refusal("forbidden", 403)],
  ["a key that is not accepted", refusal("auth", 401)],
  ["a defect", new TypeError("reading 'x' of undefined")],
])("one failed read: %s ends it at once", async (_name, error) => {
  await expect(waitOn(viewOf(busy, error, ready))).rejects.toBe(error);
  expect(looksAt).toHaveLength(2);
});

test("an object that is not found is waited for, lost or what is awaited, as the caller says", async () => {
  const later = { is: "notYet", seen: "not visible yet" } as const;
  const absent = (): Promise<Answered> => Promise.resolve(clock.now() < 3_000 ? later : LOST);
  expect(await waitOn(viewOf(undefined, undefined, ready), { absent })).toEqual(ready);
  expect(lines[0]).toBe("resize: not visible yet");
  await expect(waitOn(viewOf(undefined), { absent })).rejects.toMatchObject({ reason: "vanished" });
  expect(looksAt.at(-1)).toBeGreaterThanOrEqual(3_000);
  const gone = (): Promise<Answered> => Promise.resolve({ is: "yes", answer: undefined, seen: "gone" });
  expect(await waitOn(viewOf(busy, undefined), { absent: gone })).toBeUndefined();
});

test("an object that is not found cannot be told while the question fails", async () => {
  let tries = 0;
  const absent = (): Promise<Answered> => {
    tries += 1;
    return tries < 3 ? Promise.reject(refusal("server", 502)) : Promise.resolve(LOST);
  };
  await expect(waitOn(viewOf(undefined), { absent })).rejects.toMatchObject({ reason: "vanished" });
  expect(tries).toBe(3);
});

const pauseAt = (ageMs: number, intervalMs = 1_000, random = 0): number =>
  nextPauseMs(ageMs, { clock: createTestClock(0), intervalMs, intervalMaxMs: 15_000, random: () => random });

test("the pace is a quarter of the age, at least 100 ms, at most 500 ms, and 2 % of the age of a long wait", () => {
  const ages = [0, 400, 1_000, 2_000, 20_000, 30_000, 300_000, 3_600_000];
  expect(ages.map((ageMs) => pauseAt(ageMs))).toEqual([100, 100, 250, 500, 500, 600, 6_000, 15_000]);
});

test("the pace is scaled by the interval, and jittered downwards, so that many processes do not come back together", () => {
  expect([0, 8, 1_000].map((ageMs) => pauseAt(ageMs, 10))).toEqual([1, 2, 20]);
  expect([0, 8_000, 60_000].map((ageMs) => pauseAt(ageMs, 10_000))).toEqual([1_000, 2_000, 5_000]);
  expect(pauseAt(20_000, 1_000, 1)).toBeLessThan(500);
  expect(pauseAt(20_000, 1_000, 1)).toBeGreaterThanOrEqual(450);
});

test("a wait takes no pause before a read that confirms the one before", async () => {
  let reads = 0;
  const twice = (item: Thing): Answered => {
    reads += 1;
    return reads < 2 ? { is: "notYet", seen: item.status, isQuiet: true, next: "own" } : { is: "yes", answer: item };
  };
  await waitOn(viewOf(ready), { judge: twice });
  expect(looksAt).toEqual([0, 0]);
  expect(lines).toEqual([]);
});
