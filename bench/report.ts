// The figures as tables: the same ones for the terminal and for the document. Each figure has its baseline beside it.

import { availableParallelism } from "node:os";
import { getsOf, peakOf, quantile, requestsOf } from "./figures.ts";
import {
  type Bound,
  type Figures,
  figuresOf,
  type Handlers,
  type OperationName,
  operationNames,
  type Result,
  type SubjectName,
  type Table,
} from "./model.ts";

export interface Measured {
  results: readonly Result[];
  handlers: Handlers;
}

const MB = 1_000_000;
/** Pulumi: so many operations at once by default. */
const PARALLEL_PER_CORE = 4;
const TITLES: Readonly<Record<OperationName, string>> = {
  up: "up",
  preview: "preview, no change",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};

export function tablesOf({ results, handlers }: Measured): Table[] {
  const lifecycles = results.filter(({ kind }) => kind === "lifecycle").map(lifecycleTable);
  return [...lifecycles, ...waitingTable(results), ...latenessTable(results), sizesTable(results, handlers)];
}

function lifecycleTable(result: Result): Table {
  const head = [
    "",
    "floor",
    "ours",
    "ratio",
    "naive",
    "requests",
    "of them GETs",
    "naive's",
    "peak memory, floor",
    "ours",
  ];
  const ran = operationNames.filter((name) => result.operations.includes(name));
  const rows = ran.map((name) => {
    const floor = figuresOf(result, "floor", name);
    const ours = figuresOf(result, "ours", name);
    const naive = result.subjects.naive?.[name];
    return [
      TITLES[name],
      seconds(floor.wallMs),
      seconds(ours.wallMs),
      times(ours.wallMs / floor.wallMs),
      naive === undefined ? "" : seconds(naive.wallMs),
      count(requestsOf(ours.requests)),
      count(getsOf(ours.requests)),
      naive === undefined ? "" : count(requestsOf(naive.requests)),
      megabytes(floor.peakBytes),
      megabytes(ours.peakBytes),
    ];
  });
  return { title: result.title, head, rows };
}

function waitingTable(results: readonly Result[]): Table[] {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  if (waits.length === 0) return [];
  const head = [
    "services",
    "GETs",
    "naive's",
    "up",
    "naive's",
    "ready to done, median",
    "99 %",
    "naive's median",
    "99 %",
  ];
  const rows = waits.map((result) => {
    const ours = figuresOf(result, "ours", "up");
    const naive = figuresOf(result, "naive", "up");
    return [
      count(result.size),
      count(getsOf(ours.requests)),
      count(getsOf(naive.requests)),
      seconds(ours.wallMs),
      seconds(naive.wallMs),
      seconds(quantile(ours.lateMs, 0.5)),
      seconds(quantile(ours.lateMs, 0.99)),
      seconds(quantile(naive.lateMs, 0.5)),
      seconds(quantile(naive.lateMs, 0.99)),
    ];
  });
  return [{ title: "Waiting: services that become ready after 2 to 20 s, `--parallel 1000`", head, rows }];
}

function latenessTable(results: readonly Result[]): Table[] {
  const late = results.filter(({ kind }) => kind === "lateness");
  if (late.length === 0) return [];
  const head = [
    "",
    "ready to done, median",
    "99 %",
    "the slowest",
    "GETs",
    "first call to last done",
    "times the floor",
  ];
  const rows = late.map((result) => {
    const { lateMs, requests } = figuresOf(result, "ours", "up");
    const moments = [quantile(lateMs, 0.5), quantile(lateMs, 0.99), quantile(lateMs, 1)].map(seconds);
    const { ratio, elapsedMs } = wavesOf(result) ?? {};
    const waves = [elapsedMs === undefined ? "" : seconds(elapsedMs), ratio === undefined ? "" : times(ratio)];
    return [result.title, ...moments, count(getsOf(requests)), ...waves];
  });
  return [{ title: "Lateness", head, rows }];
}

/** Of services that take equally long: how long all took, and how that compares with one wave after the other. */
function wavesOf(result: Result): { elapsedMs: number; ratio: number } | undefined {
  const { ready, size } = result;
  if (ready.kind !== "spread" || ready.fromMs !== ready.toMs) return undefined;
  const elapsedMs = figuresOf(result, "ours", "up").spanMs + ready.fromMs;
  const waves = Math.ceil(size / (PARALLEL_PER_CORE * availableParallelism()));
  return { elapsedMs, ratio: elapsedMs / (waves * ready.fromMs) };
}

function sizesTable(results: readonly Result[], handlers: Handlers): Table {
  const largest = largestLifecycle(results);
  const bytes = (subject: SubjectName): string => {
    const found = results.find(({ kind, subjects }) => kind === "lifecycle" && subjects[subject] !== undefined);
    return found === undefined ? "" : count(Math.round(figuresOf(found, subject, "up").stateBytes));
  };
  const { floor, ours } = handlers;
  const rows = [
    ["state of one service of an inline program, bytes", bytes("floor"), bytes("ours"), bytes("naive")],
    ["CPU of one check, µs", micro(floor.checkUs), micro(ours.checkUs), ""],
    ["CPU of one diff, µs", micro(floor.diffUs), micro(ours.diffUs), ""],
    ["CPU of one `new Service`, µs (floor: with Pulumi's stack traces)", micro(floor.newUs), micro(ours.newUs), ""],
    ["loading the entry, ms", count(Math.round(floor.loadMs)), count(Math.round(ours.loadMs)), ""],
  ];
  if (largest !== undefined) {
    const { subjects } = largest;
    const peak = (subject: SubjectName): string => {
      const summary = subjects[subject];
      return summary === undefined ? "" : megabytes(peakOf(summary));
    };
    rows.push([`peak memory of the provider process, ${largest.title}`, peak("floor"), peak("ours"), peak("naive")]);
  }
  return { title: "State, handlers and memory", head: ["", "floor", "ours", "naive"], rows };
}

/** The bounds that this package holds itself to, and whether this run kept them. */
export function boundsOf({ results, handlers }: Measured): Bound[] {
  return [
    ...lifecycleBounds(results, true),
    ...lifecycleBounds(results, false),
    ...waitBounds(results),
    ...sizeBounds(results, handlers),
  ];
}

function lifecycleBounds(results: readonly Result[], checkpoints: boolean): Bound[] {
  const largest = largestLifecycle(results, checkpoints);
  if (largest === undefined) return [];
  const ratio = (name: OperationName, most: number): Bound => {
    const measured = figuresOf(largest, "ours", name).wallMs / figuresOf(largest, "floor", name).wallMs;
    return bound(`${TITLES[name]}, ${largest.title}: times the floor`, most, measured, times);
  };
  return [
    ...(["up", "preview", "destroy"] as const).map((name) => ratio(name, 1.2)),
    ratio("refresh", 1.3),
    bound(`refresh, ${largest.title}: GETs`, 20, getsOf(figuresOf(largest, "ours", "refresh").requests), count),
  ];
}

function waitBounds(results: readonly Result[]): Bound[] {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  const lateness = results.filter(({ kind }) => kind === "lateness");
  const late = lateness.find(({ ready }) => ready.kind === "spread" && ready.slowestMs !== undefined);
  const gets = (result: Result): number => getsOf(figuresOf(result, "ours", "up").requests);
  const hundred = waits.find(({ size }) => size === 100);
  const largest = waits.at(-1);
  return [
    ...(largest === undefined ? [] : [bound(`waiting for ${largest.size}: GETs`, 60, gets(largest), count)]),
    ...(hundred === undefined || largest === undefined || hundred === largest
      ? []
      : [bound(`waiting for ${largest.size}: GETs, times those for 100`, 1.5, gets(largest) / gets(hundred), times)]),
    ...(hundred === undefined ? [] : hundredBounds(figuresOf(hundred, "ours", "up"))),
    ...(late === undefined ? [] : lateBounds(figuresOf(late, "ours", "up").lateMs)),
    ...lateness.flatMap((result) => {
      const waves = wavesOf(result);
      return waves === undefined ? [] : [bound(`${result.title}: times the floor`, 1.15, waves.ratio, times)];
    }),
  ];
}

function hundredBounds({ lateMs, requests }: Figures): Bound[] {
  const all = "100 ready over 2 to 20 s, all awaited at once";
  return [
    bound(`${all}: ready to done, median`, 250, quantile(lateMs, 0.5), seconds),
    bound(`${all}: ready to done, 99 %`, 600, quantile(lateMs, 0.99), seconds),
    bound(`${all}: GETs`, 45, getsOf(requests), count),
  ];
}

function lateBounds(lateMs: readonly number[]): Bound[] {
  return [
    bound("ready to done at default settings, median", 600, quantile(lateMs, 0.5), seconds),
    bound("ready to done at default settings, 99 %", 2_000, quantile(lateMs, 0.99), seconds),
    bound("ready to done at default settings, after 5 minutes", 5_000, quantile(lateMs, 1), seconds),
  ];
}

function sizeBounds(results: readonly Result[], { floor, ours }: Handlers): Bound[] {
  const largest = largestLifecycle(results);
  return [
    ...(largest === undefined ? [] : memoryBounds(largest)),
    bound("loading the entry, ms", 180, Math.round(ours.loadMs - floor.loadMs), count),
  ];
}

function memoryBounds(largest: Result): Bound[] {
  const { floor = {}, ours = {} } = largest.subjects;
  return [bound(`peak memory above the floor's, ${largest.title}`, 60 * MB, peakOf(ours) - peakOf(floor), megabytes)];
}

function bound(what: string, most: number, measured: number, format: (value: number) => string): Bound {
  return { what, most: format(most), measured: format(measured), holds: measured <= most };
}

function largestLifecycle(results: readonly Result[], checkpoints = true): Result | undefined {
  const lifecycles = results.filter((one) => one.kind === "lifecycle" && one.checkpoints === checkpoints);
  return lifecycles.toSorted((a, b) => b.size - a.size)[0];
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
const megabytes = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
const micro = (us: number): string => us.toFixed(1);
const count = (number: number): string => number.toLocaleString("en-US");
