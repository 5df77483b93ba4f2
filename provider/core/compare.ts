// Computes what an operation must change: the changed inputs, and which of them a call can change. Pure.

import type { Field } from "../domain/fields";
import {
  inWords,
  isAlike,
  isEqual,
  isPlainObject,
  membersOf,
  pick,
  type Values,
  withoutUndefined,
} from "../domain/values/value";
import type { Conflict, Live, Step, Wanted } from "../plan/step";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import { fixedKeys, isAccepted, keysWhere, managedKeys, owedEntry, owedOf, owedValuesOf } from "./state";

/**
 * The changed inputs that calls can set. An input that the program drops becomes null if that detaches the object. The call at
 * which a run was interrupted may still take effect, so the inputs that it sets are wanted, even if the program has the
 * recorded values again. The calls after it were never sent.
 */
export function wantedOf(resource: Resource, olds: Values, news: Values): Wanted {
  const isChanged = (field: Field, key: string): boolean => !isAsWanted(field, news[key], olds[key]);
  const changed = new Set(keysWhere(resource, isChanged));
  const owed = owedOf(olds);
  const [interrupted = ""] = owed;
  const isOwed = (key: string): boolean => resource.rows[key]?.calls.includes(interrupted) === true;
  const isMeant = (key: string, field: Field): boolean =>
    changed.has(key) || changed.has(field.sentWith ?? key) || isOwed(key);
  const meant = keysWhere(resource, (field, key) => field.change === "inPlace" && isMeant(key, field));
  const wanted = pick(news, meant);
  for (const [key, { whenDropped }] of Object.entries(resource.fields)) {
    if (whenDropped !== "detach") continue;
    const isLeftOut = news[key] === undefined && managedKeys(olds).includes(key);
    if (isLeftOut && (olds[key] !== undefined || isOwed(key))) wanted[key] = null;
  }
  // What was undone only for a change is restored, even by a later run.
  for (const [key, { restore }] of Object.entries(resource.rows)) {
    if (restore !== undefined && owed.includes(owedEntry({ operation: restore.call, isRestore: true })))
      wanted[key] = news[key] ?? restore.value;
  }
  return wanted;
}

/** The inputs that an owed step sets. */
export function keysOfOwed({ rows }: Resource, entry: string): string[] {
  return Object.entries(rows).flatMap(([key, { calls, restore }]) =>
    calls.includes(entry) ||
    (restore !== undefined && owedEntry({ operation: restore.call, isRestore: true }) === entry)
      ? [key]
      : [],
  );
}

/** The values of owed steps that the object shows. */
export function landedValues(resource: Resource, state: Values, live: Live): Values {
  const [values, owed] = [owedValuesOf(state), owedOf(state)];
  const landed = Object.keys(values).filter((key) => {
    // What one owed step changes and another restores has its final value before the first of them as well.
    const setting = owed.filter((entry) => keysOfOwed(resource, entry).includes(key));
    return setting.length < 2 && isAsWanted(resource.fields[key], values[key], live[key]);
  });
  return pick(values, landed);
}

/** The owed steps whose values the object does not show. What is never shown, such as a password, stays owed. */
export function stillOwed(resource: Resource, state: Values, live: Live): string[] {
  const [values, landed] = [owedValuesOf(state), landedValues(resource, state, live)];
  return owedOf(state).filter((entry) => {
    const keys = keysOfOwed(resource, entry).filter((key) => key in values);
    return keys.length === 0 || keys.some((key) => !(key in landed));
  });
}

/** Whether a step is the one that the server has accepted in an earlier run: it is waited for, and not sent again. */
export function isAwaited(resource: Resource, state: Values, wanted: Wanted, { operation, properties }: Step): boolean {
  const values = owedValuesOf(state);
  const isSame = (key: string): boolean =>
    key in values && isAsWanted(resource.fields[key], values[key], (wanted as Values)[key]);
  return isAccepted(state) && owedOf(state)[0] === operation && properties.every(isSame);
}

/** The inputs that a change sets which the server has accepted, and for which the program now says something else. */
export function inputsTakenBack(resource: Resource, state: Values, wanted: Values): string[] {
  const values = isAccepted(state) ? owedValuesOf(state) : {};
  const [accepted = ""] = owedOf(state);
  return keysOfOwed(resource, accepted).filter(
    (key) => key in values && wanted[key] !== undefined && !isAsWanted(resource.fields[key], wanted[key], values[key]),
  );
}

/**
 * Whether an input shows a value that nobody has asked for: neither the wanted one nor one of before. A text that differs from
 * the wanted one only in its form is never one of before.
 */
export function isUnasked(
  field: Field | undefined,
  wanted: unknown,
  before: readonly unknown[],
  shown: unknown,
): boolean {
  if (!isOther(field, wanted, shown)) return false;
  if (isPlainObject(wanted) && isPlainObject(shown)) {
    const ofKey = (key: string): unknown[] => before.map((value) => membersOf(value)[key]);
    return Object.keys(wanted).some((key) => isUnasked(undefined, wanted[key], ofKey(key), shown[key]));
  }
  const known = before.filter((value) => value !== undefined);
  if (known.some((value) => isBetween(value, shown, wanted))) return false;
  return isAlike(wanted, shown) || (known.length > 0 && !known.some((value) => isSameValue(field, value, shown)));
}

/** A number that a change passes on its way. */
function isBetween(from: unknown, shown: unknown, to: unknown): boolean {
  if (![from, shown, to].every((value) => typeof value === "number")) return false;
  return (Number(shown) - Number(from)) * (Number(to) - Number(shown)) > 0;
}

export function isDropped(key: string, olds: Values, news: Values): boolean {
  return news[key] === undefined && olds[key] !== undefined && managedKeys(olds).includes(key);
}

/** An input that cannot change and has changed in the program. */
export function conflictWith(resource: Resource, property: string, old: unknown, now: unknown): Conflict {
  const remedy = resource.fields[property]?.remedy ?? "Keep the old value.";
  return { property, live: old, wanted: now, remedy };
}

/** All the inputs that calls can set. */
export function everythingWanted(resource: Resource, inputs: Values): Wanted {
  return pick(
    inputs,
    keysWhere(resource, ({ change }) => change === "inPlace"),
  );
}

/** The inputs as the state has them, in the form in which the server would show them. */
export function recorded({ fields }: Resource, state: Values): Live {
  const shown = Object.entries(fields).map(([key, field]) => [key, state[key] ?? field.recorded?.(state)]);
  return withoutUndefined(Object.fromEntries(shown));
}

/** The inputs that the create sets already. Others have a call of their own. */
export function setByCreate({ fields }: Resource, inputs: Values): Live {
  const set = Object.entries(fields).map(([key, field]) => [
    key,
    field.byCreate === undefined ? inputs[key] : field.byCreate(inputs[key], inputs),
  ]);
  return withoutUndefined(Object.fromEntries(set));
}

// Lists how an object differs from the program in inputs that cannot change, when no state records what the object was
// created with: before an adoption, and after an import. Pure.

/** One line for each difference; empty if there is none. */
export function clashesWith(resource: Resource, inputs: Values, item: Reported): string {
  const lines = differencesOf(resource, inputs, item).map(
    (one) => `  ${one.property}: it has ${inWords(one.live)}, the program says ${inWords(one.wanted)}`,
  );
  return lines.join("\n");
}

export function differencesOf(resource: Resource, inputs: Values, item: Reported): Difference[] {
  const live = item.live();
  const fixed = keysWhere(
    resource,
    (field, key) => field.change === "replaces" && isOther(field, inputs[key], live[key]),
  );
  return [
    ...fixed.map((key) => ({ property: key, live: live[key], wanted: inputs[key] })),
    ...resource.plan(inputs, live).conflicts.filter(({ property }) => live[property] !== undefined),
  ];
}

type Difference = Pick<Conflict, "property" | "live" | "wanted">;

// Inputs that cannot change, and that the server shows with another value than the one of the create. The state keeps the
// value of the create, and beside it the shown value, which identifies the object at another address.

/** The inputs that the server shows with another value. */
export function otherWords(resource: Resource, state: Values, live: Live): string[] {
  return fixedKeys(resource, managedKeys(state)).filter(
    (key) => isOther(resource.fields[key], state[key], live[key]) && !isSameWhereBothSay(state[key], live[key]),
  );
}

/** API: for the origin of a fork the server shows the project, and not the time of the copy. */
function isSameWhereBothSay(asked: unknown, shown: unknown): boolean {
  if (!isPlainObject(asked) || !isPlainObject(shown)) return false;
  return Object.entries(asked).every(([name, value]) => !(name in shown) || isEqual(value, shown[name]));
}

/** The text that `shownBefore` parses, after a read. */
export function shownText(resource: Resource, state: Values, live: Live): string | undefined {
  const keys = otherWords(resource, state, live);
  return keys.length === 0 ? undefined : JSON.stringify(pick(live, keys));
}

/** What the values say of the object, except what a list shows by leaving it out. */
export function shownIn({ fields }: Resource, values: Values): string[] {
  return Object.keys(values).filter((key) => {
    const field = fields[key];
    const value = values[key] ?? undefined;
    return value !== undefined && field?.change !== "lifecycle" && !isAsWanted(field, field?.none, value);
  });
}

// What counts as a duplicate of an object that is to be created.

/** The name by which an object that cannot be read counts as a duplicate, too. */
export function nameOf(resource: Resource, inputs: Values): unknown {
  const [key = ""] = keysWhere(resource, ({ identifies }) => identifies === "name");
  return inputs[key];
}

/** The test for an object that a read has shown. */
export function duplicateOf(resource: Resource, inputs: Values): (item: Reported) => boolean {
  const name = nameOf(resource, inputs);
  const others = Object.entries(resource.fields).filter(([, { identifies }]) => identifies === true);
  return (item) =>
    isAlike(item.name, name) && others.every(([key, field]) => isAsWanted(field, inputs[key], item.live()[key]));
}

// Compares values of one input.

/** Whether the value equals the input in every member that the program gives. Other members are not managed. */
export function isAsWanted(field: Field | undefined, wanted: unknown, shown: unknown): boolean {
  if (isSameValue(field, wanted, shown)) return true;
  if (isPlainObject(wanted) && isPlainObject(shown)) {
    return Object.entries(wanted).every(([key, value]) => isEqual(value, shown[key]));
  }
  return false;
}

/** Whether both are told, and differ. What a read does not show is no difference. */
export function isOther(field: Field | undefined, wanted: unknown, shown: unknown): boolean {
  return wanted !== undefined && shown !== undefined && !isAsWanted(field, wanted, shown);
}

const isValue = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether two values are equal, or two spellings of one value: addons in another order, one moment in two time zones. */
export function isSameValue(field: Field | undefined, a: unknown, b: unknown): boolean {
  if (isEqual(a, b)) return true;
  return isValue(a) && isValue(b) && field?.isSame?.(a, b) === true;
}
