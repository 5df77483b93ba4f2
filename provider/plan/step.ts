// What a plan is made of. A plan is a value: it can be printed, compared and tested without a server.

import { show, type Values } from "../domain/values/value";

/**
 * The inputs that a change is about; `null` means "taken away" (a VPC to leave). In a preview a value may be unknown: it
 * equals nothing, so that the plan shows what another value would bring.
 */
export type Wanted<Inputs = Values> = { readonly [K in keyof Inputs]?: Inputs[K] | null };

/** The inputs as the server shows them: absent where it tells nothing, `null` where it tells that there is nothing. */
export type Live<Inputs = Values> = { readonly [K in keyof Inputs]?: Inputs[K] | null };

/** A call with its request, and why it is made. `Calls` ties the two to the table of operations. */
export type Step<Inputs = Values, Calls extends AnyCall = AnyCall> = StepFacts<Inputs> & Calls;

/** Any call. The planner of a resource says which ones it can make. */
export interface AnyCall {
  /** The API's own word for the call. */
  readonly operation: string;
  /** What is sent, without the ids of the path. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface StepFacts<Inputs = Values> {
  /** What the call sets. A later step of the same slot overrules the proof of an earlier one. */
  slot: string;
  /** The inputs it serves. */
  properties: readonly (keyof Inputs & string)[];
  /** Why, in words that may be shown: never a secret. */
  reason: string;
  /** What users of the database will notice, said in preview. */
  effect?: string;
  /** The object, and what belongs to it, is found elsewhere afterwards. */
  movesAddresses?: true;
  /** The API answers before the work is done: an effect that shows at once may be an old value that came back. */
  isAsync?: true;
  /** Puts back what an earlier step took away: owed after an interruption, even if the program says nothing of it. */
  isAgain?: true;
  /** True once the server shows what the step was for. Absent: its 2xx is all the proof there is. */
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
  /**
   * The call that puts back what an earlier step took away, and what it sets where the program says nothing. An
   * interrupted run owes it.
   */
  readonly again?: { readonly call: Calls["operation"]; readonly value: unknown };
}

/** One row per input that changes in place, in the order of the calls. Inputs that share a call share its `steps`. */
export type Rows<Key extends string, Inputs, Calls extends AnyCall> = { readonly [P in Key]: Row<Inputs, Calls> };

/** The steps of all rows, each `steps` once. */
export function stepsOf<Key extends string, Inputs, Calls extends AnyCall>(
  rows: Rows<Key, Inputs, Calls>,
  wanted: Wanted<Inputs>,
  live: Live<Inputs>,
): Step<Inputs, Calls>[] {
  const each = Object.values<Row<Inputs, Calls>>(rows).map(({ steps }) => steps);
  return [...new Set(each)].flatMap((steps) => steps(wanted, live));
}

export function describeConflict(conflict: Conflict): string {
  const { property, live, wanted, remedy } = conflict;
  return `${property}: cannot change from ${show(live)} to ${show(wanted)}. ${remedy}`;
}

/** The plan as people read it: one line per step or conflict. */
export function explain<Inputs>(plan: Plan<Inputs>): string[] {
  return [
    ...plan.conflicts.map(describeConflict),
    ...plan.steps.map(
      (step) => `${step.operation}: ${step.reason}${step.effect === undefined ? "" : ` (${step.effect})`}`,
    ),
  ];
}
