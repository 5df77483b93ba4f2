// What a program that manages an existing object says of it: the inputs of an import.

import { isEqual, type Values } from "../domain/values/value";
import type { Resource } from "./kind";

/** The project is the configuration's business. API: the type of a service tells of its addons, but not of all. */
const UNDECLARED = new Set(["projectId", "addons"]);

/**
 * The inputs with which a program declares an object as it is. What is off is left unmanaged, as is what the server knows only
 * in part (the strategy of a fork, a free-text tag).
 */
export function declaredInputs(resource: Resource, live: Values): Values {
  const entries = Object.entries(resource.fields)
    .filter(([key, { change, none }]) => change !== "lifecycle" && !UNDECLARED.has(key) && !isOff(live[key], none))
    .filter(([key, { schema, required }]) => key === "name" || required || schema.safeParse(live[key]).success)
    .map(([key]): [string, unknown] => [key, live[key]]);
  return Object.fromEntries(entries);
}

function isOff(value: unknown, none: unknown): boolean {
  return [undefined, null, false, none].some((off) => isEqual(value, off));
}
