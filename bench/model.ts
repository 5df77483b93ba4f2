// The types of measurements and results.

export type SubjectName = "floor" | "ours";

export const operationNames = ["up", "preview", "refresh", "update", "destroy"] as const;
export type OperationName = (typeof operationNames)[number];

/** When a new service becomes ready. */
export type Readiness =
  | { kind: "atOnce" }
  /** Spread over the range, for `of` services; the first one after `slowestMs` if that is given. */
  | { kind: "spread"; fromMs: number; toMs: number; of: number; slowestMs?: number };

/** How long the server takes for each; the floor's handlers sleep as long. */
export interface Durations {
  createMs: number;
  deleteMs: number;
}

export interface Scenario {
  kind: "lifecycle" | "timed" | "waiting" | "lateness";
  title: string;
  size: number;
  /** Whether the engine saves its state at every step, as it does for users. */
  checkpoints: boolean;
  /** The engine's own default when absent. */
  parallel?: number;
  ready: Readiness;
  /** For each run. Default: what the server does takes no time. */
  takes?: readonly Durations[];
  subjects: readonly SubjectName[];
  operations: readonly OperationName[];
  runs: number;
}

/** Number of requests by operation. */
export type Requests = Readonly<Record<string, number>>;
/** Name of each service → epoch milliseconds. */
export type Moments = Readonly<Record<string, number>>;

/** The record of the probe in the provider process. */
export interface ProbeNotes {
  created: Moments;
  peakBytes: number;
  cpuMs: number;
}

/** One command of one run. */
export interface Measurement extends ProbeNotes {
  wallMs: number;
  requests: Requests;
  ready: Moments;
  stateBytes: number;
}

/** One life of one stack. A command that changes nothing is measured several times. */
export type Run = Partial<Record<OperationName, readonly Measurement[]>>;

/** One command of one subject; medians if it ran several times. */
export interface Figures {
  wallMs: number;
  peakBytes: number;
  stateBytes: number;
  requests: Requests;
  /** From the first service that was ready on the server until the last one that was done in Pulumi. */
  spanMs: number;
  /** From "ready on the server" to "done in Pulumi", for each service; ascending. */
  lateMs: number[];
}

export type Summary = Partial<Record<OperationName, Figures>>;

export interface Result extends Omit<Scenario, "subjects"> {
  subjects: Partial<Record<SubjectName, Summary>>;
}

/** How long the handlers take to load, in milliseconds. */
export type LoadTimes = Readonly<Record<SubjectName, number>>;

export interface Table {
  title: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Bound {
  what: string;
  most: string;
  measured: string;
  holds: boolean;
}

/** The figures of a command; the report asks only for commands that its scenario ran. */
export function figuresOf(result: Result, subject: SubjectName, operation: OperationName): Figures {
  const figures = result.subjects[subject]?.[operation];
  if (figures === undefined) throw new Error(`${result.title}: ${subject} did not run ${operation}`);
  return figures;
}
