// The summary of many runs, as a table.

import { BREACHES, type Breach, type Violation } from "./judge/judge";
import type { Counts } from "./simulation";

export interface Tally {
  runs: number;
  counts: Counts;
  breaches: Record<Breach, number>;
}

export function createTally(): Tally {
  return {
    runs: 0,
    counts: {},
    breaches: Object.fromEntries(BREACHES.map((breach) => [breach, 0])) as Tally["breaches"],
  };
}

export function addRun(tally: Tally, run: { counts: Counts; violations: readonly Violation[] }): void {
  tally.runs += 1;
  for (const [what, times] of Object.entries(run.counts)) tally.counts[what] = (tally.counts[what] ?? 0) + times;
  for (const { breach } of run.violations) tally.breaches[breach] += 1;
}

const NAMES: Readonly<Record<Breach, string>> = {
  duplicate: "duplicates",
  orphan: "orphans",
  "unasked delete": "unasked deletes",
  "lost id": "lost ids",
  leak: "leaks",
  overlap: "overlaps",
  untrue: "untruths",
  "held up": "held up",
};

export function tableOf(tally: Tally, elapsedMs: number): string {
  const rows = [
    ["runs", number(tally.runs)],
    ["commands", number(tally.counts["commands"] ?? 0)],
    ["operations", listOf(tally.counts, "operation ")],
    ["requests", number(tally.counts["requests"] ?? 0)],
    ["known outputs", number(tally.counts["known outputs"] ?? 0)],
    ["faults", listOf(tally.counts, "fault ")],
    ...BREACHES.map((breach) => [NAMES[breach], number(tally.breaches[breach])]),
    ["time", `${Math.round(elapsedMs / 1000)} s`],
  ];
  return rows.map(([name = "", value = ""]) => `${name.padEnd(16)} ${value}`).join("\n");
}

function listOf(counts: Counts, prefix: string): string {
  const some = Object.entries(counts).filter(([what]) => what.startsWith(prefix));
  const sorted = some.toSorted(([, a], [, b]) => b - a);
  return sorted.map(([what, times]) => `${what.slice(prefix.length)} ${number(times)}`).join(", ");
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
