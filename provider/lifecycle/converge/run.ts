// What a wait knows of the object that it waits for.

import type { Values } from "../../domain/values/value";
import type { Step, Wanted } from "../../plan/step";
import type { Changeable, Target } from "../resources/resource";
import type { Context } from "../session/context";

/** The object in the answer of an accepted call: often absent, and never a proof. */
export interface Answered {
  item: unknown;
}

export interface Waited extends Target {
  readonly context: Context;
  /** A 404 before this moment means that the server lags behind our own create, not that the object is lost. */
  readonly unseenUntilMs?: (() => number) | undefined;
  /** The object as last read. */
  observed?: unknown;
  /** When a change under way at the object was last observed. */
  unsettledMs?: number | undefined;
  /** The last answer; undefined until a call was sent, and where the answer was lost. */
  answered?: Answered | undefined;
  /** The server took a call, or may have taken one. */
  hasTouched: boolean;
}

// The record of one convergence under way: its object, its deadline and its progress. An error path can read it at any
// moment to report which steps landed.

export interface Run extends Waited {
  readonly resource: Changeable;
  /** Time limit of each single step; undefined when the program set a limit for the whole operation. */
  readonly stepMs?: number | undefined;
  /** The operation of the first wait: the name of the create call; undefined if the object only has to settle. */
  readonly arrival?: string | undefined;
  /** Returns what the object still lacks besides a settled status. */
  readonly missing?: ((item: unknown) => string | undefined) | undefined;
  /** The state of the object. A difference from it is read twice. */
  readonly recorded?: Values | undefined;
  /** Whether an earlier run was interrupted at a step that may have landed since. */
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

// Works on an object under its lock.

/** The time limit of the work does not include the time spent waiting for the lock. */
export function underLock<T>(target: Target, work: () => Promise<T>): Promise<T> {
  const { resource, session, id, scope } = target;
  const askedMs = session.clock.now();
  return session.locks.run(resource.lock(id, scope), () => {
    target.deadlineMs += session.clock.now() - askedMs;
    return work();
  });
}
