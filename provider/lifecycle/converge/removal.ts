// Sends a delete until the server accepts it, and waits until the object is gone.

import { ApiError, ContractError, isNotFound, messageOf, RefusedError, WaitError } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import {
  countRefusals,
  explainAbsence,
  operationAnswered,
  outcomeOf,
  type Refusals,
  serverMessageOf,
  stillBusy,
} from "./busy";
import {
  CONFIRMATION,
  contradiction,
  createAnswers,
  DOUBT_MS,
  isDeleted,
  isGoneSince,
  presenceOf,
} from "../session/confirmation";
import type { Deletable, Member, Target } from "../resources/resource";
import { underLock } from "./run";
import { isPassing, readOrNothing, settleInBackground, type Wait, waitFor } from "./waiter";

/**
 * Ends only when the object is gone. While the object is busy or in use the wait holds no lock, because members that leave
 * it may need the lock. `refuse` checks before each sending whether the object may be deleted: it may have become protected,
 * or belong to another resource, meanwhile.
 */
export async function removeAndWait(run: Target<Deletable>, refuse: () => Promise<void>): Promise<void> {
  const { resource, context, session } = run;
  const operation = resource.deletion.operation;
  const refusals = countRefusals(session);
  const emptiness = createAnswers();
  let status: string | undefined;
  context.progress(`${operation}: ${run.label}`);
  for (;;) {
    const found = await membersOf(run);
    const blocked = whyBlocked(run, found);
    const isSure = resource.members === undefined || emptiness.isBelieved(blocked === undefined, CONFIRMATION.noMember);
    if (blocked === undefined && !isSure) {
      await session.clock.sleep(session.pace.intervalMs);
      continue;
    }
    const refusal =
      blocked ??
      (await underLock(run, resource.lock(run.id, run.scope), async () => {
        await refuse();
        return tryRemoval(run);
      }));
    if (refusal === undefined) return;
    const elapsedMs = refusals.elapsedMs();
    const members = found instanceof Error ? [] : found;
    const inIt = members.map(({ words }) => words).join(", ");
    const details = members.length === 0 ? "" : `; in it: ${inIt}`;
    if (session.clock.now() >= run.deadlineMs) {
      if (found instanceof Error) {
        throw new WaitError(
          "timeout",
          `${operation} of ${run.label}: for ${formatDuration(elapsedMs)} the lists of what is in it could not be read (${messageOf(found)}); nothing was deleted`,
          "Run the same command again once the server answers.",
        );
      }
      throw stillBusy({ operation, label: run.label, cause: refusal, status, elapsedMs, details });
    }
    context.progress(`${operation}: ${serverMessageOf(refusal)}${details}; waiting`);
    if (found instanceof Error || members.some((member) => member.is !== "staying")) refusals.explained();
    else if (isInUseByDeparted(refusal, members) && elapsedMs < DOUBT_MS.inUse) refusals.explained();
    else if (refusals.areForGood(refusal)) {
      if (inIt === "") throw refusal;
      throw new RefusedError(
        `${operation} of ${run.label}: ${refusal.message}; nothing was deleted, because objects that stay are in it: ${inIt}`,
        `Move these objects out of the ${resource.noun} or delete them, then run the same command again.`,
      );
    }
    status = (await waitWhileBusy(run, refusals)) ?? status;
  }
}

/** The members of the object, or the temporary error of their lists. */
async function membersOf({ resource, session, id, scope, deadlineMs }: Target<Deletable>): Promise<Member[] | Error> {
  return (await resource.members?.(session, id, scope, deadlineMs).catch(passingError)) ?? [];
}

/** API: a server may detach or delete what is in a VPC instead of refusing. So nothing is sent while something may be in it. */
function whyBlocked({ resource }: Target<Deletable>, found: Member[] | Error): Error | undefined {
  if (found instanceof Error) return found;
  const isInUse = found.some((member) => member.is !== "deleting");
  return isInUse ? new RefusedError(`the ${resource.noun} is in use`) : undefined;
}

/** API: a VPC can stay in use for some minutes after an object left it, and no list shows why. */
function isInUseByDeparted(refusal: Error, members: readonly Member[]): boolean {
  return members.length === 0 && /\bin use\b/i.test(serverMessageOf(refusal));
}

/** Sends the delete once and waits until the object is gone; returns the refusal of a busy server. */
async function tryRemoval(run: Target<Deletable>): Promise<ApiError | undefined> {
  const { resource, context, session, id, scope, deadlineMs } = run;
  const reader = resource.reader(session, scope);
  reader.invalidate(id);
  let what = resource.deletion.operation;
  try {
    await resource.remove(session, id, scope, {
      deadlineMs,
      report: context.progress,
      until: context.signal,
    });
  } catch (error) {
    if (error instanceof ApiError && outcomeOf(error) === "busy") return error;
    const isMissing = isNotFound(error);
    // The object was never observed, and may still appear.
    if (isMissing && session.clock.now() < (run.unseenUntilMs?.() ?? 0)) return error;
    const presence = isMissing ? await presenceOf(run) : "there";
    const isInDoubt = error instanceof ContractError;
    if (presence === "there" && !isInDoubt) throw await explainAbsence(run, what, resource.deletion.remedy, error);
    what = operationAnswered(what, error);
  } finally {
    reader.invalidate(id);
  }
  const sinceMs = session.clock.now();
  await settleInBackground(run, (report) => waitUntilGone(run, what, sinceMs, report));
  return undefined;
}

async function waitUntilGone(
  run: Target<Deletable>,
  what: string,
  sinceMs: number,
  report: (line: string) => void,
): Promise<void> {
  const { resource, session, id, scope, label, deadlineMs } = run;
  const wait: Wait<unknown> = {
    what,
    label,
    id,
    deadlineMs,
    first: "own",
    isGoneDone: true,
    isReallyGone: async () => {
      const isGone = await isGoneSince(run, sinceMs).catch((error: unknown) => {
        // A list that cannot be read now may be read later.
        if (error instanceof ContractError && session.clock.now() < deadlineMs) return false;
        throw error;
      });
      if (!isGone && session.clock.now() >= deadlineMs) throw contradiction(run);
      return isGone;
    },
    report,
    acceptor: (item) => (isDeleted(resource, item) ? { is: "success" } : { is: "retry", seen: progressOf(run, item) }),
  };
  await waitFor(resource.reader(session, scope), wait, session.pace);
}

/** Returns a temporary error, which the next read may not meet again; throws any other. */
function passingError(error: unknown): Error {
  if (error instanceof Error && isPassing(error)) return error;
  throw error;
}

function progressOf({ resource }: Target<Deletable>, item: unknown): string {
  const status = resource.statusOf(item);
  return resource.condition(item) === "deleting" ? status : `still ${status}`;
}

/** Waits until the object and what keeps it busy have settled; returns the last observed status. */
async function waitWhileBusy(
  { resource, session, id, scope, deadlineMs }: Target<Deletable>,
  refusals: Refusals,
): Promise<string | undefined> {
  const { clock, pace } = session;
  const reader = resource.reader(session, scope);
  const parent = resource.keptBusyBy?.(session, scope);
  let status: string | undefined;
  const isIdle = async (inMs: number): Promise<boolean> => {
    const poll = { inMs, deadlineMs };
    const [item, isParentIdle] = await Promise.all([
      readOrNothing(() => reader.nextPoll(id, poll)),
      readOrNothing(async () => parent?.isIdle(poll)),
    ]);
    if (item !== undefined) status = resource.statusOf(item);
    const isPending = item !== undefined && resource.condition(item) === "pending";
    return !isPending && isParentIdle !== false;
  };
  await refusals.waitUntilIdle(isIdle, { untilMs: Math.min(clock.now() + pace.intervalMaxMs, deadlineMs), deadlineMs });
  return status;
}
