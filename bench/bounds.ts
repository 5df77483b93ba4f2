// The bounds of the benchmark.

import { getsOf, largestLifecycle, peakOf, quantile, wavesOf } from "./figures.ts";
import { bound, count, MB, megabytes, seconds, times } from "./format.ts";
import { type Bound, type Figures, figuresOf, type LoadTimes, type OperationName, type Result } from "./model.ts";
import { type Measured, TITLES } from "./report.ts";

/** The bounds that this package must keep, and whether this run kept them. */
export function boundsOf({ results, loading }: Measured): Bound[] {
  return [
    ...lifecycleBounds(results, true),
    ...lifecycleBounds(results, false),
    ...results.filter(({ kind, parallel }) => kind === "lifecycle" && parallel === 1).flatMap(oneByOneBounds),
    ...results.filter(({ kind }) => kind === "timed").flatMap(timedBounds),
    ...waitBounds(results),
    ...sizeBounds(results, loading),
  ];
}

function lifecycleBounds(results: readonly Result[], checkpoints: boolean): Bound[] {
  const largest = largestLifecycle(results, checkpoints);
  if (largest === undefined) return [];
  return [
    ...(["up", "preview", "destroy"] as const).map((name) => floorBound(largest, name, 1.2)),
    floorBound(largest, "refresh", 1.3),
    bound(`refresh, ${largest.title}: GETs`, 20, getsOf(figuresOf(largest, "ours", "refresh").requests), count),
  ];
}

/** Sequential reads of one operation must not add up their pauses. */
function oneByOneBounds(result: Result): Bound[] {
  return result.operations.map((name) => floorBound(result, name, 1.5));
}

function timedBounds(result: Result): Bound[] {
  return [floorBound(result, "up", 1.15), floorBound(result, "destroy", 1.4)];
}

function floorBound(result: Result, name: OperationName, most: number): Bound {
  const ratio = figuresOf(result, "ours", name).wallMs / figuresOf(result, "floor", name).wallMs;
  return bound(`${TITLES[name]}, ${result.title}: times the floor`, most, ratio, times);
}

/** Of a wait of up to 20 seconds, for any number of services. */
const MOST_GETS = 65;

function waitBounds(results: readonly Result[]): Bound[] {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  const lateness = results.filter(({ kind }) => kind === "lateness");
  const late = lateness.find(({ ready }) => ready.kind === "spread" && ready.slowestMs !== undefined);
  const gets = (result: Result): number => getsOf(figuresOf(result, "ours", "up").requests);
  const hundred = waits.find(({ size }) => size === 100);
  const largest = waits.at(-1);
  return [
    ...(largest === undefined ? [] : [bound(`waiting for ${largest.size}: GETs`, MOST_GETS, gets(largest), count)]),
    ...(hundred === undefined || largest === undefined || hundred === largest
      ? []
      : [bound(`waiting for ${largest.size}: GETs, times those for 100`, 1.5, gets(largest) / gets(hundred), times)]),
    ...(hundred === undefined ? [] : hundredBounds(figuresOf(hundred, "ours", "up"))),
    ...(late === undefined ? [] : lateBounds(figuresOf(late, "ours", "up"))),
    ...lateness.flatMap((result) => {
      const ratio = wavesOf(result);
      return ratio === undefined ? [] : [bound(`${result.title}: times the floor`, 1.2, ratio, times)];
    }),
  ];
}

function hundredBounds({ lateMs, requests }: Figures): Bound[] {
  const all = "100 ready over 2 to 20 s, all awaited at once";
  return [
    bound(`${all}: ready to done, median`, 300, quantile(lateMs, 0.5), seconds),
    bound(`${all}: ready to done, 99 %`, 600, quantile(lateMs, 0.99), seconds),
    bound(`${all}: GETs`, MOST_GETS, getsOf(requests), count),
  ];
}

function lateBounds({ lateMs }: Figures): Bound[] {
  return [
    bound("ready to done at default settings, median", 600, quantile(lateMs, 0.5), seconds),
    bound("ready to done at default settings, 99 %", 2_000, quantile(lateMs, 0.99), seconds),
    bound("ready to done at default settings, after 5 minutes", 8_000, quantile(lateMs, 1), seconds),
  ];
}

function sizeBounds(results: readonly Result[], { floor, ours }: LoadTimes): Bound[] {
  const loading = bound("loading the entry, ms", 180, Math.round(ours - floor), count);
  const largest = largestLifecycle(results);
  if (largest === undefined) return [loading];
  const above = peakOf(largest.subjects.ours ?? {}) - peakOf(largest.subjects.floor ?? {});
  return [bound(`peak memory above the floor's, ${largest.title}`, 60 * MB, above, megabytes), loading];
}
