// Adopts an existing object instead of creating one. A difference in an input that cannot change is an error before any
// call. One object belongs to one resource.

import { InputError, messageOf, OutcomeUnknownError, isPassing } from "../../domain/errors";
import { describeUnreadable, unreadableOf } from "../../domain/listed";
import { formatDuration } from "../../domain/values/duration";
import { show } from "../../domain/values/value";
import { describeStep } from "../../plan/step";
import type { Created, Resource } from "../resources/resource";
import { betweenListsMs, doubtMs, whole } from "../session/confirmation";
import { notShared } from "../view/decideDelete";
import { clashesWith, differencesOf, isAsWanted } from "../state/compare";
import type { CreateAttempt } from "./attempt";
import { objectOf } from "../state/state";

/** Adopts the object after it was checked against the program. */
export async function adoptObject(attempt: CreateAttempt, id: string): Promise<unknown> {
  const { resource, context, session, inputs, scope, deadlineMs } = attempt;
  const { view } = context.memory;
  const object = objectOf(resource, id, scope.projectId);
  const intention = { is: "intends to adopt", objects: [object] } as const;
  view.tell(context.identity, intention);
  const unshared = view.unshared();
  if (unshared !== undefined) throw notShared(`${resource.noun} ${id}`, unshared, "it was not adopted");
  // A delete looks for this intention before it sends anything, and ends. One that has sent something is waited for.
  while (view.isGoing(object) && session.clock.now() < deadlineMs) await session.clock.sleep(session.pace.intervalMs);
  const item = await whole(resource.reader(session, scope)).get(id, { deadlineMs });
  if (item === undefined || resource.condition(item) === "deleting") {
    const going = item === undefined ? "" : ` except one that is being deleted (${resource.statusOf(item)})`;
    throw new InputError(
      "nothing-to-adopt",
      "adoptId",
      `adoptId: there is no ${resource.noun} ${show(id)} in project ${scope.projectId}${going}; nothing was created`,
      "Correct the id, or remove `adoptId` (or DBCLOUD_ADOPT) to create a new one.",
    );
  }
  const described = resource.describe(item, session.client.serverTime());
  const clashes = clashesWith(resource, inputs, item, scope);
  if (clashes !== "") {
    throw new InputError(
      "adoption-differs",
      "adoptId",
      `${described} cannot be adopted, because it differs in what cannot change:\n${clashes}`,
      "Change the program to match it, or remove the adoption. Nothing was changed.",
    );
  }
  // Two resources with one object would each change it. One that its own resource gives up in this run may be adopted.
  const keeper = view.isGoing(object) ? "which a delete of this run waits for" : view.keeperOf(object);
  const rival = keeper ?? view.obtained(context.identity, object);
  if (rival !== undefined) {
    // What it has said is no longer so.
    view.tell(context.identity, intention);
    throw new InputError(
      "declared-twice",
      "adoptId",
      `${described} already belongs to another resource of this program, ${rival}; nothing was created`,
      "An object can belong to only one resource: remove one of the two.",
    );
  }
  const { steps } = resource.plan(inputs, { ...inputs, ...resource.live(item, scope) });
  const changes = steps.map(describeStep);
  const changing = changes.length === 0 ? "" : `, and changing it in place: ${changes.join("; ")}`;
  const lost = view.shownOnceOf(object) === undefined ? lostWithAnswer(attempt) : "";
  context.warn(
    `adopting ${described}${changing}${lost}. Make sure that no other stack manages it: from now on, destroying this stack deletes it`,
  );
  return item;
}

// Handles a create whose answer was lost. Watches the lists for a limited time, because another object may show sooner than
// the one that the create made. Takes the only one that fits, and throws in all other cases. Never sends the create again.

/** API: a server tells its time in whole seconds, its machines may differ a little, and some servers do not tell it. */
const CLOCK_SKEW_MS = 10_000;

/** When a create was sent: by the clock of this process, and by the time of the server. */
export interface Posted {
  atMs: number;
  serverMs: number;
}

const idsByList = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** The ids of all items of a list, readable or not. Many creates share a list. */
export function idsOf(resource: Resource, list: readonly unknown[]): ReadonlySet<string> {
  const known = idsByList.get(list);
  if (known !== undefined) return known;
  const hidden = unreadableOf(list).flatMap(({ id }) => (id === undefined ? [] : [id]));
  const ids = new Set([...list.map((item) => resource.idOf(item)), ...hidden]);
  idsByList.set(list, ids);
  return ids;
}

export async function pollForNew(
  attempt: CreateAttempt,
  before: readonly unknown[],
  posted: Posted,
  cause: unknown,
): Promise<Created> {
  const { resource, session, context, inputs, deadlineMs } = attempt;
  const { clock } = session;
  const lostMs = clock.now();
  const windowMs = doubtMs(session, "newObject");
  context.progress(
    `${resource.createOperation(inputs)}: the answer was lost; watching the list to see whether it was created`,
  );
  // What only some of the lists show is there as well.
  const shown = new Map<string, unknown>();
  let last: readonly unknown[] = [];
  let endMs: number | undefined;
  for (;;) {
    const list = await listSince(attempt, lostMs, cause);
    if (list !== undefined) endMs ??= clock.now() + windowMs;
    last = list ?? last;
    for (const item of list ?? []) shown.set(resource.idOf(item), item);
    const leftMs = Math.min(endMs ?? deadlineMs, deadlineMs) - clock.now();
    if (leftMs <= 0) break;
    await orUnknown(attempt, cause, clock.sleep(Math.min(betweenListsMs(session, "newObject"), leftMs)));
  }
  const idsBefore = idsOf(resource, before);
  const fresh = [...shown.values()].filter((item) => isNew(attempt, item, idsBefore));
  const candidates = fresh.filter((item) => fits(attempt, item, { ...posted, lostMs }));
  const [only] = candidates;
  if (candidates.length > 1 || (only !== undefined && mayBeOlder(attempt, before))) {
    throw unknown(attempt, cause, `and several new ones match:\n${linesOf(attempt, candidates)}`, NAME_ONE);
  }
  if (only !== undefined && clock.now() >= (endMs ?? Infinity)) return found(attempt, only);
  // Another one may show later, and that may be ours.
  if (only !== undefined) {
    throw unknown(
      attempt,
      cause,
      `and the create ran out of time; so far, one matches:\n${linesOf(attempt, [only])}`,
      NAME_ONE,
    );
  }
  const what = `and no new object that matches has appeared in the list within ${formatDuration(clock.now() - posted.atMs)}`;
  const hidden = unreadableOf(last).filter(({ id }) => id === undefined || !idsBefore.has(id));
  const lines = [
    ...(fresh.length === 0 ? [] : [linesOf(attempt, fresh)]),
    ...hidden.map((item) => `  cannot be read: ${describeUnreadable(item)}`),
  ];
  if (lines.length === 0) throw unknown(attempt, cause, what, RUN_AGAIN);
  throw unknown(attempt, cause, `${what}; new ones that do not match:\n${lines.join("\n")}`, NAME_ONE);
}

/** Whether the candidate may be older: an item with its name and no readable id may have become readable since. */
function mayBeOlder({ resource, inputs }: CreateAttempt, before: readonly unknown[]): boolean {
  const name = resource.nameOf(inputs);
  return unreadableOf(before).some((item) => item.id === undefined && (item.name ?? name) === name);
}

/** Concurrent polls share a list that began after the answer was lost. Undefined while the list is not answered. */
async function listSince(
  attempt: CreateAttempt,
  lostMs: number,
  cause: unknown,
): Promise<readonly unknown[] | undefined> {
  const { resource, session, scope, deadlineMs } = attempt;
  const halfPauseMs = session.pace.intervalMs / 2;
  const shared = session.clock.now() - lostMs > halfPauseMs ? { maxAgeMs: halfPauseMs } : {};
  const list = resource.reader(session, scope).list({ ...shared, deadlineMs });
  return orUnknown(attempt, cause, list);
}

/** Undefined after a temporary error. Any other error, including the end of the operation, leaves the outcome unknown. */
async function orUnknown<T>(attempt: CreateAttempt, cause: unknown, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw unknown(attempt, cause, `and its outcome could not be read: ${messageOf(error)}`, RUN_AGAIN);
  }
}

function isNew(
  { resource, context, inputs, scope }: CreateAttempt,
  item: unknown,
  idsBefore: ReadonlySet<string>,
): boolean {
  const id = resource.idOf(item);
  const isKnown = idsBefore.has(id) || context.memory.view.isHeld(objectOf(resource, id, scope.projectId));
  return !isKnown && resource.condition(item) !== "deleting" && resource.isDuplicate(inputs, item);
}

/** Whether the call can have made the object: it was made within the call, and equals the request where both show a value. */
function fits({ resource, inputs, scope }: CreateAttempt, item: unknown, call: Posted & { lostMs: number }): boolean {
  const live = resource.live(item, scope);
  const isOther = Object.entries(resource.setByCreate?.(inputs) ?? {}).some(
    ([key, value]) => (live[key] ?? undefined) !== undefined && !isAsWanted(resource.fields[key], value, live[key]),
  );
  if (isOther || differencesOf(resource, inputs, item, scope).some((one) => one.live !== undefined)) return false;
  return isMadeWithin(call, resource.createdMs?.(item)) && resource.isCandidate?.(inputs, item) !== false;
}

function isMadeWithin({ atMs, serverMs, lostMs }: Posted & { lostMs: number }, createdMs = Number.NaN): boolean {
  const isSooner = createdMs < serverMs - CLOCK_SKEW_MS;
  const isLater = createdMs > serverMs + (lostMs - atMs) + CLOCK_SKEW_MS;
  // An unreadable time excludes nothing.
  return !isSooner && !isLater;
}

function found(attempt: CreateAttempt, item: unknown): Created {
  const { resource, session, context, inputs } = attempt;
  const id = resource.idOf(item);
  context.warn(
    `${resource.createOperation(inputs)}: the answer was lost; ${resource.describe(item, session.client.serverTime())} is the only new one that matches, and was adopted. If it is yours, set \`adoptId: ${show(id)}\`; until then, no run deletes or replaces it${lostWithAnswer(attempt)}`,
  );
  return { id, isUnconfirmed: true };
}

/** What only the answer of the create had, if the program does not make up for it. */
function lostWithAnswer({ resource, inputs }: CreateAttempt): string {
  const words = resource.lostWithAnswer?.(inputs);
  return words === undefined ? "" : `; ${words}`;
}

export const RUN_AGAIN =
  "Check the console, then run `pulumi up` again: it looks before it creates, and names what it finds.";

export const NAME_ONE = "If one of them is yours, adopt it by its id: set `adoptId`, or DBCLOUD_ADOPT for one run.";

/** One line for each object. */
export function linesOf({ resource, session }: CreateAttempt, items: readonly unknown[]): string {
  return items.map((item) => `  ${resource.describe(item, session.client.serverTime())}`).join("\n");
}

function unknown(
  { resource, inputs, scope }: CreateAttempt,
  cause: unknown,
  what: string,
  hint: string,
): OutcomeUnknownError {
  const object = `${resource.noun} ${resource.identity(inputs, scope)}`;
  return new OutcomeUnknownError(
    `${resource.createOperation(inputs)} of ${object}: the answer was lost (${messageOf(cause)}), ${what}`,
    hint,
  );
}
