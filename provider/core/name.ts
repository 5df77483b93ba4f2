// Whether a name is free: what else has it, by a list, and whether this run takes it from there. A create and a rename ask.
// `check` asks whether two resources of the program want the same one.

import { InputError, RefusedError } from "../domain/errors";
import { isPathId } from "../domain/sharedFields";
import { formatDuration } from "../domain/values/duration";
import { inOneForm, UNKNOWN, type Values } from "../domain/values/value";
import { shellWord } from "../domain/values/printable";
import { type Listed, type Unreadable, unreadableOf } from "../domain/listed";
import type { Run } from "./run";
import { betweenListsMs, createListWatch, DOUBT_MS, doubtMs } from "./patience";
import type { CreateAttempt, Opened, Target } from "./operation";
import type { Resource } from "./kind";
import type { Reported } from "./reported";
import type { Identity, RunView } from "./runView";
import { canShow } from "./presence";
import { duplicateOf, nameOf } from "./compare";
import { isNamed, objectOf } from "./state";
import { until } from "./wait";

/** What gives an object a name. Without an id, the object is to be created. */
export type Naming = Opened & Pick<CreateAttempt, "inputs" | "predecessors"> & { readonly id?: string };

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

/** By what a create that has not ended is known to the next run. */
export function noteOf({ resource, session, inputs, scope }: Naming): string {
  return `sent ${session.config.baseUrl} ${resource.kind} ${JSON.stringify(scope)} ${resource.identity(inputs, scope)}`;
}

/** What an earlier run has sent. */
interface Noted {
  /** When, by the server's time; NaN if none did, or its create has ended. */
  readonly sentMs: number;
  /** The list showed nothing of its kind before it, so that a list which shows nothing may be true. */
  readonly isFirst: boolean;
  /** What may be its object. */
  readonly ids: readonly string[];
}

export function notedOf(naming: Naming): Noted {
  const [sent = "", ...ids] = naming.context.memory.notes.read(noteOf(naming))?.split("\n") ?? [];
  const [ms = Number.NaN, isFirst] = sent === "" ? [] : sent.split(" ");
  return { sentMs: Number(ms), isFirst: isFirst !== undefined, ids: ids.filter(isPathId) };
}

export function note(naming: Naming, { sentMs, isFirst, ids }: Noted): void {
  naming.context.memory.notes.write(noteOf(naming), [`${sentMs}${isFirst ? " first" : ""}`, ...ids].join("\n"));
}

/** The state has the object, so its create has ended. */
export function forgetRecorded(target: Target, state: Values): void {
  const naming = { ...target, inputs: state, predecessors: [] };
  if (notedOf(naming).ids.includes(target.id)) target.context.memory.notes.write(noteOf(naming), undefined);
}

/** Writes down what may be the object of that create, beside what stands there. */
export function noteShown(naming: Naming, shown: readonly string[]): void {
  const noted = notedOf(naming);
  if (!Number.isNaN(noted.sentMs)) note(naming, { ...noted, ids: [...new Set([...noted.ids, ...shown])] });
}

/**
 * What an earlier run has sent, and has not recorded, may show late. Until it must have shown, and lists that could show it have
 * lacked it for the time that proves an absence, its name is not free. Told each list, it returns how long that still takes.
 */
export function watchForSent(naming: Naming, operation: string): (list: Listed<Reported>) => Promise<number> {
  const { resource, context, session, inputs, scope, deadlineMs, id } = naming;
  const { clock, client, pace } = session;
  const { projectId } = scope;
  const watch = createListWatch(session);
  const refusal = (why: string, hint: string): RefusedError =>
    new RefusedError(
      "name-in-doubt",
      `${operation} of ${resource.noun} ${resource.identity(inputs, scope)}: ${why}; nothing was sent`,
      hint,
    );
  return async (list) => {
    const noted = notedOf(naming);
    // None, or the create whose object this run gives its name.
    if (Number.isNaN(noted.sentMs) || (id !== undefined && noted.ids.includes(id))) return 0;
    const recent = { maxAgeMs: pace.intervalMs, deadlineMs };
    const own = resource.parent === undefined ? list : await resource.listAll?.(session, scope, recent);
    const couldShow = canShow(resource, own) || noted.isFirst || context.believesGone(projectId);
    const watchedMs = clock.now() - watch(couldShow);
    // A clock may have been set back since.
    const sentMs = Math.min(noted.sentMs, client.serverTime());
    if (sentMs < noted.sentMs) note(naming, { ...noted, sentMs });
    const lateMs = sentMs + doubtMs(session, "afterChange") - client.serverTime();
    const leftMs = Math.max(lateMs, doubtMs(session, "gone") - watchedMs);
    const sent = `an earlier run sent a create of it at ${new Date(sentMs).toISOString()} and recorded nothing`;
    if (leftMs <= 0) {
      if (couldShow) return 0;
      throw refusal(
        `${sent}, and project ${projectId} shows no ${(resource.parent ?? resource).noun} at all: this may be an outage`,
        `If all of them were deleted, run once with DBCLOUD_BELIEVE_GONE=${shellWord(projectId)}.`,
      );
    }
    const why = `${sent}, so what it made may still show`;
    const lackingMs = clock.now() + leftMs - deadlineMs;
    if (lackingMs > 0) {
      throw refusal(
        why,
        `Give it ${formatDuration(lackingMs + doubtMs(session, "gone"))} more with \`timeouts.${id === undefined ? "create" : "update"}\`: it waits.`,
      );
    }
    context.progress(`${operation}: ${why}; watching the list for ${formatDuration(leftMs)}`);
    return leftMs;
  };
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
  const { ids } = notedOf(attempt);
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
