// The figures as tables, the same for the terminal and for the document. Each figure has its baseline beside it.

import { getsOf, largestLifecycle, peakOf, quantile, requestsOf, wavesOf } from "./figures.ts";
import { count, megabytes, micro, seconds, times } from "./format.ts";
import {
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

export const TITLES: Readonly<Record<OperationName, string>> = {
  up: "up",
  preview: "preview, no change",
  refresh: "refresh",
  update: "update of all",
  destroy: "destroy",
};

export function tablesOf({ results, handlers }: Measured): Table[] {
  const lifecycles = results.filter(({ kind }) => kind === "lifecycle" || kind === "timed").map(lifecycleTable);
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
