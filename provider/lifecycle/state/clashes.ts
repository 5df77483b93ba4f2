// Lists how an object differs from the program in inputs that cannot change, when no state records what the object was
// created with: before an adoption, and after an import. Pure.

import { inWords } from "../../domain/values/words";
import type { Values } from "../../domain/values/value";
import type { Changeable } from "../resources/change";
import type { Scope } from "../resources/observation";
import { fieldsOf, isAsWanted } from "./state";

/** One line for each difference. An input that the object does not show is not a difference. */
export function clashesWith(resource: Changeable, inputs: Values, item: unknown, scope: Scope): string[] {
  const live = resource.live(item, scope);
  const fixed = fieldsOf(resource).filter(([key, field]) => {
    const isComparable = live[key] !== undefined && inputs[key] !== undefined;
    return field.change === "replaces" && isComparable && !isAsWanted(field, inputs[key], live[key]);
  });
  const differences = [
    ...fixed.map(([key]) => ({ property: key, live: live[key], wanted: inputs[key] })),
    ...resource.plan(inputs, live).conflicts,
  ];
  return differences.map(
    (one) => `${one.property}: it has ${inWords(one.live)}, the program says ${inWords(one.wanted)}`,
  );
}
