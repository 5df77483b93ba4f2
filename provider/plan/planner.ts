// Makes the planner of a kind from its two tables: how inputs change in place, and which cannot change. Pure.

import type { Field, Fields } from "../domain/fields";
import { isEqual, type Values } from "../domain/values/value";
import type { AnyCall, Conflict, Live, Plan, Step, Steps, Wanted } from "./step";

/** How one input that changes in place is changed. */
export interface PlanRow<Inputs, Calls extends AnyCall> {
  /** Every call that may be needed. */
  readonly calls: readonly Calls["operation"][];
  readonly steps: (this: void, wanted: Wanted<Inputs>, live: Live<Inputs>) => Steps<Inputs, Calls>;
  /** The outputs that the calls may change. Only these are unknown in the preview of an update. */
  readonly touches: readonly string[];
  /**
   * The call that restores what an earlier step had to undo, and its value if the input is not managed. An interrupted run
   * owes it.
   */
  readonly restore?: { readonly call: Calls["operation"]; readonly value: unknown };
}

/** One row per input that changes in place, in the order of the calls. Inputs that share a call share its `steps`. */
export type PlanRows<Key extends string, Inputs, Calls extends AnyCall> = {
  readonly [P in Key]: PlanRow<Inputs, Calls>;
};

/**
 * The rows of a kind, and its planner: it computes the calls that turn `live` into `wanted`, and the differences that no call can remove.
 * `arrange` adds what the calls need before and after them.
 */
export function createPlanner<Inputs extends object, Calls extends AnyCall>(
  rows: PlanRows<string, Inputs, Calls>,
  fields: Fields<Inputs>,
  arrange?: (steps: Step<Inputs, Calls>[], wanted: Wanted<Inputs>, live: Live<Inputs>) => Step<Inputs, Calls>[],
): {
  readonly rows: PlanRows<string, Inputs, Calls>;
  plan(this: void, wanted: Wanted<Inputs>, live: Live<Inputs>): Plan<Inputs, Calls>;
} {
  // Inputs that share a call share its `steps`.
  const all = [...new Set(Object.values(rows).map(({ steps }) => steps))];
  return {
    rows,
    plan(wanted, live) {
      const steps = all.flatMap((row) => row(wanted, live));
      return { steps: arrange?.(steps, wanted, live) ?? steps, conflicts: findConflicts(fields, wanted, live) };
    },
  };
}

function findConflicts(fields: Readonly<Record<string, Field>>, wanted: Values, live: Values): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const [property, { remedy, agrees = isEqual }] of Object.entries(fields)) {
    const asked = wanted[property];
    if (remedy === undefined || asked === undefined) continue;
    const now = live[property] ?? undefined;
    if (!agrees(now, asked)) conflicts.push({ property, live: now, wanted: asked, remedy });
  }
  return conflicts;
}
