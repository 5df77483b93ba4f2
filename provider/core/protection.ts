// Deletion protection as the state stores it. decideDelete.ts decides by it.

import { isProductionTag } from "../domain/sharedFields";
import { containsUnknown, show, type Values } from "../domain/values/value";
import type { Resource } from "./kind";
import { isRecorded, managedKeys, unseenUntilOf } from "./state";

/** The input that protects an object, if its kind has it. */
export const PROTECTION = "deletionProtection";
/** The input that tags an object as production, which is then protected unless the program gives the other one. */
export const TAG = "environment";

/** The mark of an owner that the program of the object does not have: the object may be deleted alone. */
export const ELSEWHERE = "elsewhere";

/** Only what holds data can be protected: a replacement loses the data of the old object. */
export function isProtectable({ fields }: Resource): boolean {
  return PROTECTION in fields;
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
  return isProtectable(resource) && effectiveFlag(inputs, live);
}

function effectiveFlag(inputs: Values, live: Values): boolean {
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
export function tagProtects(resource: Resource, props: Values): boolean {
  if (!isProtectable(resource) || isProduction(props)) return false;
  // The entry of an object that was never read has no tag. If the program gave one, it may have switched the protection off.
  return !isNeverRead(props) || hasTag(props) || !isProtectionOff(props);
}

function isNeverRead(state: Values): boolean {
  return isRecorded(state) && unseenUntilOf(state) !== undefined;
}

// What a row says of the protection, after its label. A refresh says what holds until an update, because it does not know the
// program. The preview of an update says what holds after it. So both may stand in one preview.

/** The notice of a refresh: the tag that protects the object is there now, or it is lost. */
export function changeOfTag(before: Values, after: Values): string | undefined {
  if (managedKeys(before).includes(PROTECTION)) return undefined;
  if (isProtected(after) && !isProtected(before))
    return `was tagged PROD outside Pulumi: that protects it against deletion until an update sets another tag; \`${PROTECTION}: true\` or \`false\` overrides the tag`;
  return isProtected(before) && isProduction(before) && !isProduction(after)
    ? `lost its tag PROD outside Pulumi: it is protected against deletion until an update without that tag; \`${PROTECTION}: true\` keeps it protected`
    : undefined;
}

/** The input that decides: the tag does only if the flag is not given. */
const deciding = (inputs: Values): string => (inputs[PROTECTION] === undefined ? TAG : PROTECTION);

/** Protection by an input for which the class sets Pulumi's `protect` too; the same input ends both. */
export function beginOfProtection(olds: Values, inputs: Values, isAfter = true): string | undefined {
  const key = deciding(inputs);
  if (isProtected(olds) || !isAfter || !effectiveFlag(inputs, inputs)) return undefined;
  return `protected against deletion (${key}: ${show(inputs[key])}); to unprotect it, set \`${PROTECTION}: false\` and run \`pulumi up\``;
}

/** The end of the protection, by an input, or by the tag that the object has if no input says one. */
export function endOfProtection(olds: Values, news: Values, isAfter: boolean): string | undefined {
  const key = deciding(news);
  const isUnknown = containsUnknown(news[key]);
  if (!isProtected(olds) || (isAfter && !isUnknown)) return undefined;
  const why = isUnknown
    ? `unless ${key}, which is not known yet, protects it`
    : `because ${key} is ${show(news[key] ?? olds[key])}`;
  return `is no longer protected against deletion after this update, ${why}; \`${PROTECTION}: true\` keeps it protected`;
}
