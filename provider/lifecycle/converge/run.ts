// The record of one convergence under way: its object, its deadline and its progress. An error path can read it at any
// moment to report which steps landed.

import type { Step, Wanted } from "../../plan/step";
import type { Values } from "../../domain/values/value";
import type { Changeable } from "../resources/change";
import type { Waited } from "./waited";

export interface Run extends Waited {
  readonly resource: Changeable;
  /** Time limit of each single step; undefined when the program set a limit for the whole operation. */
  readonly stepMs?: number | undefined;
  /** What the first wait is for: the name of the create call; undefined when the object is only to settle. */
  readonly arrival?: string | undefined;
  /** What the object needs besides a settled status; answers what is missing. */
  readonly missing?: ((item: unknown) => string | undefined) | undefined;
  /** The recorded state of the object: a difference from it is read twice. */
  readonly recorded?: Values | undefined;
  /** An earlier run was interrupted at a step that may have landed since. */
  readonly isResumed?: boolean | undefined;
  /** The object from which the plan was made. */
  start?: unknown;
  /** The wanted values of the plan; undefined until there is a plan. */
  wanted?: Wanted | undefined;
  readonly landed: Step[];
  /** Undefined until there is a plan. */
  remaining?: readonly Step[] | undefined;
  failed?: Step | undefined;
}

export function openRun(parts: Omit<Run, "landed" | "hasTouched"> & Partial<Pick<Run, "hasTouched">>): Run {
  return { hasTouched: false, ...parts, landed: [] };
}

/** The inputs that the run changes: wanted, or changed by a step on the way. */
export function touchedBy(run: Run): ReadonlySet<string> {
  const steps = [...run.landed, ...(run.remaining ?? [])];
  return new Set([...Object.keys(run.wanted ?? {}), ...steps.flatMap((step) => step.properties)]);
}
