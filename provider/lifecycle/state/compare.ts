// Computes what an operation must change: the changed inputs, and which of them a call can change. Pure.

import type { Field } from "../../domain/fields";
import { pick, type Values } from "../../domain/values/value";
import { inWords } from "../../domain/values/words";
import type { Conflict, Wanted } from "../../plan/step";
import type { Changeable, Observable, Scope } from "../resources/resource";
import { againEntry, fieldsOf, isAsWanted, keysWhere, managedKeys, owedOf } from "./state";

/**
 * The changed inputs that calls can set. An input that the program drops becomes null if that detaches the object. The call at
 * which a run was interrupted may still take effect, so the inputs that it sets are wanted, even if the program has the
 * recorded values again. The calls after it were never sent.
 */
export function wantedOf(resource: Changeable, olds: Values, news: Values): Wanted {
  const isChanged = (field: Field, key: string): boolean =>
    news[key] !== undefined && !isAsWanted(field, news[key], olds[key]);
  const changed = new Set(keysWhere(resource, isChanged));
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

/** One line for each difference. */
export function clashesWith(resource: Changeable, inputs: Values, item: unknown, scope: Scope): string[] {
  return differencesOf(resource, inputs, item, scope).map(
    (one) => `${one.property}: it has ${inWords(one.live)}, the program says ${inWords(one.wanted)}`,
  );
}

export function differencesOf(resource: Changeable, inputs: Values, item: unknown, scope: Scope): Difference[] {
  const live = resource.live(item, scope);
  const fixed = fieldsOf(resource).filter(([key, field]) => {
    const isComparable = live[key] !== undefined && inputs[key] !== undefined;
    return field.change === "replaces" && isComparable && !isAsWanted(field, inputs[key], live[key]);
  });
  return [
    ...fixed.map(([key]) => ({ property: key, live: live[key], wanted: inputs[key] })),
    ...resource.plan(inputs, live).conflicts,
  ];
}

type Difference = Pick<Conflict, "property" | "live" | "wanted">;

/** The values of fixed inputs as a read has shown them, where they differ from those of the create. */
export function shownBefore(state: Values): Values {
  const text = state["__shown"];
  return typeof text === "string" ? (JSON.parse(text) as Values) : {};
}
