// What the pace of waits costs in reads and in lateness, on a clock that jumps.

import { describe, expect, test } from "vitest";
import { nextPauseMs } from "../../../provider/lifecycle/session/pace";
import { createTestClock } from "../../support/clock";
import { createRandom } from "../../support/random";
import { runWaiting, type Waited, type WaitingRun } from "../../support/waitingModel";

const SECOND_MS = 1_000;

/** The first, four a second, and four that come sooner. */
function mostGets({ elapsedMs }: Waited): number {
  return 1 + 4 + (4 * elapsedMs) / SECOND_MS;
}

/** Each takes its own time, spread evenly, in no order. */
function spread(count: number, fromMs: number, toMs: number): WaitingRun["readyAfterMs"] {
  return (index) => fromMs + (((index * 7_919) % count) / (count - 1)) * (toMs - fromMs);
}

function quantile({ lateMs }: Waited, share: number): number {
  return lateMs[Math.ceil(lateMs.length * share) - 1] ?? Number.NaN;
}

describe("the pause", () => {
  const pauseAt = (ageMs: number, intervalMs = SECOND_MS, random = 0): number =>
    nextPauseMs(ageMs, { clock: createTestClock(0), intervalMs, intervalMaxMs: 15_000, random: () => random });

  test("is a quarter of the age, at least 100 ms, at most 500 ms, and 2 % of the age of a long wait", () => {
    const ages = [0, 400, 1_000, 2_000, 20_000, 30_000, 300_000, 3_600_000];
    expect(ages.map((ageMs) => pauseAt(ageMs))).toEqual([100, 100, 250, 500, 500, 600, 6_000, 15_000]);
  });

  test("is scaled by the interval, and jittered upwards, so that many processes do not come back together", () => {
    expect([0, 8, 1_000].map((ageMs) => pauseAt(ageMs, 10))).toEqual([1, 2, 20]);
    expect([0, 8_000, 60_000].map((ageMs) => pauseAt(ageMs, 10_000))).toEqual([1_000, 2_000, 5_000]);
    expect(pauseAt(0, SECOND_MS, 1)).toBeGreaterThan(100);
    expect(pauseAt(0, SECOND_MS, 1)).toBeLessThanOrEqual(110);
  });
});

describe("a hundred operations", () => {
  test.each([1_500, 2_060, 10_000])(
    "of %i ms, eight at once: at most 1.2 times the floor, and four reads a second after the first four",
    async (ms) => {
      const run = await runWaiting({ count: 100, parallel: 8, readyAfterMs: () => ms });
      expect(run.elapsedMs / (13 * ms)).toBeLessThanOrEqual(1.2);
      expect(run.gets).toBeLessThanOrEqual(mostGets(run));
    },
  );

  test.each([0, 10])("that are ready over 2 to 20 s, with answers that take %i ms", async (answerMs) => {
    const readyAfterMs = spread(100, 2_000, 20_000);
    const jitter = createRandom(1);
    const run = await runWaiting({ count: 100, parallel: 100, readyAfterMs, answerMs, random: () => jitter.next() });
    expect(quantile(run, 0.5)).toBeLessThanOrEqual(300);
    expect(quantile(run, 0.99)).toBeLessThanOrEqual(600);
    expect(run.gets).toBeLessThanOrEqual(65);
  });
});

test.each([1, 20])(
  "%i at once, without an end in sight: at most four reads a second after the first four",
  async (parallel) => {
    const random = createRandom(parallel);
    const readyAfterMs = (): number => 2_000 + 18_000 * random.next();
    const run = await runWaiting({ count: 10 * parallel, parallel, readyAfterMs });
    expect(run.gets).toBeLessThanOrEqual(mostGets(run));
  },
);

test("twenty of 30 ms, eight at once: each is done a tenth of a second later", async () => {
  const { lateMs } = await runWaiting({ count: 20, parallel: 8, readyAfterMs: () => 30 });
  expect(Math.max(...lateMs)).toBeLessThanOrEqual(120);
});

test.each([0, 1])("one that takes five minutes is at most 8 s late, with jitter %f", async (jitter) => {
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      runWaiting({ count: 1, parallel: 1, readyAfterMs: () => 300_000 - index * 700, random: () => jitter }),
    ),
  );
  expect(Math.max(...runs.map((run) => quantile(run, 1)))).toBeLessThanOrEqual(8_000);
  expect(Math.max(...runs.map(({ gets }) => gets))).toBeLessThanOrEqual(260);
});
