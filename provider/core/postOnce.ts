// Creates exactly one object: a create reads the list right before it posts, and posts once.

import { ContractError, isRefusal, ProviderError, readOrNothing, RefusedError, TransportError } from "../domain/errors";
import { describeUnreadable, isEmpty, type Listed, mayHold } from "../domain/listed";
import { countRefusals, refusedForGood } from "./busy";
import { type Change, outcomeOf, sendChange, serverMessageOf } from "./send";
import { betweenListsMs, DOUBT_MS, OLDEST_LOOK_MS } from "./patience";
import { idsInState, listIsCut, type Presence, provePresence } from "./presence";
import type { CreateAttempt } from "./operation";
import { howToAdopt, idsOf, reportLost, type Posted } from "./lost";
import { describeAll, duplicatesAmong, inTheWay, remedy, taken, unreadableAmong } from "./name";
import { addCandidates, forgetSent, readSent, watchForSent, writeSent } from "./sentCreates";
import type { Created } from "./kind";
import type { Reported } from "./reported";
import { isNamed, objectOf } from "./state";

/** What the list lacks, and is gone or goes: it is in nobody's way. */
type DealtWith = Map<string, Exclude<Presence, { is: "unproven" }>>;

/** It is never posted twice on a guess. */
export async function postOnce(attempt: CreateAttempt): Promise<Created> {
  const { resource, context, session, inputs, scope, deadlineMs } = attempt;
  const operation = resource.createOperation(inputs);
  const label = `${resource.noun} ${resource.identity(inputs, scope)}`;
  const now = (): Posted => ({ atMs: session.clock.now(), serverMs: session.client.serverTime() });
  let posted = undefined as Posted | undefined;
  const msInDoubt = watchForSent(attempt, operation);
  let answeredMs = Number.NEGATIVE_INFINITY;
  let mayBeMade = false as boolean;
  const gone: DealtWith = new Map();
  const create: Change<Listed<Reported>, Created, Created> = {
    operation,
    label,
    hold: (work) => work(),
    async gather() {
      const seen = await readBeforeCreate(attempt, answeredMs, gone);
      const leftMs = posted === undefined ? await msInDoubt(seen) : 0;
      if (leftMs > 0) return { is: "again", afterMs: Math.min(leftMs, betweenListsMs(session, "gone")) };
      await resource.beforeCreate?.(session, inputs, scope);
      return { is: "go", seen };
    },
    async look(before, turn) {
      const reader = resource.reader(session, scope);
      const seen = await reader.list({ answeredWithinMs: OLDEST_LOOK_MS, deadlineMs, turn });
      // Another provider of the program may change it: it has locks of its own, and not every server refuses.
      const copied = seen.find((item) => item.id === resource.copies?.(inputs));
      if (copied?.isOnItsWay === true)
        return { is: "busy", error: new RefusedError("busy", `${resource.noun} ${copied.id} is ${copied.status}`) };
      const known = idsOf(before);
      const isNew = duplicatesAmong(attempt, seen).some((item) => !known.has(item.id));
      const isHidden = unreadableAmong(attempt, seen).length > unreadableAmong(attempt, before).length;
      const isShort = missingIn(attempt, seen, gone).length > 0;
      return isNew || isHidden || isShort ? { is: "again", afterMs: session.pace.intervalMs } : { is: "go", seen };
    },
    async send(limits, before) {
      context.progress(`${operation}: ${resource.identity(inputs, scope)}`);
      posted = now();
      // Also for a process that ends before it has the answer.
      writeSent(attempt, {
        sentMs: posted.serverMs,
        isFirst: resource.parent === undefined && isEmpty(before),
        ids: [],
      });
      const created = await resource
        .post(session, inputs, scope, limits)
        .finally(() => (answeredMs = session.clock.now()))
        .catch((error: unknown) => {
          // API: a proxy may send a request twice, so that a 409 is the answer to the second.
          mayBeMade ||= outcomeOf(error) !== "refused";
          throw error;
        });
      mayBeMade = true;
      addCandidates(attempt, [created.id]);
      // The provider must not change or delete an older object, or that of another resource.
      const keeper = context.memory.view.claimsOn(objectOf(resource, created.id, scope.projectId)).keeper;
      if (!idsOf(before).has(created.id) && keeper === undefined) return created;
      throw new ContractError(
        "old-id-answered",
        operation,
        `the answer has the id of one that was there before, ${created.id}`,
      );
    },
    answered: (created) => Promise.resolve(created),
    refused(error) {
      throw error;
    },
    waitWhileBusy: createParentWait(attempt, label),
    after: (cause, before) => {
      const named = (ids: readonly string[]): void => addCandidates(attempt, ids);
      return reportLost(attempt, { before, posted: posted ?? now(), cause, named });
    },
  };
  try {
    return await sendChange(attempt, create);
  } catch (error) {
    // What is listed after any answer may be its object, too.
    const isShown = error instanceof ProviderError && error.errorName === "name-taken";
    if (posted !== undefined && !mayBeMade && !isShown) forgetSent(attempt);
    // After an abort the state would not record a new object, and another run may already be reading the list.
    const { signal } = context;
    if (!signal.aborted || !(error instanceof TransportError || error === signal.reason)) throw error;
    throw new RefusedError("run-ended", `${operation}: ${serverMessageOf(signal.reason)}; nothing was created`);
  }
}

/** The wait until a busy parent lets the create through. A refused create changed nothing. */
function createParentWait(attempt: CreateAttempt, label: string): (refusal: Error) => Promise<void> {
  const { resource, context, session, inputs, deadlineMs, parent } = attempt;
  const { clock } = session;
  const startedMs = clock.now();
  const refusals = countRefusals(session);
  return async (refusal) => {
    if (parent === undefined) throw refusal;
    const isTooEarly = isRefusal(refusal, "tooEarly");
    const untilMs = isTooEarly ? Math.min(startedMs + parent.tooEarlyMs, deadlineMs) : deadlineMs;
    if (refusals.areForGood(refusal) || clock.now() >= untilMs) {
      const operation = resource.createOperation(inputs);
      throw refusedForGood({ operation, label, cause: refusal, details: `; ${refusals.told()}; nothing was created` });
    }
    context.progress(`${resource.createOperation(inputs)}: ${serverMessageOf(refusal)}; waiting`);
    await refusals.waitUntilIdle(() => readOrNothing(() => parent.isIdle({ deadlineMs: untilMs })), untilMs);
  };
}

/**
 * Reads the list before the post. An existing duplicate is an error.
 * API: a proxy may send a request twice, so that the answer is a refusal although the object was made. So only a list counts
 * that begins after the last answer.
 */
async function readBeforeCreate(
  attempt: CreateAttempt,
  answeredMs: number,
  gone: DealtWith,
): Promise<Listed<Reported>> {
  const { resource, session, context, scope, deadlineMs } = attempt;
  const reader = resource.reader(session, scope);
  // In one millisecond, a list can begin before the answer comes.
  const sinceMs = session.clock.now() - answeredMs - 1;
  const maxAgeMs = Math.min(2 * session.pace.intervalMs, OLDEST_LOOK_MS, sinceMs);
  const shared = await reader.list({ maxAgeMs, deadlineMs });
  const missing = missingIn(attempt, shared, gone);
  if (missing.length > 0) {
    await confirmMissing(attempt, missing, gone);
    return readBeforeCreate(attempt, answeredMs, gone);
  }
  // What was noted may be the one whose row has no readable id.
  const noted = readSent(attempt).ids.filter((id) => !idsOf(shared).has(id) && mayHold(shared, id));
  for (const id of noted) {
    const item = await reader.fetch(id, deadlineMs);
    if (item !== undefined) throw listIsCut(session, item);
  }
  // An object in a shared list may have been renamed in the same run since.
  const isFree = duplicatesAmong(attempt, shared).length === 0 && unreadableAmong(attempt, shared).length === 0;
  if (isFree) return shared;
  const before = await reader.list({ deadlineMs });
  const { duplicates, unowned } = await inTheWay(attempt, before);
  const hidden = unreadableAmong(attempt, before);
  const [unreadable] = hidden;
  const ids = unowned.map((item) => item.id);
  addCandidates(attempt, [...ids, ...hidden.flatMap(({ id }) => id ?? [])]);
  // The error names all of them, because an object of a lost answer may be among them.
  if (unowned.length > 0) {
    const objects = ids.map((id) => objectOf(resource, id, scope.projectId));
    context.memory.view.tell(context.identity, { is: "intends to adopt", objects });
    throw taken(attempt, `${describeAll(attempt, unowned)}; nothing was created`, goOn(attempt, unowned));
  }
  if (duplicates.length > 0) {
    const what = `${describeAll(attempt, duplicates)}, which belongs to another resource of this program; nothing was created`;
    throw taken(attempt, what, remedy(resource));
  }
  if (unreadable !== undefined) {
    const what = `a ${resource.noun} that cannot be read: ${describeUnreadable(unreadable)}; nothing was created`;
    const hint = isNamed(resource) ? "Give yours another `name`." : "It cannot be adopted until it can be read.";
    throw taken(attempt, what, hint);
  }
  return before;
}

/**
 * Confirms what the list lacks, although the state has it, a read of this process has shown it under the name, or an earlier run
 * was answered it or has named it. Ends once each of them is proven to be gone or listed again. API: a list may show nothing, or
 * not all. Others come and go in a project.
 */
async function confirmMissing(attempt: CreateAttempt, ids: readonly string[], gone: DealtWith): Promise<void> {
  const { resource, session, scope, deadlineMs } = attempt;
  const watched = await Promise.all(
    ids.map(async (id) => {
      const target = { ...attempt, id, label: `${resource.noun} ${id}` };
      const presence = await provePresence(target);
      // Nobody had asked for it by its id before: that was one 404.
      return [id, presence.is === "none" ? await provePresence(target) : presence] as const;
    }),
  );
  const list = await resource.reader(session, scope).list({ deadlineMs });
  for (const [id, presence] of watched) {
    if (presence.is === "unproven") throw presence.error;
    if (presence.is === "none" || presence.item.condition === "deleting") gone.set(id, presence);
    else if (!idsOf(list).has(id)) throw listIsCut(session, presence.item);
  }
}

function missingIn(attempt: CreateAttempt, list: Listed<Reported>, gone: DealtWith): string[] {
  const { resource, context, session, scope } = attempt;
  const others = duplicatesAmong(attempt, resource.reader(session, scope).shown()).map((item) => item.id);
  const known = new Set([...idsInState(context, resource.kind, scope), ...others, ...readSent(attempt).ids]);
  const shown = idsOf(list);
  return [...known].filter((id) => !shown.has(id) && !mayHold(list, id) && !gone.has(id));
}

/**
 * Without its note, a handler cannot tell an interrupted create from a forced replacement or another stack's object. So what is
 * safe in each case comes first, and adoption last.
 */
function goOn(attempt: CreateAttempt, found: readonly Reported[]): string {
  const { resource } = attempt;
  const ids = found.map((item) => item.id);
  const adopt = howToAdopt(attempt, ids);
  const separate = "To create a separate one, set another `name`: names are unique in a project for this provider.";
  const ofAll = isNamed(resource) ? [separate] : [];
  const { sentMs } = readSent(attempt);
  const mayBeIts = ({ created }: Reported): boolean =>
    !(created !== undefined && Math.abs(Date.parse(created) - sentMs) > DOUBT_MS.afterChange);
  if (!Number.isNaN(sentMs) && found.every(mayBeIts)) {
    const at = new Date(sentMs).toISOString();
    return [
      `An earlier run sent this create at ${at} and recorded nothing. If this is its object, adopt it: ${adopt}.`,
      ...ofAll,
    ].join("\n");
  }
  return [
    ...ofAll,
    "If you renamed or moved the resource in the program, add its old name or parent to the option `aliases`.",
    "If you force a replacement (`--replace`, a taint, `replacementTrigger`, `replaceWith`), set the option `deleteBeforeReplace: true`, without `retainOnDelete`: the old one is deleted first, with its contents.",
    `If an interrupted run of this stack created it, or you want to manage it and no other stack does, adopt it: ${adopt}, without \`--replace\`.`,
  ].join("\n");
}
