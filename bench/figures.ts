// Turns measurements into figures to compare: medians of repeated runs, lateness, requests, memory. Pure.
import { availableParallelism } from "node:os";
import type { Figures, Measurement, Requests, Result, Run, Summary } from "./model.ts";
import { figuresOf, operationNames } from "./model.ts";

/** One scenario of one subject: the figures of each operation; medians if it ran several times. */
export function summarize(runs: readonly Run[]): Summary {
  const summary: Summary = {};
  for (const name of operationNames) {
    const measurements = runs.flatMap((run) => run[name] ?? []);
    const [first] = measurements;
    if (first !== undefined) summary[name] = summarizeOperation(first, measurements);
  }
  return summary;
}

function summarizeOperation(first: Measurement, all: readonly Measurement[]): Figures {
  return {
    wallMs: median(all.map(({ wallMs }) => wallMs)),
    peakBytes: median(all.map(({ peakBytes }) => peakBytes)),
    stateBytes: first.stateBytes,
    requests: mostRequests(all),
    spanMs: median(all.map(spanOf)),
    lateMs: all.flatMap(latenessOf).toSorted((a, b) => a - b),
  };
}

/** The counts of the run that sent most. */
function mostRequests(all: readonly Measurement[]): Requests {
  return all.map(({ requests }) => requests).reduce((most, one) => (requestsOf(one) > requestsOf(most) ? one : most));
}

function spanOf({ created, ready }: Measurement): number {
  const [done, begun] = [Object.values(created), Object.values(ready)];
  return done.length === 0 || begun.length === 0 ? 0 : Math.max(...done) - Math.min(...begun);
}

/** From "ready on the server" to "done in Pulumi", for each created service. The floor has none on the server. */
function latenessOf({ created, ready }: Measurement): number[] {
  if (Object.keys(ready).length === 0) return [];
  return Object.entries(created).map(([name, doneMs]) => {
    const readyMs = ready[name];
    if (readyMs === undefined) throw new Error(`the server has no service ${name}`);
    return doneMs - readyMs;
  });
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The nearest rank; the values must be ascending. 0 if there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

export function getsOf(requests: Requests): number {
  const isGet = (operation: string): boolean => /^(?:get|list)/.test(operation);
  return Object.entries(requests).reduce((sum, [operation, count]) => sum + (isGet(operation) ? count : 0), 0);
}

export function requestsOf(requests: Requests): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

/** The largest memory of the provider process, over all commands. */
export function peakOf(summary: Summary): number {
  return Math.max(...Object.values(summary).map(({ peakBytes }) => peakBytes));
}

/** Pulumi: the default number of operations at once, per core. */
const PARALLEL_PER_CORE = 4;

/** For services that take equally long: the total time, as a multiple of one wave after the other. */
export function wavesOf(result: Result): number | undefined {
  const { ready, size } = result;
  if (ready.kind !== "spread" || ready.fromMs !== ready.toMs) return undefined;
  const waves = Math.ceil(size / (PARALLEL_PER_CORE * availableParallelism()));
  return (figuresOf(result, "ours", "up").spanMs + ready.fromMs) / (waves * ready.fromMs);
}

/** The lifecycle at the engine's default parallelism with the most services. */
export function largestLifecycle(results: readonly Result[], checkpoints = true): Result | undefined {
  const lifecycles = results.filter(
    (one) => one.kind === "lifecycle" && one.checkpoints === checkpoints && one.parallel === undefined,
  );
  return lifecycles.toSorted((a, b) => b.size - a.size)[0];
}
