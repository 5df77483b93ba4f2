// Deletion protection as the state stores it. view/decideDelete.ts decides by it.

import type { Values } from "../../domain/values/value";
import type { Resource } from "../resources/resource";
import { isRecorded, managedKeys, unseenUntilOf } from "./state";

/** The input that protects an object, if its kind has it. */
export const PROTECTION = "deletionProtection";
/** The input that tags an object as production, which is then protected unless the program gives the other one. */
export const TAG = "environment";

/** The mark of an owner that the program of the object does not have: the object may be deleted alone. */
export const ELSEWHERE = "elsewhere";

export function isProtectable({ fields }: Resource): boolean {
  return PROTECTION in fields;
}

/** API: answers have any text as the tag. "prod" in any case is production. */
export function isProductionTag(tag: unknown): boolean {
  return typeof tag === "string" && tag.toUpperCase() === "PROD";
}

export function isProduction(values: Values): boolean {
  return isProductionTag(values[TAG]);
}

/** Whether the state knows the tag of its object. */
export function hasTag(values: Values): boolean {
  return values[TAG] !== undefined;
}

/** The protection to store: the program's input, otherwise whether the live object is tagged as production. */
export function effectiveProtection(resource: Resource, inputs: Values, live: Values): boolean {
  if (!isProtectable(resource)) return false;
  const declared = inputs[PROTECTION];
  return typeof declared === "boolean" ? declared : isProduction(live);
}

/**
 * The protection that a refresh stores. A live tag switches it on if the program does not give the flag. Only an update
 * switches it off, because a removed tag may be drift.
 */
export function protectionAfterRead(resource: Resource, state: Values, live: Values): Values {
  const isSaid = managedKeys(state).includes(PROTECTION);
  return isProtectable(resource) && isProduction(live) && !isSaid ? { [PROTECTION]: true } : {};
}

export function isProtected(state: Values): boolean {
  return state[PROTECTION] === true;
}

/** Earlier versions could be told to stop the object in place of a delete. Such an entry never deletes it. */
export function stopsOnDelete(state: Values): boolean {
  return state["onDelete"] === "stop";
}

/** The effective protection, under the key of the state. Later operations use it, not the program. */
export function storedProtection(resource: Resource, inputs: Values, live: Values): Values {
  return isProtectable(resource) ? { [PROTECTION]: effectiveProtection(resource, inputs, live) } : {};
}

/** Whether the program has switched the protection off, and not only left it out. */
export function isProtectionOff(state: Values): boolean {
  return state[PROTECTION] === false && managedKeys(state).includes(PROTECTION);
}

/** Whether an object goes although nobody can read it: the protection is switched off, or no run has read the object yet. */
export function mayGoUnread(state: Values): boolean {
  return isProtectionOff(state) || isNeverRead(state);
}

/** Whether a delete of this entry is refused if the live object is tagged as production. */
export function isRefusedByTag(resource: Resource, props: Values): boolean {
  if (!isProtectable(resource) || isProduction(props)) return false;
  // The entry of an object that was never read has no tag. If the program gave one, it may have switched the protection off.
  return !isNeverRead(props) || hasTag(props) || !isProtectionOff(props);
}

function isNeverRead(state: Values): boolean {
  return isRecorded(state) && unseenUntilOf(state) !== undefined;
}
