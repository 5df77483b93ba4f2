// Whether an object is there. An absence is a value with its evidence, and only this file makes one: whoever forgets an
// object, ends its delete, or lets a VPC go from around it needs that value. API: a server may answer 404 for some seconds, list
// nothing, or list only a part, while all objects are there.

import { ContractError, ProviderError, readOrNothing, RefusedError } from "../domain/errors";
import { describeUnreadable, type Listed, listed, mayHold, unreadableOf } from "../domain/listed";
import { shellWord } from "../domain/values/printable";
import { formatDuration } from "../domain/values/duration";
import { isEqual, show } from "../domain/values/value";
import type { Kind } from "../domain/kinds";
import type { Context, Target } from "./operation";
import type { Scope } from "./kind";
import type { Reported } from "./reported";
import { objectOf, parentIn } from "./state";
import { kindOf } from "./runLog";
import { betweenListsMs, canShow, createListWatch, doubtMs } from "./patience";
import type { Session } from "./session";
import { nextPauseMs } from "./pace";
import { ask, afterPause, unanswered, type Verdict } from "./wait";

/** What proves an absence. */
export type Evidence =
  /** The server says DELETED. */
  | "deleted"
  /** The server accepted a delete of this run. Since then its id has answered 404 twice, and a later list lacks it. */
  | "removed"
  /** For the whole time of doubt every list lacked it, and its id answered 404 twice, the second time at the end of that. */
  | "missing";

class Absence {
  readonly is = "none";
  readonly #evidence: Evidence;

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
  }

  get evidence(): Evidence {
    return this.#evidence;
  }
}

export type { Absence };

/** `unproven`: neither was seen in time. The error says what was seen. */
export type Presence =
  | { readonly is: "shown"; readonly item: Reported }
  | Absence
  | { readonly is: "unproven"; readonly error: ProviderError };

/** An item as a read has shown it. API: some servers still answer for a deleted object, with this status. */
export function presenceIn(item: Reported): Exclude<Presence, { is: "unproven" }> {
  const isDeleted = item.status.toUpperCase() === "DELETED";
  return isDeleted ? new Absence("deleted") : { is: "shown", item };
}

/**
 * Watches an object whose id has just answered 404, until it shows, or is proven to be gone. `isAccepted`: the server has
 * accepted a delete of this run, with an answer of the contract. All absent objects share the lists.
 */
export async function provePresence(
  target: Target,
  { isAccepted = false }: { isAccepted?: boolean } = {},
): Promise<Presence> {
  const { resource, session, context, id, scope, label, deadlineMs } = target;
  const { clock, pace } = session;
  const reader = resource.reader(session, scope);
  const missedMs = clock.now();
  const goneMs = doubtMs(session, "gone");
  if (!isAccepted)
    context.progress(`${label} was not found; watching for ${formatDuration(goneMs)} to see whether it reappears`);
  const readAlone = async (): Promise<Presence | undefined> => {
    const item = await reader.fetch(id, deadlineMs);
    return item === undefined ? undefined : presenceIn(item);
  };
  let error: ProviderError | undefined;
  /** Since when this watch reads lists. It counts where the reader cannot tell since when they lack the object. */
  let watchedSinceMs = Number.POSITIVE_INFINITY;
  const watch = createListWatch(session);
  /** By the first list of this process that lacked it, whoever read it. */
  const missed = (): Absence | undefined => missedSince(session, reader.absentSinceMs(id) ?? watchedSinceMs);
  const unproven = (): Presence => ({ is: "unproven", error: error ?? tooShort(target, goneMs) });
  return ask(clock, {
    // At least one look follows the first answer.
    untilMs: Math.max(deadlineMs, missedMs + pace.intervalMs),
    // Deletes that are accepted together share a list.
    firstMs: isAccepted ? 1 : pace.intervalMs,
    pauseMs: (ageMs) => (isAccepted ? nextPauseMs(ageMs, pace) : betweenListsMs(session, "gone")),
    look: afterPause(clock, () => look().catch(unanswered)),
    late({ error: failure }) {
      if (failure instanceof ProviderError) error ??= failure;
      return unproven();
    },
  });

  async function look(): Promise<Verdict<Presence>> {
    const lookedMs = clock.now();
    const isTimeUp = isAccepted || missed() !== undefined;
    const alone = isTimeUp ? await readAlone() : undefined;
    if (alone !== undefined) return { is: "yes", answer: alone };
    const found = await listSince(target, isTimeUp ? clock.now() : lookedMs - pace.intervalMs / 2);
    // Without what it is in, the server hides it: then even an accepted delete proves nothing at once, and the lists must lack
    // that as well.
    if (found === undefined)
      await resource.parent?.reader(session, scope).list({ maxAgeMs: pace.intervalMs, deadlineMs });
    watchedSinceMs = watch(canShow(resource.parent !== undefined, found));
    const isShort = isAccepted && found !== undefined;
    const list = found ?? listed([]);
    error = await whyUnproven(target, list, isTimeUp && !isAccepted);
    const absence = isShort ? new Absence("removed") : missed();
    if (isTimeUp && error === undefined && absence !== undefined) {
      error = isShort ? undefined : await whyNotAll(target, found);
      // The list of what it was in may lag behind.
      if (error?.errorName === "gone-too-short" && clock.now() - missedMs < 2 * goneMs)
        return { is: "notYet", seen: "not found" };
      return { is: "yes", answer: error === undefined ? absence : unproven() };
    }
    const row = list.find((item) => item.id === id);
    // What is listed, and cannot be read by its id, is there.
    const read = row && ((await readOrNothing(async () => ({ now: await readAlone() }))) ?? { now: presenceIn(row) });
    if (read?.now !== undefined) return { is: "yes", answer: read.now };
    const isOver = isTimeUp && !isAccepted && error !== undefined;
    return isOver ? { is: "yes", answer: unproven() } : { is: "notYet", seen: "not found" };
  }
}

/** The absence of what a read by its id has missed, once lists have lacked it since that moment for the whole time of doubt. */
export function missedSince(session: Session, sinceMs = Number.POSITIVE_INFINITY): Absence | undefined {
  return session.clock.now() - sinceMs >= doubtMs(session, "gone") ? new Absence("missing") : undefined;
}

/** A list that began after the moment. In one millisecond, it can begin before the answer that it is to follow. */
function listSince(
  { resource, session, scope, deadlineMs }: Target,
  sinceMs: number,
): Promise<Listed<Reported> | undefined> {
  const options = { maxAgeMs: session.clock.now() - sinceMs - 1, deadlineMs };
  return resource.listAll?.(session, scope, options) ?? resource.reader(session, scope).list(options);
}

/**
 * Why the list does not prove that the object is gone. `isThorough`: what else the run or its state knows, and this list
 * lacks, is asked for by its id.
 */
async function whyUnproven(
  target: Target,
  list: Listed<Reported>,
  isThorough: boolean,
): Promise<ProviderError | undefined> {
  const { resource, session, context, id, scope, label, deadlineMs } = target;
  const unreadable = unreadableOf(list);
  if (list.some((item) => item.id === id) || unreadable.some((item) => item.id === id)) {
    return stillListed(label);
  }
  if (mayHold(list, id)) {
    return new ContractError(
      "list-unreadable",
      "list",
      `the list lacks ${resource.noun} ${show(id)}, but an entry that cannot be read may be it (${unreadable.map(describeUnreadable).join("; ")}); the state is unchanged`,
      "Run the same command again once the list can be read; or, if it is gone, run `pulumi state delete` with its URN.",
    );
  }
  const reader = resource.reader(session, scope);
  const others = isThorough
    ? { ids: idsInState(context, resource.kind, scope).filter((one) => one !== id), deadlineMs }
    : undefined;
  const unlisted = (await reader.unlisted(others)).find((item) => item.condition !== "deleting");
  return unlisted === undefined ? undefined : listIsCut(session, unlisted);
}

/** The objects of a collection that entries of the state have. */
export function idsInState({ memory: { view } }: Pick<Context, "memory">, kind: Kind, scope: Scope): string[] {
  return view.entries(({ object, located }) => kindOf(object) === kind && isEqual(located, scope)).map(({ id }) => id);
}

/** A list that lacks what answers by its id proves no absence of anything. */
export function listIsCut({ client }: Pick<Session, "client">, unlisted: Reported): ProviderError {
  return new ProviderError(
    "API",
    "list-cut",
    `the list of the server is cut: it lacks ${unlisted.describe(client.serverTime())}, which answers by its id; nothing was concluded from it`,
    "Run the same command again once the server, or a gateway before it, lists all objects of the project.",
  );
}

function stillListed(what: string): ProviderError {
  return new ProviderError(
    "API",
    "gone-but-listed",
    `${what}: a read by its id says that it is gone, but its list still has it; the state is unchanged`,
    "Run the same command again.",
  );
}

function tooShort({ label }: Target, goneMs: number): ProviderError {
  return new ProviderError(
    "API",
    "gone-too-short",
    `${label} was not found, but for less than ${formatDuration(goneMs)}, so it does not count as gone; the state is unchanged`,
    `Nothing counts as gone sooner: give the operation ${formatDuration(goneMs)} more in \`timeouts\`.`,
  );
}

/** By what a later run knows when the object was last seen on its way out. */
export function noteOfDelete({ resource, session, id, scope }: Target): string {
  return `deleted ${session.config.baseUrl} ${objectOf(resource, id, scope.projectId)}`;
}

/**
 * A server that has lost its database, or hides one kind for a while, answers like one whose objects were all deleted. So another
 * object of the kind must be shown, and for a part what it is in. `own`: undefined while the server does not show that.
 */
async function whyNotAll(target: Target, own: Listed<Reported> | undefined): Promise<ProviderError | undefined> {
  const { resource, session, context, id, scope, label, deadlineMs } = target;
  const { projectId } = scope;
  const { notes, view } = context.memory;
  const { parent } = resource;
  const ofParent = parent && objectOf(parent, parentIn(scope, parent.key), projectId);
  // A delete that has not ended within its default time limit has failed. A clock may have been set back since.
  const notedMs = Number(notes.read(noteOfDelete(target)) ?? Number.NaN);
  const isDeletedByUs =
    Math.abs(session.client.serverTime() - notedMs) <= resource.deadlinesMs({}).delete ||
    // Pulumi: a state can have one object twice, and delete both entries in one run, or a part after what it is in.
    [objectOf(resource, id, projectId), ofParent].some((object) => object && view.claimsOn(object).isRemoved);
  if (context.believesGone(projectId) || isDeletedByUs) return undefined;
  if (canShow(parent !== undefined, own)) return undefined;
  // What a part is in may be gone with it.
  const recent = { maxAgeMs: session.pace.intervalMs, deadlineMs };
  const all = parent === undefined ? [] : await parent.reader(session, scope).list(recent);
  const isAnyShown = all.some((one) => presenceIn(one).is === "shown");
  if (parent !== undefined && isAnyShown) {
    const parentId = parentIn(scope, parent.key);
    const row = all.find((one) => one.id === parentId);
    const seen = row ? presenceIn(row) : missedSince(session, parent.reader(session, scope).absentSinceMs(parentId));
    // Its id answers 404, so what is in it could not be read.
    if (seen?.is === "shown") return stillListed(`the ${parent.noun} of ${label}`);
    if (seen === undefined) return tooShort(target, doubtMs(session, "gone"));
  }
  if (isAnyShown) return undefined;
  return new ProviderError(
    "API",
    "all-gone",
    `${label} is missing, and project ${projectId} shows no ${(parent ?? resource).noun} at all: this may be an outage, so the state is unchanged`,
    `If it was deleted, and no other is left, run once with DBCLOUD_BELIEVE_GONE=${shellWord(projectId)}.`,
  );
}

/** API: one answer may round the time of creation, and another may not. */
const SAME_INSTANT_MS = 1_000;

/** `created`: the time that the state has. Compared where both show it. */
export function confirmCreation(
  { session, label, id }: Pick<Target, "session" | "label" | "id">,
  created: unknown,
  item: Reported,
): void {
  if (isSameTime(created, item.created)) return;
  throw new RefusedError(
    "another-object",
    `${label}: the object with this id is another one by now, ${item.describe(session.client.serverTime())}: the state has one that was created ${String(created)}; nothing was changed`,
    `If it is to belong to this resource from now on, set \`adoptId: ${show(id)}\` and run \`pulumi up\`; if not, run \`pulumi state delete\` with the URN of the resource.`,
  );
}

function isSameTime(created: unknown, shown = ""): boolean {
  return typeof created !== "string" || !(Math.abs(Date.parse(created) - Date.parse(shown)) > SAME_INSTANT_MS);
}
