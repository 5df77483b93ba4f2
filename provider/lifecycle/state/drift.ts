// Inputs that cannot change, and that the server shows with another value than the one of the create. The state keeps the
// value of the create, and beside it the shown value, which identifies the object at another address.

import { isEqual, pick, type Values } from "../../domain/values/value";
import type { Live } from "../../plan/step";
import type { Observable } from "../resources/resource";
import { fixedKeys, isAsWanted, managedKeys } from "./state";

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
