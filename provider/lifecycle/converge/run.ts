// The record of one convergence under way: its object, its deadline and its progress. An error path can read it at any
// moment to report which steps landed.

import type { Step, Wanted } from "../../plan/step";
import type { Context } from "../session/context";
import type { Scope, Resource, Values } from "../resources/resource";
import type { Session } from "../session/session";

export interface RunParts {
  readonly resource: Resource;
  readonly context: Context;
  readonly session: Session;
  readonly id: string;
  readonly scope: Scope;
  /** The object in messages: "service orders (svc1234567)". */
  readonly label: string;
  deadlineMs: number;
  /** Time limit of each single step; undefined when the program set a limit for the whole operation. */
  readonly stepMs?: number | undefined;
  /** What the first wait is for: the name of the create call; undefined when the object is only to settle. */
  readonly arrival?: string | undefined;
  /** A 404 before this moment means that the server lags behind our own create, not that the object is lost. */
  readonly isNewUntilMs?: number | undefined;
  /** What the object needs besides a settled status; answers what is missing. */
  readonly missing?: ((item: unknown) => string | undefined) | undefined;
  /** The recorded state of the object: a difference from it is read twice. */
  readonly recorded?: Values | undefined;
  /** An earlier run was interrupted at a step that may have landed since. */
  readonly isResumed?: boolean | undefined;
  readonly observed?: unknown;
  readonly answered?: Answered | undefined;
  /** The server took a call, or may have taken one. */
  readonly hasTouched?: boolean;
}

/** The object in the answer of an accepted call: often absent, and never a proof. */
export interface Answered {
  item: unknown;
}

export interface Run extends Omit<RunParts, "observed" | "answered" | "hasTouched"> {
  /** The object from which the plan was made. */
  start: unknown;
  /** The object as last read. */
  observed: unknown;
  /** When a change under way at the object was last observed. */
  unsettledMs: number | undefined;
  /** The last answer; undefined until a call was sent, and where the answer was lost. */
  answered: Answered | undefined;
  /** The wanted values of the plan; undefined until there is a plan. */
  wanted: Wanted | undefined;
  readonly landed: Step[];
  /** Undefined until there is a plan. */
  remaining: readonly Step[] | undefined;
  failed: Step | undefined;
  hasTouched: boolean;
}

export function openRun(parts: RunParts): Run {
  return {
    start: undefined,
    observed: undefined,
    unsettledMs: undefined,
    answered: undefined,
    hasTouched: false,
    ...parts,
    wanted: undefined,
    landed: [],
    remaining: undefined,
    failed: undefined,
  };
}

/** The inputs that the run changes: wanted, or changed by a step on the way. */
export function touchedBy(run: Run): ReadonlySet<string> {
  const steps = [...run.landed, ...(run.remaining ?? [])];
  return new Set([...Object.keys(run.wanted ?? {}), ...steps.flatMap((step) => step.properties)]);
}
