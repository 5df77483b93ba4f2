// From what was measured to what is compared: medians of repeated runs, lateness, requests, memory. Pure.
import type { Figures, Measurement, Requests, Run, Summary } from "./model.ts";
import { operationNames } from "./model.ts";

/** One scenario of one subject: the figures of each operation, medians where it ran several times. */
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
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    peakBytes: median(all.map(({ peakBytes }) => peakBytes)),
    stateBytes: first.stateBytes,
    requests: first.requests,
    spanMs: spanOf(first),
    lateMs: latenessOf(first),
  };
}

function spanOf({ created, ready }: Measurement): number {
  const [done, begun] = [Object.values(created), Object.values(ready)];
  return done.length === 0 || begun.length === 0 ? 0 : Math.max(...done) - Math.min(...begun);
}

/** From "ready on the server" to "done in Pulumi", for each service that was created; ascending. */
function latenessOf({ created, ready }: Measurement): number[] {
  const late = Object.entries(created).map(([name, doneMs]) => doneMs - (ready[`${name}-bench`] ?? doneMs));
  return late.toSorted((a, b) => a - b);
}

function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** The nearest rank; of ascending values. 0 where there are none. */
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

/** The largest the provider process was, in any of the commands. */
export function peakOf(summary: Summary): number {
  return Math.max(...Object.values(summary).map(({ peakBytes }) => peakBytes));
}
