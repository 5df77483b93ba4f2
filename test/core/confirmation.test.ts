// How many reads it takes to believe an answer, and until when a new object may be invisible. The use of each row is tested
// in staleAnswers, lostAnswer, interruptions, drift, replicaSetMoves and refusals.

import { beforeEach, expect, test } from "vitest";
import {
  type Confirmation,
  CONFIRMATION,
  createAnswers,
  storedUnseenUntil,
  unseenUntil,
} from "../../provider/core/patience";
import { createTestClock } from "../support/clock";
import { MINUTE_MS } from "./scene";

/** How many of these answers it takes until the row believes one; undefined when it believes none of them. */
function believedAfter(row: Confirmation, given: readonly unknown[]): number | undefined {
  const answers = createAnswers();
  const index = given.findIndex((answer) => answers.isBelieved(answer, row));
  return index < 0 ? undefined : index + 1;
}

const rows: [string, Confirmation][] = Object.entries(CONFIRMATION);
const alternating = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? "old" : "new"));

test.each(rows)("a row: %s believes answers that agree, and none before or that keep changing", (_name, row) => {
  const equal = Array.from({ length: 40 }, () => ({ size: 1 }));
  expect(believedAfter(row, equal)).toBe(row.agreeing);
  // Answers that keep changing are believed only by its limit.
  expect(believedAfter(row, alternating)).toBe(row.most);
});

test.each<[string, string[], number, number, number[]]>([
  ["reads within one interval count once", Array<string>(40).fill("same"), 100, 3, [2_000, 3_000]],
  ["an answer between two equal ones that differs ends their row", ["a", "b", "a", "b", "a", "b"], 500, 2, []],
])("a row: with a pace, %s", async (_what, given, everyMs, agreeing, expectedMs) => {
  const clock = createTestClock(0);
  const answers = createAnswers({ clock, intervalMs: 1_000 });
  const believedMs: number[] = [];
  for (const answer of given) {
    if (answers.isBelieved(answer, { agreeing })) believedMs.push(clock.now());
    await clock.sleep(everyMs);
  }
  clock.close();
  expect(believedMs).toEqual(expectedMs);
});

const NOON = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 60 * MINUTE_MS;

let ranMs: number;
let serverMs: number;
beforeEach(() => void ([ranMs, serverMs] = [0, NOON]));

const pass = (ms: number): void => void ([ranMs, serverMs] = [ranMs + ms, serverMs + ms]);

/** A process whose clock began ahead of the server's time by so much. */
const openProcess = (aheadMs: number) => {
  const process = {
    clock: { now: () => NOON + aheadMs + ranMs, sleep: () => Promise.resolve() },
    client: { serverTime: () => serverMs },
  };
  return {
    store: () => ({ __unseenUntil: storedUnseenUntil(process, process.clock.now() + 2 * MINUTE_MS) }),
    leftBy(state: { __unseenUntil?: number | undefined }) {
      const untilMs = unseenUntil(process, state.__unseenUntil);
      return () => (untilMs?.() ?? Number.NaN) - process.clock.now();
    },
  };
};

test.each([0, -HOUR_MS, HOUR_MS])("another process, its clock ahead by %i ms, waits as long as is left", (aheadMs) => {
  const state = openProcess(10 * HOUR_MS).store();
  expect(state).toEqual({ __unseenUntil: NOON + 2 * MINUTE_MS });
  const left = openProcess(aheadMs).leftBy(state);
  pass(MINUTE_MS);
  expect(left()).toBe(MINUTE_MS);
  pass(MINUTE_MS);
  expect(left()).toBe(0);
});

test("the server's time may become known later, with its first answer", () => {
  const state = openProcess(0).store();
  serverMs += HOUR_MS;
  const left = openProcess(0).leftBy(state);
  serverMs = NOON + MINUTE_MS;
  expect(left()).toBe(MINUTE_MS);
  // An object that was seen has no such time.
  expect(openProcess(0).leftBy({})()).toBeNaN();
});

test("a time of day that was set back makes no wait longer than that for a new object", () => {
  const state = openProcess(0).store();
  serverMs -= 24 * HOUR_MS;
  const left = openProcess(0).leftBy(state);
  expect(left()).toBe(2 * MINUTE_MS);
  pass(2 * MINUTE_MS);
  expect(left()).toBe(0);
});
