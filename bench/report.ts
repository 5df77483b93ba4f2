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
  return [...lifecycles, ...waitingTable(results), sizesTable(results, loading)];
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

/** How late a wait sees that a service is ready. */
function waitingTable(results: readonly Result[]): Table[] {
  const waits = results.filter(({ kind }) => kind === "waiting" || kind === "lateness");
  if (waits.length === 0) return [];
  const head = ["", "up", "GETs", "ready to done, median", "99 %", "the slowest", "times the floor"];
  const rows = waits.map((result) => {
    const { lateMs, requests, wallMs } = figuresOf(result, "ours", "up");
    const moments = [0.5, 0.99, 1].map((share) => seconds(quantile(lateMs, share)));
    const ratio = wavesOf(result);
    return [
      result.title,
      seconds(wallMs),
      count(getsOf(requests)),
      ...moments,
      ratio === undefined ? "" : times(ratio),
    ];
  });
  return [{ title: "Waiting", head, rows }];
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
