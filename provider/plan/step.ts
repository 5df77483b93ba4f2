// The parts of a plan. A plan is a value: it can be printed, compared and tested without a server.

import { show, type Values } from "../domain/values/value";

/**
 * The changed inputs. Only a VPC is left by dropping its input, which then is `null`. In a preview a value may be unknown. It
 * equals nothing, so that the plan shows the effects of another value.
 */
export type Wanted<Inputs = Values> = {
  readonly [K in keyof Inputs]?: Inputs[K] | (K extends "vpcId" ? null : never);
};

/**
 * The inputs as the server shows them: absent if not shown, `null` if the server shows that there is none. `hidden` names
 * those of which it shows only that there is a value.
 */
export type Live<Inputs = Values> = { readonly [K in keyof Inputs]?: Inputs[K] | null } & {
  readonly hidden?: readonly string[];
};

/** A call with its request and its reason. `Calls` types the call and the request by the table of operations. */
export type Step<Inputs = Values, Calls extends AnyCall = AnyCall> = StepFacts<Inputs> & Calls;

/** What one input takes: a step, several, or none. */
export type Steps<Inputs, Calls extends AnyCall> = Step<Inputs, Calls> | readonly Step<Inputs, Calls>[];

/** Any call. The planner of a resource defines the possible ones. */
export interface AnyCall {
  /** The API's name of the call. */
  readonly operation: string;
  /** The request, without the ids of the path. */
  readonly request: Readonly<Record<string, unknown>>;
}

interface StepFacts<Inputs = Values> {
  /** The inputs that the call changes. A later step with the same inputs overrides the proof of an earlier one. */
  properties: readonly (keyof Inputs & string)[];
  /** The values that the call leaves, where these are not the wanted ones. */
  leaves?: { readonly [K in keyof Inputs]?: unknown };
  /** The reason, for display: never a secret. */
  reason: string;
  /** The effect on users of the database, shown in the preview. */
  effect?: string;
  /** Whether the addresses of the object and of what it owns may change. */
  movesAddresses?: true;
  /** Whether the API answers before the work is done: an effect that shows at once may be an old value that came back. */
  isAsync?: true;
  /** Whether it restores what an earlier step had to undo: owed after an interruption, even if the input is not managed. */
  isRestore?: true;
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

export function describeConflict(conflict: Conflict): string {
  const { property, live, wanted, remedy } = conflict;
  return `${property}: cannot change from ${show(live)} to ${show(wanted)}. ${remedy}`;
}

export function describeStep<Inputs>({ operation, reason, effect }: Step<Inputs>): string {
  return `${operation}: ${reason}${effect === undefined ? "" : ` (${effect})`}`;
}
