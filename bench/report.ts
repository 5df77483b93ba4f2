// The figures as tables, the same for the terminal and for the document. Each figure has its baseline beside it.

import { getsOf, largestLifecycle, peakOf, quantile, requestsOf, wavesOf } from "./figures.ts";
import { count, megabytes, seconds, times } from "./format.ts";
import { figuresOf, type LoadTimes, type OperationName, type Result, type SubjectName, type Table } from "./model.ts";

export interface Measured {
  results: readonly Result[];
  loading: LoadTimes;
}

export const TITLES: Readonly<Record<OperationName, string>> = {
  up: "up",
  preview: "preview, no change",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};

export function tablesOf({ results, loading }: Measured): Table[] {
  const lifecycles = results.filter(({ kind }) => kind === "lifecycle" || kind === "timed").map(lifecycleTable);
  return [...lifecycles, ...waitingTable(results), ...latenessTable(results), sizesTable(results, loading)];
}

function lifecycleTable(result: Result): Table {
  const head = ["", "floor", "ours", "ratio", "requests", "of them GETs", "peak memory, floor", "ours"];
  const rows = result.operations.map((name) => {
    const floor = figuresOf(result, "floor", name);
    const ours = figuresOf(result, "ours", name);
    return [
      TITLES[name],
      seconds(floor.wallMs),
      seconds(ours.wallMs),
      times(ours.wallMs / floor.wallMs),
      count(requestsOf(ours.requests)),
      count(getsOf(ours.requests)),
      megabytes(floor.peakBytes),
      megabytes(ours.peakBytes),
    ];
  });
  return { title: result.title, head, rows };
}

function waitingTable(results: readonly Result[]): Table[] {
  const waits = results.filter(({ kind }) => kind === "waiting").toSorted((a, b) => a.size - b.size);
  if (waits.length === 0) return [];
  const head = ["services", "GETs", "up", "ready to done, median", "99 %"];
  const rows = waits.map((result) => {
    const { requests, wallMs, lateMs } = figuresOf(result, "ours", "up");
    const late = [quantile(lateMs, 0.5), quantile(lateMs, 0.99)].map(seconds);
    return [count(result.size), count(getsOf(requests)), seconds(wallMs), ...late];
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

function sizesTable(results: readonly Result[], { floor, ours }: LoadTimes): Table {
  const largest = largestLifecycle(results);
  const rows = [["loading the entry, ms", count(Math.round(floor)), count(Math.round(ours))]];
  if (largest !== undefined) {
    const both = (format: (subject: SubjectName) => string): string[] => (["floor", "ours"] as const).map(format);
    const bytes = (subject: SubjectName): string => count(Math.round(figuresOf(largest, subject, "up").stateBytes));
    const peak = (subject: SubjectName): string => megabytes(peakOf(largest.subjects[subject] ?? {}));
    rows.push(
      ["state of one service of an inline program, bytes", ...both(bytes)],
      [`peak memory of the provider process, ${largest.title}`, ...both(peak)],
    );
  }
  return { title: "State, loading and memory", head: ["", "floor", "ours"], rows };
}
