// What a plan is made of. A plan is a value: it can be printed, compared and tested without a server.

import { show } from "../domain/value";

/** The inputs that a change is about; `null` means "taken away" (a VPC to leave). */
export type Wanted<Inputs> = { readonly [K in keyof Inputs]?: Inputs[K] | null };

/** The inputs as the server shows them: absent where it tells nothing, `null` where it tells that there is nothing. */
export type Live<Inputs> = { readonly [K in keyof Inputs]?: Inputs[K] | null };

export interface Step<Inputs = unknown> {
  /** The API's own word for the call. */
  operation: string;
  /** What the call sets. A later step of the same slot overrules the proof of an earlier one. */
  slot: string;
  /** The inputs it serves. */
  properties: readonly (keyof Inputs & string)[];
  /** What is sent, without the ids of the path. */
  request: Readonly<Record<string, unknown>>;
  /** Why, in words that may be shown: never a secret. */
  reason: string;
  /** What users of the database will notice, said in preview. */
  effect?: string;
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
  wayOut: string;
}

export interface Plan<Inputs = unknown> {
  steps: readonly Step<Inputs>[];
  conflicts: readonly Conflict[];
}

export function describeConflict(conflict: Conflict): string {
  const { property, live, wanted, wayOut } = conflict;
  return `${property}: cannot change from ${show(live)} to ${show(wanted)}. ${wayOut}`;
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
