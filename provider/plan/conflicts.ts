// The inputs that can never change: one row per input, with its remedy. Used by check, diff and the planners. Pure: no clock,
// no client.

import { isEqual } from "../domain/values/value";
import type { Conflict, Live, Wanted } from "./step";

export interface FixedRow<Value> {
  /** The remedy, a sentence. */
  readonly remedy: string;
  /** Whether two values count as the same. Default: by content. `live` is absent if the server does not show it. */
  isSame?(live: Value | undefined, wanted: Value): boolean;
}

export type FixedRows<Inputs> = { readonly [P in keyof Inputs]?: FixedRow<NonNullable<Inputs[P]>> };

/** The differences that no call can remove. */
export function findConflicts<Inputs>(rows: FixedRows<Inputs>, wanted: Wanted<Inputs>, live: Live<Inputs>): Conflict[] {
  const conflicts: Conflict[] = [];
  for (const property of Object.keys(rows) as (keyof Inputs & string)[]) {
    const row = rows[property];
    const asked = wanted[property];
    if (row === undefined || asked === undefined || asked === null) continue;
    const now = live[property] ?? undefined;
    if (row.isSame?.(now, asked) ?? isEqual(now, asked)) continue;
    conflicts.push({ property, live: now, wanted: asked, remedy: row.remedy });
  }
  return conflicts;
}
