// Deletion protection as the state stores it. view/decideDelete.ts decides by it.

import type { Values } from "../../domain/values/value";
import type { Observable } from "../resources/resource";
import { isRecorded, managedKeys, unseenUntilOf } from "./state";

/** The input that protects an object, if its kind has it. */
export const PROTECTION = "deletionProtection";

/** The mark of an owner that the program of the object does not have: the object may be deleted alone. */
export const ELSEWHERE = "elsewhere";

export function isProtectable({ fields }: Observable): boolean {
  return PROTECTION in fields;
}

/** The input whose value marks the object as production. */
export function productionTag(resource: Pick<Observable, "fields">, values: Values): string | undefined {
  return Object.entries(resource.fields).find(
    ([key, { tagsProduction }]) => tagsProduction?.(values[key]) === true,
  )?.[0];
}

/** Whether the values have a tag that marks the object as production. */
export function isProduction(resource: Pick<Observable, "fields">, values: Values): boolean {
  return productionTag(resource, values) !== undefined;
}

/** Whether the state knows the tags of its object. */
export function hasTag(resource: Observable, values: Values): boolean {
  return Object.entries(resource.fields).some(
    ([key, { tagsProduction }]) => tagsProduction !== undefined && values[key] !== undefined,
  );
}

/** The protection to store: the program's input, otherwise whether the live object is tagged as production. */
export function effectiveProtection(resource: Observable, inputs: Values, live: Values): boolean {
  if (!isProtectable(resource)) return false;
  const declared = inputs[PROTECTION];
  return typeof declared === "boolean" ? declared : isProduction(resource, live);
}

/**
 * The protection that a refresh stores. A live tag switches it on if the program does not give the flag. Only an update
 * switches it off, because a removed tag may be drift.
 */
export function protectionAfterRead(resource: Observable, state: Values, live: Values): Values {
  const isSaid = managedKeys(state).includes(PROTECTION);
  return isProtectable(resource) && isProduction(resource, live) && !isSaid ? { [PROTECTION]: true } : {};
}

export function isProtected(state: Values): boolean {
  return state[PROTECTION] === true;
}

/** Whether the object was taken after a lost answer: nobody has said yet that it is not somebody else's. */
export function isUnconfirmed(state: Values): boolean {
  return state["__unconfirmed"] !== undefined;
}

/** Whether a delete stops the object and leaves it. */
export function stopsOnDelete(state: Values): boolean {
  return state["onDelete"] === "stop";
}

/** The effective protection, under the key of the state. Later operations use it, not the program. */
export function storedProtection(resource: Observable, inputs: Values, live: Values): Values {
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
export function isRefusedByTag(resource: Observable, props: Values): boolean {
  if (!isProtectable(resource) || isProduction(resource, props)) return false;
  // The entry of an object that was never read has no tag. If the program gave one, it may have switched the protection off.
  return !isNeverRead(props) || hasTag(resource, props) || !isProtectionOff(props);
}

function isNeverRead(state: Values): boolean {
  return isRecorded(state) && unseenUntilOf(state) !== undefined;
}
