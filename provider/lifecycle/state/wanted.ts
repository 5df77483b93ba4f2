// What an operation is about: which inputs changed, which of them a call can change, and who protects what. Pure.

import { RefusedError } from "../../domain/errors";
import type { Field } from "../../domain/fields";
import type { Conflict, Wanted } from "../../plan/step";
import type { Resource, Values } from "../resources/resource";
import { isAsWanted, managedKeys, pendingOf, STOP_AGAIN } from "./state";

type FieldEntries = readonly (readonly [string, Field])[];

const entriesOf = new WeakMap<object, FieldEntries>();

/** The rows of the table of fields. Every handler walks them several times, so they are made once. */
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
 * Of those, the ones that calls change; a VPC that the program had set and drops is to be left. The call at which a run
 * was interrupted may still take effect: what it sets is wanted, even by a program that went back to what the state
 * records. The calls after it were never sent.
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
  const vpcField = fieldsOf(resource).find(([key]) => key === "vpcId")?.[1];
  const isVpcOwed = isOwed("vpcId") && managedKeys(olds).includes("vpcId") && news["vpcId"] === undefined;
  if (vpcField?.change === "inPlace" && (isDropped("vpcId", olds, news) || isVpcOwed)) wanted["vpcId"] = null;
  // What was started only to be changed is stopped again, even when that happens in a later run.
  if (owed.includes(STOP_AGAIN)) wanted["paused"] = news["paused"] ?? true;
  return wanted;
}

export function isDropped(key: string, olds: Values, news: Values): boolean {
  return news[key] === undefined && olds[key] !== undefined && managedKeys(olds).includes(key);
}

/** What was asked for and is asked for otherwise now, though it cannot change. */
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

/** The protection that is stored: what the program says, else what the live environment suggests. */
export function effectiveProtection(inputs: Values, live: Values): boolean | undefined {
  const said = inputs["deletionProtection"];
  if (typeof said === "boolean") return said;
  return live["environment"] === "PROD";
}

export function isProtected(state: Values): boolean {
  return state["deletionProtection"] === true;
}

export function refusedReplacement(label: string): RefusedError {
  return new RefusedError(
    `${label} is protected against deletion (deletionProtection is stored as true), so it is not replaced either`,
    "To really replace it, set `deletionProtection: false`, run `pulumi up`, and make this change after that.",
  );
}

/** The effective protection is what counts later, whatever a program then says. */
export function withProtection(resource: Resource, inputs: Values, live: Values): Values {
  if (!("deletionProtection" in resource.fields)) return inputs;
  return { ...inputs, deletionProtection: effectiveProtection(inputs, live) };
}
