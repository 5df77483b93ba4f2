// Inputs that cannot change, and that the server shows with another value than the one of the create. The state keeps the
// value of the create, and beside it the shown value, which identifies the object at another address.

import { InputError } from "../../domain/errors";
import { isEqual, pick, show, type Values } from "../../domain/values/value";
import type { Conflict, Live } from "../../plan/step";
import type { Changeable, Observable } from "../resources/resource";
import { fixedKeys, isAsWanted, keysWhere, managedKeys } from "./state";

/** The inputs that the server shows with another value. */
export function otherWords(resource: Observable, state: Values, live: Live): string[] {
  return fixedKeys(resource, managedKeys(state)).filter(
    (key) =>
      live[key] !== undefined &&
      !isAsWanted(resource.fields[key], state[key], live[key]) &&
      !isSameWhereBothSay(state[key], live[key]),
  );
}

/** API: for the origin of a fork the server shows the project, and not the time of the copy. */
function isSameWhereBothSay(asked: unknown, shown: unknown): boolean {
  if (typeof asked !== "object" || typeof shown !== "object" || asked === null || shown === null) return false;
  const said = new Map<string, unknown>(Object.entries(shown));
  return Object.entries(asked).every(([name, value]) => !said.has(name) || isEqual(value, said.get(name)));
}

/** The text that `shownBefore` parses, after a read. */
export function shownText(resource: Observable, state: Values, live: Live): string | undefined {
  const keys = otherWords(resource, state, live);
  return keys.length === 0 ? undefined : JSON.stringify(pick(live, keys));
}

// Keeps the program's values of inputs that drifted and that no call can change back. A refresh records the live values, so
// without these a later diff could not distinguish drift from a change of the program. `allowReplace` allows a replacement
// only for the latter.

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
    `To keep it as it is now, set ${kept.map((key) => `\`${key}: ${show(state[key])}\``).join(" and ")}.`,
  );
}
