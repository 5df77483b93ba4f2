// The parts of a plan. A plan is a value: it can be printed, compared and tested without a server.

import type { Field, Fields } from "../domain/fields";
import { isEqual, show, type Values } from "../domain/values/value";

/**
 * The changed inputs; `null` means "removed" (a VPC to leave). In a preview a value may be unknown. It equals nothing, so that
 * the plan shows the effects of another value.
 */
export type Wanted<Inputs = Values> = { readonly [K in keyof Inputs]?: Inputs[K] | null };

/**
 * The inputs as the server shows them: absent if not shown, `null` if the server shows that there is none. `hidden` names
 * those of which it shows only that there is a value.
 */
export type Live<Inputs = Values> = { readonly [K in keyof Inputs]?: Inputs[K] | null } & {
  readonly hidden?: readonly string[];
};

/** A call with its request and its reason. `Calls` types the call and the request by the table of operations. */
export type Step<Inputs = Values, Calls extends AnyCall = AnyCall> = StepFacts<Inputs> & Calls;

/** Any call. The planner of a resource defines the possible ones. */
export interface AnyCall {
  /** The API's name of the call. */
  readonly operation: string;
  /** The request, without the ids of the path. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface StepFacts<Inputs = Values> {
  /** The property that the call sets. A later step of the same slot overrides the proof of an earlier one. */
  slot: string;
  /** The inputs that the call changes. */
  properties: readonly (keyof Inputs & string)[];
  /** The reason, for display: never a secret. */
  reason: string;
  /** The effect on users of the database, shown in the preview. */
  effect?: string;
  /** Whether the addresses of the object and of what it owns may change. */
  movesAddresses?: true;
  /** Whether the API answers before the work is done: an effect that shows at once may be an old value that came back. */
  isAsync?: true;
  /** Whether it restores what an earlier step had to undo: owed after an interruption, even if the input is not managed. */
  isAgain?: true;
  /** True once the server shows the effect. Absent: the 2xx of the call is the only proof. */
  proof?(live: Live<Inputs>): boolean;
}

/** A difference that no call can remove. */
export interface Conflict {
  property: string;
  live: unknown;
  wanted: unknown;
  remedy: string;
}

export interface Plan<Inputs = Values, Calls extends AnyCall = AnyCall> {
  steps: readonly Step<Inputs, Calls>[];
  conflicts: readonly Conflict[];
}

/** How one input that changes in place is changed. */
export interface Row<Inputs, Calls extends AnyCall> {
  /** Every call that may be needed. */
  readonly calls: readonly Calls["operation"][];
  readonly steps: (this: void, wanted: Wanted<Inputs>, live: Live<Inputs>) => readonly Step<Inputs, Calls>[];
  /** The outputs that the calls may change. Only these are unknown in the preview of an update. */
  readonly touches: readonly string[];
  /**
   * The call that restores what an earlier step had to undo, and its value if the input is not managed. An interrupted run
   * owes it.
   */
  readonly again?: { readonly call: Calls["operation"]; readonly value: unknown };
}

/** One row per input that changes in place, in the order of the calls. Inputs that share a call share its `steps`. */
export type Rows<Key extends string, Inputs, Calls extends AnyCall> = { readonly [P in Key]: Row<Inputs, Calls> };

/**
 * The planner of a kind: it computes the calls that turn `live` into `wanted`, and the differences that no call can remove.
 * `arrange` adds what the calls need before and after them.
 */
export function createPlanner<Inputs extends object, Calls extends AnyCall>(
  rows: Rows<string, Inputs, Calls>,
  fields: Fields<Inputs>,
  arrange: (steps: Step<Inputs, Calls>[], wanted: Wanted<Inputs>, live: Live<Inputs>) => Step<Inputs, Calls>[] = (
    steps,
  ) => steps,
): (wanted: Wanted<Inputs>, live: Live<Inputs>) => Plan<Inputs, Calls> {
  // Inputs that share a call share its `steps`.
  const all = [...new Set(Object.values(rows).map(({ steps }) => steps))];
  return (wanted, live) => ({
    steps: arrange(
      all.flatMap((steps) => steps(wanted, live)),
      wanted,
      live,
    ),
    conflicts: findConflicts(fields, wanted, live),
  });
}

function findConflicts(fields: Readonly<Record<string, Field>>, wanted: Values, live: Values): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [property, { remedy, agrees = isEqual }] of Object.entries(fields)) {
    const asked = wanted[property];
    if (remedy === undefined || asked === undefined || asked === null) continue;
    const now = live[property] ?? undefined;
    if (!agrees(now, asked)) conflicts.push({ property, live: now, wanted: asked, remedy });
  }
  return conflicts;
}

export function describeConflict(conflict: Conflict): string {
  const { property, live, wanted, remedy } = conflict;
  return `${property}: cannot change from ${show(live)} to ${show(wanted)}. ${remedy}`;
}

/** The plan as text: one line per step or conflict. */
export function explain<Inputs>(plan: Plan<Inputs>): string[] {
  return [
    ...plan.conflicts.map(describeConflict),
    ...plan.steps.map(
      (step) => `${step.operation}: ${step.reason}${step.effect === undefined ? "" : ` (${step.effect})`}`,
    ),
  ];
}
