// What the forecast is worth and what it costs: the same runs with it and without it, on a clock that jumps.

import { describe, expect, test } from "vitest";
import { createDurations } from "../../../provider/lifecycle/session/learnedDurations";
import { createForecast } from "../../../provider/lifecycle/session/forecast";
import { runWaiting, type Waited, type WaitingRun } from "../../support/waitingModel";

type Run = Omit<WaitingRun, "isForecast">;

const SECOND_MS = 1_000;

/** Each takes its own time, spread evenly, in no order. */
function spread(count: number, fromMs: number, toMs: number): Run["readyAfterMs"] {
  return (index) => fromMs + (((index * 7_919) % count) / (count - 1)) * (toMs - fromMs);
}

/** Numbers from 0 to 1, the same ones for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
}

/** Two kinds of operations, in the order of the seed. */
function shuffled(seed: number, one: number, other: number): Run {
  const random = randomOf(seed);
  const each = Array.from({ length: 80 }, () => SECOND_MS * (random() < 0.5 ? one : other));
  return { count: 80, parallel: 8, readyAfterMs: (index) => each[index] ?? 0 };
}

function quantile({ lateMs }: Waited, share: number): number {
  return lateMs[Math.ceil(lateMs.length * share) - 1] ?? Number.NaN;
}

const forecast = (run: Run): Promise<Waited> => runWaiting({ ...run, isForecast: true });
const pace = (run: Run): Promise<Waited> => runWaiting({ ...run, isForecast: false });

describe("operations that take as long as those before them", () => {
  test.each([
    [1_900, 1.2],
    [2_000, 1.1],
    [2_060, 1.2],
    [3_500, 1.15],
  ])("a hundred of %i ms, eight at once: at most %f times the floor", async (ms, most) => {
    const run = { count: 100, parallel: 8, readyAfterMs: () => ms };
    const [now, before] = [await forecast(run), await pace(run)];
    expect(now.elapsedMs / (13 * ms)).toBeLessThanOrEqual(most);
    expect(now.gets / before.gets).toBeLessThanOrEqual(1.15);
  });

  test.each([0, 10])("a hundred that are ready over 2 to 20 s, with answers that take %i ms", async (answerMs) => {
    const readyAfterMs = spread(100, 2_000, 20_000);
    const now = await forecast({ count: 100, parallel: 100, readyAfterMs, answerMs });
    expect(quantile(now, 0.5)).toBeLessThanOrEqual(250);
    expect(quantile(now, 0.99)).toBeLessThanOrEqual(600);
    expect(now.gets).toBeLessThanOrEqual(45);
  });

  test("half of them are known as done within a quarter of a second, whenever they are ready", async () => {
    const random = randomOf(1);
    const medians: number[] = [];
    for (let run = 0; run < 20; run += 1) {
      const evenly = spread(100, 2_000, 20_000);
      const each = Array.from({ length: 100 }, (_, index) => evenly(index) + 100 * random());
      const now = await forecast({
        count: 100,
        parallel: 100,
        readyAfterMs: (index) => each[index] ?? 0,
        answerMs: 10,
      });
      expect(now.gets).toBeLessThanOrEqual(44);
      medians.push(quantile(now, 0.5));
    }
    expect(medians.reduce((sum, median) => sum + median, 0) / medians.length).toBeLessThanOrEqual(245);
  });

  test.each([0, 100])("a thousand of them take no more reads than the time does, at %i ms each", async (answerMs) => {
    const readyAfterMs = spread(1_000, 2_000, 20_000);
    const now = await forecast({ count: 1_000, parallel: 1_000, readyAfterMs, answerMs });
    expect(now.gets).toBeLessThanOrEqual(60);
    expect(quantile(now, 0.99)).toBeLessThanOrEqual(600 + answerMs);
  });

  test("a few of them take hardly more reads than without a forecast", async () => {
    const run = { count: 10, parallel: 10, readyAfterMs: spread(10, 2_000, 20_000) };
    expect((await forecast(run)).gets).toBeLessThanOrEqual(1.1 * (await pace(run)).gets);
  });

  test.each([0, 0.5, 1])("one that takes five minutes is at most 3 s late, whatever the jitter", async (jitter) => {
    const lateMs = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const readyAfterMs = (): number => 5 * 60 * SECOND_MS - index * 350;
        return quantile(await forecast({ count: 1, parallel: 1, readyAfterMs, random: () => jitter }), 1);
      }),
    );
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(3_000);
  });
});

describe("a forecast that is wrong", () => {
  const half = (first: number, second: number): Run => ({
    count: 80,
    parallel: 8,
    readyAfterMs: (index) => (index < 40 ? first : second) * SECOND_MS,
  });
  const modes = (one: number, other: number): Run => ({
    count: 80,
    parallel: 8,
    readyAfterMs: (index) => ((index * 7_919) % 10 < 5 ? one : other) * SECOND_MS,
  });

  test.each<[string, Run]>([
    ["twice as long", half(2, 4)],
    ["twice as long, and long", half(20, 40)],
    ["half as long", half(4, 2)],
    ["half as long, and long", half(40, 20)],
    ["two kinds in one", modes(2, 5)],
    ["two kinds in one, and long", modes(5, 20)],
    ["minutes in place of seconds", half(5, 120)],
  ])("%s: at most a tenth more reads, and nobody later", async (_, run) => {
    const [now, before] = [await forecast(run), await pace(run)];
    expect(now.gets / before.gets).toBeLessThanOrEqual(1.1);
    // Jitter stretches a pause by up to a twentieth.
    expect(quantile(now, 1)).toBeLessThanOrEqual(Math.max(1.05 * quantile(before, 1), 1.05 * SECOND_MS));
  });

  test.each([
    [2, 3],
    [2, 5],
    [1.5, 3],
    [4, 5],
  ])("two kinds of %f and %f s in any order: at most a tenth more reads, and nobody later", async (one, other) => {
    for (let seed = 1; seed <= 8; seed += 1) {
      const run = shuffled(seed, one, other);
      const [now, before] = [await forecast(run), await pace(run)];
      expect(now.gets / before.gets).toBeLessThanOrEqual(1.1);
      expect(quantile(now, 1)).toBeLessThanOrEqual(1.05 * Math.max(SECOND_MS, quantile(before, 1)));
      expect(now.elapsedMs / before.elapsedMs).toBeLessThanOrEqual(1.01);
    }
  });

  test.each([500, 1_100, 1_990, 2_000, 2_060, 3_500, 10_000])(
    "ten of %i ms, one after the other: no later and no more reads than without a forecast",
    async (ms) => {
      const run = { count: 10, parallel: 1, readyAfterMs: () => ms };
      const [now, before] = [await forecast(run), await pace(run)];
      expect(now.elapsedMs).toBeLessThanOrEqual(1.01 * before.elapsedMs);
      expect(now.gets).toBeLessThanOrEqual(before.gets);
    },
  );

  test.each([8, 20, 100])("%i at once, without an end in sight: below two reads a second", async (parallel) => {
    const random = randomOf(parallel);
    const each = Array.from({ length: 1_000 }, () => 2_000 + 18_000 * random());
    const { gets, elapsedMs } = await forecast({ count: 1_000, parallel, readyAfterMs: (index) => each[index] ?? 0 });
    expect((gets * SECOND_MS) / elapsedMs).toBeLessThan(2);
  });

  test("many that take minutes, when nothing is known: as many reads as without a forecast", async () => {
    const run = { count: 100, parallel: 100, readyAfterMs: () => 180 * SECOND_MS };
    expect((await forecast(run)).gets).toBeLessThanOrEqual(1.05 * (await pace(run)).gets);
  });
});

describe("what is learned of durations", () => {
  test("gets narrower than any of the intervals it was learned from", () => {
    const durations = createDurations(SECOND_MS);
    for (const [pending, done] of [
      [2_000, 3_000],
      [1_500, 2_200],
      [1_900, 2_500],
      [1_000, 2_100],
    ] as const) {
      durations.learn(pending, done);
    }
    const share = durations.doneBy(2_120) - durations.doneBy(1_980);
    expect(share / durations.doneBy(10_000)).toBeGreaterThan(0.5);
  });

  test("follows a change, and stays a share of one", () => {
    const durations = createDurations(SECOND_MS);
    for (let index = 0; index < 30; index += 1) durations.learn(1_900, 2_000);
    for (let index = 0; index < 20; index += 1) durations.learn(39_000, 40_000);
    expect(durations.doneBy(30_000)).toBeLessThan(0.2 * durations.doneBy(41_000));
    expect(durations.doneBy(Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(1);
    for (let index = 0; index < 10_000; index += 1) durations.learn(0, 10);
    expect(durations.doneBy(41_000)).toBeLessThanOrEqual(1);
  });
});

describe("the moment of the next read", () => {
  const create = { kind: "create", sinceMs: 0 };

  test("is the latest one where nothing is known", () => {
    const forecasts = createForecast(SECOND_MS);
    expect(forecasts.nextReadMs([], 0, 700)).toBe(700);
    expect(forecasts.nextReadMs([{ ...create, pendingMs: 60_000 }], 60_470, 61_000)).toBe(61_000);
  });

  test("is never before the earliest, nor later than jitter makes it", () => {
    const forecasts = createForecast(SECOND_MS);
    for (let index = 0; index < 50; index += 1) forecasts.learn(create, 1_950, 2_000);
    for (let pendingMs = 0; pendingMs < 4_000; pendingMs += 130) {
      const awaited = Array.from({ length: 9 }, () => ({ ...create, pendingMs }));
      const readMs = forecasts.nextReadMs(awaited, pendingMs + 470, pendingMs + 1_000);
      expect(readMs).toBeGreaterThanOrEqual(pendingMs + 470);
      expect(readMs).toBeLessThanOrEqual(pendingMs + 1_050);
    }
  });

  test("comes just after operations of the same kind used to end, and not for another kind", () => {
    const forecasts = createForecast(SECOND_MS);
    for (let index = 0; index < 50; index += 1) forecasts.learn(create, 1_950, 2_000);
    const several = (kind: string) => [1, 2, 3, 4, 5].map(() => ({ kind, sinceMs: 0, pendingMs: 1_400 }));
    const readMs = forecasts.nextReadMs(several("create"), 1_870, 2_400);
    expect(readMs).toBeGreaterThanOrEqual(1_980);
    expect(readMs).toBeLessThan(2_150);
    expect(forecasts.nextReadMs(several("resize"), 1_870, 2_400)).toBeGreaterThan(2_150);
  });
});
