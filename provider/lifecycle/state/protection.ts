// Deletion protection as the state stores it, and what previews and refreshes say of it. view/decideDelete.ts decides by it.

import { containsUnknown } from "../../domain/values/unknown";
import { pick, show, type Values } from "../../domain/values/value";
import type { Observable } from "../resources/resource";
import { fieldsOf, isRecorded, managedKeys, unseenUntilOf } from "./state";

/** The input that protects an object, if its kind has it. */
const INPUT = "deletionProtection";

export function isProtectable({ fields }: Observable): boolean {
  return INPUT in fields;
}

/** The input whose value marks the object as production. */
function productionTag(resource: Pick<Observable, "fields">, values: Values): string | undefined {
  return fieldsOf(resource).find(([key, { tagsProduction }]) => tagsProduction?.(values[key]) === true)?.[0];
}

/** Whether the values have a tag that marks the object as production. */
export function isProduction(resource: Pick<Observable, "fields">, values: Values): boolean {
  return productionTag(resource, values) !== undefined;
}

/** Whether the state knows the tags of its object. */
export function hasTag(resource: Observable, values: Values): boolean {
  return fieldsOf(resource).some(
    ([key, { tagsProduction }]) => tagsProduction !== undefined && values[key] !== undefined,
  );
}

/** The protection to store: the program's input, otherwise whether the live object is tagged as production. */
export function effectiveProtection(resource: Observable, inputs: Values, live: Values): boolean {
  if (!isProtectable(resource)) return false;
  const declared = inputs[INPUT];
  return typeof declared === "boolean" ? declared : isProduction(resource, live);
}

/**
 * The protection that a refresh stores. A live tag switches it on if the program does not give the flag. Only an update
 * switches it off, because a removed tag may be drift.
 */
export function protectionAfterRead(resource: Observable, state: Values, live: Values): Values {
  const isSaid = managedKeys(state).includes(INPUT);
  return isProtectable(resource) && isProduction(resource, live) && !isSaid ? { [INPUT]: true } : {};
}

/** The protecting tag, by name and value, if the program has another one: an update sets the program's value again. */
export function tagToSetBack(resource: Observable, state: Values, live: Values): string | undefined {
  const given = pick(state, managedKeys(state));
  const tag = productionTag(resource, live);
  if (tag === undefined || given[tag] === undefined || isProduction(resource, given)) return undefined;
  return `${tag} back to ${show(given[tag])}`;
}

/** The notice that a read shows an object without the tag for which it is protected. */
export function lossOfTag(resource: Observable, label: string, state: Values, live: Values): string | undefined {
  const given = pick(state, managedKeys(state));
  const isLost = isProtected(state) && isProduction(resource, state) && !isProduction(resource, live);
  if (!isLost || given[INPUT] !== undefined) return undefined;
  const end = isProduction(resource, given)
    ? "stays protected, and the next `pulumi up` sets the tag again"
    : `stays protected until an update of it; \`${INPUT}: true\` keeps it protected after that, too`;
  return `${label} has lost its tag PROD outside Pulumi; it ${end}`;
}

export function isProtected(state: Values): boolean {
  return state[INPUT] === true;
}

/** Whether a delete stops the object and leaves it. */
export function isLeft(state: Values): boolean {
  return state["onDelete"] === "stop";
}

/** What a replacement does to the data of the old object, or to others. */
export function replacementNotice(resource: Observable, label: string, isOldLeft: boolean): string | undefined {
  const { holdsData, replacementEffect } = resource;
  if (holdsData !== true) return replacementEffect && `${label} is replaced: ${replacementEffect}`;
  return isOldLeft
    ? `${label} is replaced by a new and EMPTY one; the old one is stopped and left, with its data (onDelete: "stop")`
    : `${label} is replaced: its data are lost with the old one`;
}

/** The effective protection, under the key of the state. Later operations use it, not the program. */
export function storedProtection(resource: Observable, inputs: Values, live: Values): Values {
  return isProtectable(resource) ? { [INPUT]: effectiveProtection(resource, inputs, live) } : {};
}

/** Whether the program has switched the protection off, and not only left it out. */
export function isProtectionOff(state: Values): boolean {
  return state[INPUT] === false && managedKeys(state).includes(INPUT);
}

/** Whether a delete of this entry is refused if the live object is tagged as production. */
export function isRefusedByTag(resource: Observable, props: Values): boolean {
  if (!isProtectable(resource) || isProduction(resource, props)) return false;
  // The entry of an object that was never read has no tag, whatever the program gave.
  return !isRecorded(props) || unseenUntilOf(props) === undefined || hasTag(resource, props);
}

/** The given input for which the class also sets Pulumi's own `protect`; undefined if there is none. */
function lockReason(resource: Observable, inputs: Values): string | undefined {
  if (inputs[INPUT] === true) return `${INPUT}: true`;
  const tag = productionTag(resource, inputs);
  return tag === undefined || inputs[INPUT] !== undefined ? undefined : `${tag}: ${show(inputs[tag])}`;
}

/** The notice for a create that begins protection. */
export function protectedFromStart(resource: Observable, inputs: Values): string[] {
  const reason = isProtectable(resource) ? lockReason(resource, inputs) : undefined;
  return reason === undefined ? [] : [beginning(reason)];
}

/** The notices for an update that begins the stored protection, ends it, or restores the tag that was its reason. */
export function changeOfProtection(
  resource: Observable,
  label: string,
  { olds, news, known, isProtectedAfter }: { olds: Values; news: Values; known: Values; isProtectedAfter: boolean },
): { notes: string[]; warnings: string[] } {
  if (!isProtectable(resource)) return { notes: [], warnings: [] };
  if (isProtected(olds)) {
    const repaired = isTagSetAgain(resource, olds, known) ? ["sets the lost tag PROD again"] : [];
    return { notes: repaired, warnings: endOfProtection(resource, label, news, isProtectedAfter) };
  }
  const reason = isProtectedAfter ? lockReason(resource, known) : undefined;
  return { notes: reason === undefined ? [] : [beginning(reason)], warnings: [] };
}

/** The class sets Pulumi's `protect` too; the same input ends both. */
function beginning(reason: string): string {
  return `protected against deletion (${reason}); \`${INPUT}: false\` and \`pulumi up\` end that`;
}

/** Protected although neither the flag nor the recorded tag says so: a refresh has seen that the tag is lost. */
function isTagSetAgain(resource: Observable, olds: Values, news: Values): boolean {
  return !managedKeys(olds).includes(INPUT) && !isProduction(resource, olds) && isProduction(resource, news);
}

function endOfProtection(resource: Observable, label: string, news: Values, isProtectedAfter: boolean): string[] {
  const unknown = unknownProtector(resource, news);
  if (isProtectedAfter && unknown === undefined) return [];
  const condition = unknown === undefined ? "" : `, unless ${unknown}, which is not known yet, protects it`;
  return [
    `${label} is no longer protected against deletion after this update${condition}; \`${INPUT}: true\` keeps it protected`,
  ];
}

/** The unknown input that decides whether the object is protected. The tag decides only if the flag is not given. */
function unknownProtector(resource: Observable, news: Values): string | undefined {
  const tags = fieldsOf(resource).flatMap(([key, { tagsProduction }]) => (tagsProduction === undefined ? [] : [key]));
  const deciding = news[INPUT] === undefined ? tags : [INPUT];
  return deciding.find((key) => containsUnknown(news[key]));
}
