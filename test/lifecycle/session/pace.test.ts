// The pause of one wait. What the waits of a run cost in reads and in lateness is in readCost.

import { expect, test } from "vitest";
import { nextPauseMs } from "../../../provider/lifecycle/session/pace";
import { createTestClock } from "../../support/clock";

const pauseAt = (ageMs: number, intervalMs = 1_000, random = 0): number =>
  nextPauseMs(ageMs, { clock: createTestClock(0), intervalMs, intervalMaxMs: 15_000, random: () => random });

test("a pause is a quarter of the age, at least 100 ms, at most 500 ms, and 2 % of the age of a long wait", () => {
  const ages = [0, 400, 1_000, 2_000, 20_000, 30_000, 300_000, 3_600_000];
  expect(ages.map((ageMs) => pauseAt(ageMs))).toEqual([100, 100, 250, 500, 500, 600, 6_000, 15_000]);
});

test("a pause is scaled by the interval, and jittered downwards, so that many processes do not come back together", () => {
  expect([0, 8, 1_000].map((ageMs) => pauseAt(ageMs, 10))).toEqual([1, 2, 20]);
  expect([0, 8_000, 60_000].map((ageMs) => pauseAt(ageMs, 10_000))).toEqual([1_000, 2_000, 5_000]);
  expect(pauseAt(20_000, 1_000, 1)).toBeLessThan(500);
  expect(pauseAt(20_000, 1_000, 1)).toBeGreaterThanOrEqual(450);
});
