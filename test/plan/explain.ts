// A plan as text: one line per step or conflict.

import { describeConflict, describeStep, type Plan } from "../../provider/plan/step";

export function explain<Inputs>({ conflicts, steps }: Plan<Inputs>): string[] {
  return [...conflicts.map(describeConflict), ...steps.map(describeStep)];
}
