// What the forecast is worth and what it costs: the same runs with it and without it, on a clock that jumps.

import { describe, expect, test } from "vitest";
import { createDurations } from "../../../provider/lifecycle/session/durations";
import { createForecast } from "../../../provider/lifecycle/session/forecast";
import { runWaiting, type Waited, type WaitingRun } from "../../support/waitingModel";

type Run = Omit<WaitingRun, "isForecast">;

const SECOND_MS = 1_000;

/** Each takes its own time, spread evenly, in no order. */
function spread(count: number, fromMs: number, toMs: number): Run["readyAfterMs"] {
  return (index) => fromMs + (((index * 7_919) % count) / (count - 1)) * (toMs - fromMs);
}

function quantile({ lateMs }: Waited, share: number): number {
  return lateMs[Math.ceil(lateMs.length * share) - 1] ?? Number.NaN;
}

const forecast = (run: Run): Promise<Waited> => runWaiting({ ...run, isForecast: true });
const pace = (run: Run): Promise<Waited> => runWaiting({ ...run, isForecast: false });

describe("operations that take as long as those before them", () => {
  test.each([
    [1_900, 1.2],
    [2_000, 1.15],
    [2_060, 1.2],
    [3_500, 1.15],
  ])("a hundred of %i ms, eight at once: at most %f times the floor", async (ms, most) => {
    const run = { count: 100, parallel: 8, readyAfterMs: () => ms };
    const [now, before] = [await forecast(run), await pace(run)];
    expect(now.elapsedMs / (13 * ms)).toBeLessThanOrEqual(most);
    expect(now.gets / before.gets).toBeLessThanOrEqual(1.15);
  });

  test("a hundred that are ready over 2 to 20 s are done soon after", async () => {
    const now = await forecast({ count: 100, parallel: 100, readyAfterMs: spread(100, 2_000, 20_000) });
    expect(quantile(now, 0.5)).toBeLessThanOrEqual(250);
    expect(quantile(now, 0.99)).toBeLessThanOrEqual(600);
    expect(now.gets).toBeLessThanOrEqual(45);
  });

  test("a thousand of them take no more reads than the time does", async () => {
    const now = await forecast({ count: 1_000, parallel: 1_000, readyAfterMs: spread(1_000, 2_000, 20_000) });
    expect(now.gets).toBeLessThanOrEqual(60);
    expect(quantile(now, 0.99)).toBeLessThanOrEqual(600);
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
    const readMs = forecasts.nextReadMs([{ ...create, pendingMs: 1_400 }], 1_870, 2_400);
    expect(readMs).toBeGreaterThanOrEqual(1_980);
    expect(readMs).toBeLessThan(2_150);
    expect(forecasts.nextReadMs([{ kind: "resize", sinceMs: 0, pendingMs: 1_400 }], 1_870, 2_400)).toBeGreaterThan(
      2_150,
    );
  });
});
