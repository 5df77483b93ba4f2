// What an operation wants: which inputs changed, which of them a call can change, and which protection applies. Pure.

import { RefusedError } from "../../domain/errors";
import type { Field } from "../../domain/fields";
import type { Conflict, Wanted } from "../../plan/step";
import type { Resource, Values } from "../resources/resource";
import { isAsWanted, managedKeys, pendingOf, STOP_AGAIN } from "./state";

type FieldEntries = readonly (readonly [string, Field])[];

const entriesOf = new WeakMap<object, FieldEntries>();

/** The rows of the table of fields. Every handler iterates them several times, so they are cached. */
export function fieldsOf({ fields }: Resource): FieldEntries {
  const known = entriesOf.get(fields);
  if (known !== undefined) return known;
  const entries = Object.entries<Field>(fields);
  entriesOf.set(fields, entries);
  return entries;
}

/** The inputs that differ from what the state records. */
export function changedKeys(resource: Resource, olds: Values, news: Values): string[] {
  return fieldsOf(resource)
    .filter(([key, field]) => news[key] !== undefined && !isAsWanted(field, news[key], olds[key]))
    .map(([key]) => key);
}

/**
 * The changed inputs that calls can set; one that the program had set and drops becomes null where that detaches the object. The
 * call at which a run was interrupted may still take effect: the inputs that it sets are wanted, even if the program went
 * back to the recorded values. The calls after it were never sent.
 */
export function wantedOf(resource: Resource, olds: Values, news: Values): Wanted {
  const changed = new Set(changedKeys(resource, olds, news));
  const owed = pendingOf(olds);
  const [interrupted = ""] = owed;
  const isOwed = (key: string): boolean => resource.rows?.[key]?.calls.includes(interrupted) === true;
  const isMeant = (key: string, field: Field): boolean =>
    changed.has(key) || changed.has(field.sentWith ?? key) || isOwed(key);
  const wanted: Values = Object.fromEntries(
    fieldsOf(resource)
      .filter(([key, field]) => field.change === "inPlace" && isMeant(key, field) && news[key] !== undefined)
      .map(([key]) => [key, news[key]]),
  );
  for (const [key, { whenDropped }] of fieldsOf(resource)) {
    if (whenDropped !== "detach") continue;
    const isDetachOwed = isOwed(key) && managedKeys(olds).includes(key) && news[key] === undefined;
    if (isDropped(key, olds, news) || isDetachOwed) wanted[key] = null;
  }
  // A service that was started only to be changed is stopped again, even by a later run.
  if (owed.includes(STOP_AGAIN)) wanted["paused"] = news["paused"] ?? true;
  return wanted;
}

export function isDropped(key: string, olds: Values, news: Values): boolean {
  return news[key] === undefined && olds[key] !== undefined && managedKeys(olds).includes(key);
}

/** An input that cannot change and has changed in the program. */
export function conflictWith(resource: Resource, property: string, old: unknown, now: unknown): Conflict {
  const remedy = resource.fixed[property]?.remedy ?? "Keep the old value.";
  return { property, live: old, wanted: now, remedy };
}

/** All the inputs that calls can set. */
export function everythingWanted(resource: Resource, inputs: Values): Wanted {
  const wanted = fieldsOf(resource)
    .filter(([key, field]) => field.change === "inPlace" && inputs[key] !== undefined)
    .map(([key]): [string, unknown] => [key, inputs[key]]);
  return Object.fromEntries(wanted);
}

/** The protection to store: the program's input, else true exactly when the live environment is PROD. */
export function effectiveProtection(inputs: Values, live: Values): boolean | undefined {
  const declared = inputs["deletionProtection"];
  if (typeof declared === "boolean") return declared;
  return live["environment"] === "PROD";
}

/**
 * The protection that a refresh stores. A live tag PROD switches it on where the program says nothing of it; only an
 * update switches it off, because a tag that was taken away may be drift.
 */
export function protectionAfterRead({ fields }: Resource, state: Values, live: Values): Values {
  const isSaid = managedKeys(state).includes("deletionProtection");
  const isTagged = "deletionProtection" in fields && live["environment"] === "PROD";
  return isTagged && !isSaid ? { deletionProtection: true } : {};
}

export function isProtected(state: Values): boolean {
  return state["deletionProtection"] === true;
}

/** Whether a delete stops the object and leaves it. */
export function isLeft(state: Values): boolean {
  return state["onDelete"] === "stop";
}

/** What a replacement does to the data of the old object. */
export function lossBy(label: string, isOldLeft: boolean): string {
  return isOldLeft
    ? `${label} is replaced by a new and EMPTY one; the old one is stopped and left, with its data (onDelete: "stop")`
    : `${label} is replaced: its data are lost with the old one`;
}

export function refusedReplacement(label: string): RefusedError {
  return new RefusedError(
    `${label} is protected against deletion (deletionProtection is stored as true), so it is not replaced either`,
    "To really replace it, set `deletionProtection: false`, run `pulumi up`, and make this change after that.",
  );
}

/** The inputs with the effective protection: later operations go by the stored value, not by the program's. */
export function withProtection(resource: Resource, inputs: Values, live: Values): Values {
  if (!("deletionProtection" in resource.fields)) return inputs;
  return { ...inputs, deletionProtection: effectiveProtection(inputs, live) };
}
