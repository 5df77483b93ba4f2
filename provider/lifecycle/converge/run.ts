// One convergence under way: what it is about, how long it may take, and what became of it so far. It can be read at any
// moment, so that whoever ends it early can say what landed.

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
  /** What people call the object: "service orders (svc1234567)". */
  readonly label: string;
  deadlineMs: number;
  /** Time for each step of its own; undefined when the program set a limit for the whole operation. */
  readonly stepMs?: number | undefined;
  /** What the first wait is for: the create's own word, or that the object settles. */
  readonly arrival?: string | undefined;
  /** A 404 before this moment is a view that lags behind our own create, not a loss. */
  readonly isNewUntilMs?: number | undefined;
  /** What must be there besides a settled status; answers what is missing. */
  readonly missing?: ((item: unknown) => string | undefined) | undefined;
  /** What the state says the object is like: whatever differs from it is looked at twice. */
  readonly recorded?: Values | undefined;
  /** An earlier run was interrupted at a step that may have landed since. */
  readonly isResumed?: boolean | undefined;
  readonly observed?: unknown;
  readonly answered?: Answered | undefined;
  /** A call was taken, or may have been. */
  readonly hasTouched?: boolean;
}

/** What a call that was taken showed of the object: often nothing, and never a proof. */
export interface Answered {
  item: unknown;
}

export interface Run extends Omit<RunParts, "observed" | "answered" | "hasTouched"> {
  /** What the plan was made from. */
  start: unknown;
  /** The last look. */
  observed: unknown;
  /** When something was last seen under way at the object. */
  unsettledMs: number | undefined;
  /** The last answer; undefined until something was sent, and where the answer was lost. */
  answered: Answered | undefined;
  /** What the plan was made for; undefined until there is one. */
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

/** The inputs that the run is about: asked for, or changed on the way. */
export function touchedBy(run: Run): ReadonlySet<string> {
  const steps = [...run.landed, ...(run.remaining ?? [])];
  return new Set([...Object.keys(run.wanted ?? {}), ...steps.flatMap((step) => step.properties)]);
}
