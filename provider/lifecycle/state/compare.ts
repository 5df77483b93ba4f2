// Computes what an operation must change: the changed inputs, and which of them a call can change. Pure.

import { InputError } from "../../domain/errors";
import type { Field } from "../../domain/fields";
import { containsUnknown } from "../../domain/values/unknown";
import { isEqual, pick, show, type Values } from "../../domain/values/value";
import { inWords } from "../../domain/values/words";
import type { Conflict, Live, Step, Wanted } from "../../plan/step";
import type { Changeable, Observable, Scope } from "../resources/resource";
import { againEntry, fieldsOf, fixedKeys, isAsWanted, keysWhere, managedKeys, owedOf } from "./state";

/** The inputs that differ from what the state records. */
function changedKeys(resource: Observable, olds: Values, news: Values): string[] {
  return keysWhere(resource, (field, key) => news[key] !== undefined && !isAsWanted(field, news[key], olds[key]));
}

/**
 * The changed inputs that calls can set. An input that the program drops becomes null if that detaches the object. The call at
 * which a run was interrupted may still take effect, so the inputs that it sets are wanted, even if the program has the
 * recorded values again. The calls after it were never sent.
 */
export function wantedOf(resource: Changeable, olds: Values, news: Values): Wanted {
  const changed = new Set(changedKeys(resource, olds, news));
  const owed = owedOf(olds);
  const [interrupted = ""] = owed;
  const isOwed = (key: string): boolean => resource.rows[key]?.calls.includes(interrupted) === true;
  const isMeant = (key: string, field: Field): boolean =>
    changed.has(key) || changed.has(field.sentWith ?? key) || isOwed(key);
  const meant = keysWhere(resource, (field, key) => field.change === "inPlace" && isMeant(key, field));
  const wanted = pick(news, meant);
  for (const [key, { whenDropped }] of fieldsOf(resource)) {
    if (whenDropped !== "detach") continue;
    const isDetachOwed = isOwed(key) && managedKeys(olds).includes(key) && news[key] === undefined;
    if (isDropped(key, olds, news) || isDetachOwed) wanted[key] = null;
  }
  // What was undone only for a change is restored, even by a later run.
  for (const [key, { again }] of Object.entries(resource.rows)) {
    if (again !== undefined && owed.includes(againEntry(again.call))) wanted[key] = news[key] ?? again.value;
  }
  return wanted;
}

export function isDropped(key: string, olds: Values, news: Values): boolean {
  return news[key] === undefined && olds[key] !== undefined && managedKeys(olds).includes(key);
}

/** An input that cannot change and has changed in the program. */
export function conflictWith(resource: Observable, property: string, old: unknown, now: unknown): Conflict {
  const remedy = resource.fixed[property]?.remedy ?? "Keep the old value.";
  return { property, live: old, wanted: now, remedy };
}

/** All the inputs that calls can set. */
export function everythingWanted(resource: Observable, inputs: Values): Wanted {
  return pick(
    inputs,
    keysWhere(resource, ({ change }) => change === "inPlace"),
  );
}

// Lists how an object differs from the program in inputs that cannot change, when no state records what the object was
// created with: before an adoption, and after an import. Pure.

/** One line for each difference. An input that the object does not show is not a difference. */
export function clashesWith(resource: Changeable, inputs: Values, item: unknown, scope: Scope): string[] {
  const live = resource.live(item, scope);
  const fixed = fieldsOf(resource).filter(([key, field]) => {
    const isComparable = live[key] !== undefined && inputs[key] !== undefined;
    return field.change === "replaces" && isComparable && !isAsWanted(field, inputs[key], live[key]);
  });
  const differences = [
    ...fixed.map(([key]) => ({ property: key, live: live[key], wanted: inputs[key] })),
    ...resource.plan(inputs, live).conflicts,
  ];
  return differences.map(
    (one) => `${one.property}: it has ${inWords(one.live)}, the program says ${inWords(one.wanted)}`,
  );
}

// Inputs that cannot change, and that the server shows with another value than the one of the create. The state keeps the
// value of the create, and beside it the shown value, which identifies the object at another address.

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

/** The values that a read has shown. */
export function shownBefore(state: Values): Values {
  const text = state["__shown"];
  return typeof text === "string" ? (JSON.parse(text) as Values) : {};
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
    `To keep it as it is now, set ${kept.map((key) => `\`${key}: ${show(state[key])}\``).join(" and ")}. To have a new and EMPTY one in its place, give it another \`name\` and run \`pulumi up --target-replace\` with its URN.`,
  );
}

// The possible effects of values that a preview does not know yet: the planner is asked as if each unknown value differed from
// the live one. Pure.

interface Possible {
  /** Effects such as restarts and moves of addresses: one sentence each, with the inputs that it depends on. */
  effects: string[];
  refusalsAndReplacements: string[];
  movesAddresses: boolean;
}

export function whatUnknownsBring(resource: Changeable, live: Live, news: Values): Possible {
  const unknown = fieldsOf(resource).filter(([key]) => containsUnknown(news[key]));
  const plans = unknown
    .filter(([, field]) => field.change === "inPlace")
    .map(([key]) => ({ key, steps: resource.plan({ [key]: news[key] }, live).steps }));
  return {
    effects: sentences(plans, live),
    refusalsAndReplacements: unknown.flatMap(([key, field]) => refusalOrReplacement(resource, key, field, news)),
    movesAddresses: plans.some(({ steps }) => steps.some((step) => step.movesAddresses)),
  };
}

/** Inputs with the same effects share one sentence. */
function sentences(plans: readonly { key: string; steps: readonly Step[] }[], live: Values): string[] {
  const keysOf = new Map<string, string[]>();
  for (const { key, steps } of plans) {
    const effects = steps.flatMap((step) => step.effect ?? []).join("; ");
    if (effects !== "") keysOf.set(effects, [...(keysOf.get(effects) ?? []), key]);
  }
  return [...keysOf].map(([effects, keys]) => {
    const isFirst = keys.every((key) => (live[key] ?? undefined) === undefined);
    const verb = keys.length === 1 ? "is" : "are";
    const when = isFirst ? "once that is known" : "if that turns out to be a change";
    return `${keys.join(" and ")} ${verb} not known yet; ${when}: ${effects}`;
  });
}

function refusalOrReplacement({ noun, parentKey }: Observable, key: string, { change }: Field, news: Values): string[] {
  const isReplaced = change === "replaces" ? key !== parentKey : news["allowReplace"] === true;
  if (change !== "fixed" && !(change === "replaces" && isReplaced)) return [];
  const end = isReplaced
    ? change === "fixed"
      ? "`up` fails for it, and a second `up` replaces it, so that its data are lost"
      : `the ${noun} is replaced`
    : "`up` fails for it, because it cannot change";
  return [`${key} is not known yet; if that turns out to be a change: ${end}`];
}
