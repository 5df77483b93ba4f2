// The scenarios, in the order of the report: each one is one stack per subject, the subjects one after the other, so
// that a busy minute of the machine affects all of them.
import { operationNames, type Scenario, type SubjectName } from "./model.ts";
import type { StackPlan } from "./stack.ts";

export interface Plan {
  sizes: readonly number[];
  runs: number;
  /** And a wait of five minutes, at default settings. */
  late: boolean;
  /** With checkpoints the engine itself takes minutes for each command on more services than this. */
  savedUpTo: number;
  /** Numbers of services of a program under `pulumi`. */
  programs: readonly number[];
}

export const QUICK: Plan = { sizes: [10, 100], runs: 1, late: false, savedUpTo: 300, programs: [300] };
export const FULL: Plan = {
  sizes: [10, 100, 300, 1_000],
  runs: 3,
  late: true,
  savedUpTo: 1_000,
  programs: [300, 1_000],
};

/** Runs of up to this many services are repeated as often as requested; the median counts. */
const REPEATED_UP_TO = 100;
/** The bounds without checkpoints are small differences of times that vary by a third: from this many services on, five runs. */
const FIVE_TIMES_FROM = 100;
/** With checkpoints, the engine takes minutes to save an update of more services than this, with any provider. */
const SAVED_UPDATE_UP_TO = 300;

export function scenariosOf({ sizes, runs, late, savedUpTo }: Plan): Scenario[] {
  const largestFirst = sizes.toSorted((a, b) => b - a);
  return [
    ...largestFirst.filter((size) => size <= savedUpTo).map((size) => lifecycle(size, true, runs)),
    ...largestFirst.map((size) => lifecycle(size, false, runs)),
    oneByOne(),
    ...largestFirst.map((size) => waiting(size)),
    timed(),
    waves(true),
    waves(false),
    ...(late ? [lateness()] : []),
  ];
}

/** Services that are ready at once, with and without the engine's checkpoints. */
function lifecycle(size: number, checkpoints: boolean, runs: number): Scenario {
  return {
    kind: "lifecycle",
    title: `${size} services, ready at once, ${checkpoints ? "with" : "without"} checkpoints`,
    size,
    checkpoints,
    ready: { kind: "atOnce" },
    subjects: ["floor", "ours"],
    operations: operationNames.filter((name) => name !== "update" || !checkpoints || size <= SAVED_UPDATE_UP_TO),
    runs: runsOf(size, checkpoints, runs),
  };
}

/** As with `--parallel 1`, or in a chain of dependencies. */
function oneByOne(): Scenario {
  return { ...lifecycle(30, false, 3), title: "30 services, one at a time (--parallel 1)", parallel: 1 };
}

function runsOf(size: number, checkpoints: boolean, runs: number): number {
  if (size >= FIVE_TIMES_FROM && !checkpoints) return 5;
  return size <= REPEATED_UP_TO ? runs : 1;
}

/** Services that become ready over 2 to 20 s, all awaited at once. */
function waiting(size: number): Scenario {
  return {
    kind: "waiting",
    title: `${size} services, ready after 2 to 20 s, --parallel 1000`,
    size,
    checkpoints: false,
    parallel: 1_000,
    ready: { kind: "spread", fromMs: 2_000, toMs: 20_000, of: size },
    subjects: ["ours"],
    operations: ["up"],
    runs: size <= REPEATED_UP_TO ? 3 : 1,
  };
}

/** How late our own waits see that services are ready, at the engine's default parallelism. */
const LATENESS = { kind: "lateness", size: 100, subjects: ["ours"], operations: ["up"], runs: 1 } as const;

/** As many at once as the engine's default, all of equal duration. */
function waves(checkpoints: boolean): Scenario {
  return {
    ...LATENESS,
    title: `100 services, ready after 2 s each, ${checkpoints ? "default settings" : "without checkpoints"}`,
    checkpoints,
    ready: { kind: "spread", fromMs: 2_000, toMs: 2_000, of: LATENESS.size },
  };
}

/** All defaults of the engine and of the provider. */
function lateness(): Scenario {
  return {
    ...LATENESS,
    title: "100 services, ready after 2 to 20 s and one after 5 minutes, default settings",
    checkpoints: true,
    ready: { kind: "spread", fromMs: 2_000, toMs: 20_000, of: LATENESS.size, slowestMs: 300_000 },
  };
}

/**
 * Operations that take a while, against handlers that only sleep as long. Each run takes another time, because a wait reads
 * at much the same ages in all of them.
 */
function timed(): Scenario {
  const takes = [1_800, 2_000, 2_200].map((createMs) => ({ createMs, deleteMs: 30 }));
  return {
    kind: "timed",
    title: "20 services, created in 1.8 to 2.2 s and deleted in 30 ms, without checkpoints",
    size: 20,
    checkpoints: false,
    ready: { kind: "atOnce" },
    takes,
    subjects: ["floor", "ours"],
    operations: ["up", "destroy"],
    runs: takes.length,
  };
}

/** One run of one subject. */
export function stackOf(scenario: Scenario, subject: SubjectName, run: number): StackPlan {
  const { takes: each, ...plan } = scenario;
  const takes = each?.[run];
  if (takes === undefined) return { ...plan, subject };
  const { createMs } = takes;
  return { ...plan, subject, takes, ready: { kind: "spread", fromMs: createMs, toMs: createMs, of: plan.size } };
}
