// Keeps the program's values of inputs that drifted and that no call can change back. A refresh records the live values, so
// without these a later diff could not distinguish drift from a change of the program. `allowReplace` allows a replacement
// only for the latter.

import { InputError } from "../../domain/errors";
import { pick, show, type Values } from "../../domain/values/value";
import type { Conflict, Live } from "../../plan/step";
import type { Changeable } from "../resources/change";
import type { Observable } from "../resources/observation";
import { keysWhere, managedKeys } from "./state";

export function askedBefore(state: Values): Values {
  const text = state["__asked"];
  return typeof text === "string" ? (JSON.parse(text) as Values) : {};
}

/** The text that `askedBefore` parses, after a refresh. */
export function askedText(resource: Changeable, props: Values, live: Live): string | undefined {
  const managed = managedKeys(props);
  const keys = keysWhere(resource, ({ change }, key) => change === "inPlace" && managed.includes(key));
  const asked = { ...pick(props, keys), ...pick(askedBefore(props), keys) };
  const { conflicts } = resource.plan(asked, live);
  if (conflicts.length === 0) return undefined;
  return JSON.stringify(
    pick(
      asked,
      conflicts.map(({ property }) => property),
    ),
  );
}

/** `state` has the live values. Inputs that one call sends together are named together. */
export function refusedForDrift(
  resource: Observable,
  label: string,
  conflicts: readonly Conflict[],
  state: Values,
): InputError {
  const before = askedBefore(state);
  const moved = conflicts.map(
    ({ property, live }) => `${property} was changed outside Pulumi from ${show(before[property])} to ${show(live)}`,
  );
  const properties = conflicts.map(({ property }) => property);
  const kept = keysWhere(
    resource,
    ({ sentWith = "" }, key) => properties.includes(key) || properties.includes(sentWith),
  );
  return new InputError(
    properties[0] ?? "",
    `${label}: ${moved.join(", ")}, and no call changes that back; it is not replaced for that`,
    `To keep it as it is now, set ${kept.map((key) => `\`${key}: ${show(state[key])}\``).join(" and ")}. To have a new and EMPTY one in its place, give it another \`name\` and run \`pulumi up --target-replace\` with its URN.`,
  );
}
