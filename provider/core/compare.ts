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
import type { Conflict, Live, Plan, Step, Wanted } from "../plan/step";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import { fixedKeys, keysWhere, managedKeys, owedEntry, owedOf, type Sent, sentOf } from "./state";

/**
 * The changed inputs that calls can set. An input that the program drops becomes null if that detaches the object. The call at
 * which a run was interrupted may still take effect, so the inputs that it sets are wanted, even if the program has the
 * recorded values again. The calls after it were never sent.
 */
export function wantedOf(resource: Resource, olds: Values, news: Values): Wanted {
  const isChanged = (field: Field, key: string): boolean => !isAsWanted(field, news[key], olds[key]);
  const changed = new Set(keysWhere(resource, isChanged));
  const owed = owedOf(olds);
  const sent = sentOf(olds).map(({ entry }) => entry);
  const isOwed = (key: string): boolean => resource.rows[key]?.calls.some((call) => sent.includes(call)) === true;
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

/** The inputs that a call changes. */
export function keysOf({ rows }: Resource, call: string): string[] {
  return Object.keys(rows).filter((key) => rows[key]?.calls.includes(call));
}

/** The plan of a run. A step that restores what an interrupted run has undone stays one, whatever the object shows by now. */
export function planOf(resource: Resource, state: Values, wanted: Wanted, live: Live): Plan {
  const { steps, conflicts } = resource.plan(wanted, live);
  const isOwed = (step: Step): boolean => owedOf(state).includes(owedEntry({ ...step, isRestore: true }));
  return { steps: steps.map((step) => (isOwed(step) ? { ...step, isRestore: true } : step)), conflicts };
}

/** What the call of a step leaves, as far as a read shows it: no password. */
export function valuesAfter({ fields }: Resource, wanted: Wanted, { properties, leaves }: Step): Values {
  return (
    leaves ??
    pick(
      wanted,
      properties.filter((key) => fields[key]?.secret !== true),
    )
  );
}

/** The values of the calls at which runs were interrupted, as far as the object shows them. */
export function landedValues({ fields }: Resource, state: Values, live: Live): Values {
  const values = valuesOf(sentOf(state));
  const landed = Object.keys(values).filter((key) => isAsWanted(fields[key], values[key], live[key]));
  return pick(values, landed);
}

/** Those of the latest call win. */
export function valuesOf(sent: readonly Sent[]): Values {
  return Object.assign({}, ...sent.toReversed().map(({ values }) => values)) as Values;
}

/** Whether the object shows what the call leaves. Whether a password has landed, no read shows. */
export function hasLanded({ fields }: Resource, { values }: Sent, live: Live): boolean {
  const all = Object.entries(values);
  return all.length > 0 && all.every(([key, value]) => isAsWanted(fields[key], value, live[key]));
}

/** What is owed but for the calls that have landed. */
export function stillOwed(resource: Resource, state: Values, live: Live): string[] {
  const landed = sentOf(state).filter((one) => hasLanded(resource, one, live));
  return owedOf(state).filter((entry) => !landed.some((one) => one.entry === entry));
}

/** The calls that may still take effect after a read. None is waited for once a refresh saves another value in its place. */
export function stillSent(resource: Resource, state: Values, live: Live): Sent[] {
  const isSame = (values: Values) => (key: string) => live[key] === undefined || isEqual(live[key], values[key]);
  return sentOf(state)
    .filter((one) => !hasLanded(resource, one, live))
    .map((one) => ({ ...one, isAccepted: one.isAccepted && Object.keys(one.values).every(isSame(state)) }));
}

/** Whether the step is a call at which a run was interrupted, with the same values. */
export function repeats(resource: Resource, wanted: Wanted, step: Step, { entry, values }: Sent): boolean {
  const after = Object.entries(valuesAfter(resource, wanted, step));
  return (
    entry === owedEntry(step) && after.every(([key, value]) => isSameValue(resource.fields[key], values[key], value))
  );
}

/** Whether the first step is a call that the server has accepted in an earlier run: it is waited for, and not sent again. */
export function isAwaited(resource: Resource, state: Values, wanted: Wanted, step: Step | undefined): step is Step {
  const sent = step && sentOf(state).find((one) => repeats(resource, wanted, step, one));
  if (step === undefined || sent?.isAccepted !== true) return false;
  // Whether a password has landed, no read shows.
  return step.properties.every((key) => resource.fields[key]?.secret !== true);
}

/** The values that the server has accepted, and for which the program now says something else. */
export function valuesTakenBack({ fields }: Resource, state: Values, wanted: Values): Values {
  const values = valuesOf(sentOf(state).filter(({ isAccepted }) => isAccepted));
  const isOver = (key: string): boolean =>
    wanted[key] !== undefined && !isAsWanted(fields[key], wanted[key], values[key]);
  return pick(values, Object.keys(values).filter(isOver));
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
    // The planner also compares with states, in which what nobody gave is absent. Of an answer that says nothing.
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
