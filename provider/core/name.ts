// Whether a name is free: what else has it, by a list, and whether this run takes it from there. A create and a rename ask.
// `check` asks whether two resources of the program want the same one.

import { InputError } from "../domain/errors";
import { inOneForm, UNKNOWN, type Values } from "../domain/values/value";
import { type Unreadable, unreadableOf } from "../domain/listed";
import type { Run } from "./run";
import { betweenListsMs, DOUBT_MS } from "./patience";
import type { CreateAttempt, Naming } from "./operation";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import type { Identity, RunView } from "./runView";
import { duplicateOf, nameOf } from "./compare";
import { readSent, watchForSent } from "./sentCreates";
import { isNamed, objectOf } from "./state";
import { until } from "./wait";

/** Names are unique for this provider, so another name is refused like that of a create. */
export async function refuseTakenName(run: Run, start: Reported): Promise<void> {
  const { resource, session, scope, wanted, assumed, deadlineMs } = run;
  const { name } = { ...assumed, ...start.live() };
  if (!isNamed(resource) || wanted["name"] === undefined || wanted["name"] === name) return;
  const naming = { ...run, predecessors: [] };
  const msInDoubt = watchForSent(naming, "rename");
  const times = { untilMs: deadlineMs, pauseMs: () => betweenListsMs(session, "gone") };
  await until(session.clock, times, async () => {
    const list = await resource.reader(session, scope).list({ deadlineMs });
    const { duplicates } = await inTheWay(naming, list);
    if (duplicates.length === 0) return (await msInDoubt(list)) === 0;
    const hint = `${remedy(resource)} If no resource has the object, rename it in the console.`;
    throw taken(naming, `${describeAll(naming, duplicates)}; nothing was changed`, hint);
  });
}

/** The resource that has the object, or gives its name up, may be checked after this has begun. */
export async function inTheWay(
  naming: Naming,
  list: readonly Reported[],
): Promise<{ duplicates: Reported[]; unowned: Reported[] }> {
  const { resource, context, scope, session, deadlineMs } = naming;
  const { clock, pace } = session;
  const { view } = context.memory;
  const unownedNow = (): Reported[] =>
    duplicatesAmong(naming, list).filter(
      (item) => view.claimsOn(objectOf(resource, item.id, scope.projectId)).keeper === undefined,
    );
  const untilMs = Math.min(clock.now() + DOUBT_MS.unregistered, deadlineMs);
  await until(clock, { untilMs, pauseMs: () => pace.intervalMs }, () => unownedNow().length === 0);
  return { duplicates: duplicatesAmong(naming, list), unowned: unownedNow() };
}

export function duplicatesAmong(attempt: Naming, items: readonly Reported[]): Reported[] {
  const { resource, inputs, id } = attempt;
  const isDuplicate = duplicateOf(resource, inputs);
  return items.filter((item) => {
    if (item.id === id) return false;
    if (!isDuplicate(item) || item.condition === "deleting") return false;
    // What has failed and holds no name is in nobody's way.
    if (!isNamed(resource) && item.condition === "failed") return false;
    return !makesRoom(attempt, item.id);
  });
}

/** Unreadable items with the name, or with the id of what an earlier create may have made. Each counts as a duplicate. */
export function unreadableAmong(attempt: CreateAttempt, items: readonly Reported[]): Unreadable[] {
  const wanted = nameOf(attempt.resource, attempt.inputs);
  const { ids } = readSent(attempt);
  return unreadableOf(items).filter(({ id, name }) =>
    id === undefined ? name === wanted : (name === wanted || ids.includes(id)) && !makesRoom(attempt, id),
  );
}

/** Whether this run deletes or has deleted the object, or gives it another name. */
export function makesRoom({ resource, context, inputs, scope, predecessors }: Naming, id: string): boolean {
  const { view } = context.memory;
  const object = objectOf(resource, id, scope.projectId);
  // The delete of what the new one replaces follows.
  const isDeletedNext = predecessors.some((entry) => entry.id === id);
  const { replaced, isRemoved, isGivenUp } = view.claimsOn(object);
  return isDeletedNext || replaced !== "no" || isRemoved || isGivenUp(inOneForm(resource.identity(inputs, scope)));
}

export function taken({ resource }: Naming, what: string, hint: string): InputError {
  return new InputError("name-taken", isNamed(resource) ? "name" : "adoptId", `there is already ${what}`, hint);
}

export function describeAll({ session }: Naming, items: readonly Reported[]): string {
  return items.map((item) => item.describe(session.client.serverTime())).join(" and ");
}

// The identities that the resources of one program declare: what two objects have in common that look like one. Two resources
// of one identity cannot both be created, and a preview reports that. The view of the run holds them.

interface Declaring {
  identity: Identity | undefined;
  inputs: Values;
  /** The inputs in the state; empty if the resource is to be created. */
  olds: Values;
  account: Account;
}

/** Where objects are created unless their inputs say otherwise. */
export interface Account {
  projectId?: string | undefined;
  baseUrl?: string | undefined;
}

/** Records what the resource declares, or returns the error of its clash with another resource of the program. */
export function declare(
  resource: Resource,
  view: RunView,
  { identity, inputs, olds, account }: Declaring,
): InputError | undefined {
  const projectId = typeof inputs["projectId"] === "string" ? inputs["projectId"] : (account.projectId ?? "");
  const place = `${account.baseUrl ?? ""} ${resource.kind}/${projectId}`;
  const name = resource.identity(inputs, { projectId });
  if (`${place} ${name}`.includes(UNKNOWN)) return undefined;
  const isNew = Object.keys(olds).length === 0;
  const words = inOneForm(name);
  const before = isNew ? undefined : inOneForm(resource.identity(olds, { projectId }));
  const isAlone = before !== words && !(isNew && inputs["adoptId"] !== undefined);
  const same = view.declaredBeside(identity, place, words).find((other) => isAlone || other.isAlone);
  if (same === undefined) {
    view.declares(identity, { place, words, before, isAlone });
    return undefined;
  }
  const path = isNamed(resource) ? "name" : (resource.parent?.key ?? "");
  return new InputError(
    "declared-twice",
    path,
    `${path}: ${resource.noun} ${name} is declared twice, also by ${same.name}; nothing was sent for this one`,
    remedy(resource),
  );
}

/** The remedy for a program that declares two objects of one name. */
export function remedy(resource: Resource): string {
  return isNamed(resource)
    ? "Names are unique in a project for this provider: give one of them another `name`. To move a name from one resource to another, rename the one that has it in a run of its own."
    : "Keep one of the two.";
}
