// Sends a delete until the server accepts it, and waits until the object is gone.

import type { ErrorName } from "../domain/errorName";
import type { Turn } from "../api/http/rate";
import { ApiError, isRefusal, messageOf, RefusedError, WaitError, isPassing, readOrNothing } from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import { countRefusals, refusedForGood, type Refusals, stillBusy } from "./busy";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "./patience";
import { idsInState, noteOfDelete, type Presence, presenceIn, provePresence } from "./presence";
import type { Target } from "./operation";
import type { Member, Refuse } from "./kind";
import { underLock } from "./run";
import { lockOf, parentIn } from "./state";
import { explainAbsence, type Move, sendChange, serverMessageOf } from "./send";
import { type Verdict, waitFor } from "./wait";

/** The members of an object as last read, or the temporary error of their lists. */
type FoundMembers = Member[] | Error;

/** Ends only when the object is gone. While the server is busy no lock is held, because members that leave may need it. */
export function removeAndWait(run: Target, refuse: Refuse): Promise<void> {
  const { resource, context, session, label, id, scope } = run;
  const { operation, isEmptied } = resource.deletion;
  const reader = resource.reader(session, scope);
  const waitWhileBusy = createBusyWait(run);
  const [emptiness, denials] = [createAnswers(), createAnswers()];
  const readMembers = resource.members?.({
    ...run,
    idsInState: (kind, within) => idsInState(context, kind, within),
    isRemoved: (object) => context.memory.view.claimsOn(object).isRemoved,
  });
  let found: FoundMembers = [];
  /** The last look did not find the object. Its absence is then watched, without a turn. */
  let isMissed = false;
  /** The calls without a clear answer. The first one may not have arrived, so another one follows before a miss counts. */
  let unanswered = 0;
  /** The 404 that answered the call. */
  let refusal: Error | undefined;
  const missed = (): Move<never, never> => {
    isMissed = true;
    return { is: "again", afterMs: session.pace.intervalMs };
  };
  context.progress(`${operation}: ${label}`);
  const look = async (turn?: Turn): Promise<Move<undefined, void>> => {
    const read = isEmptied ? await readMembers?.(run.deadlineMs, turn).catch(passingError) : [];
    if (read === undefined) return missed();
    found = read;
    if (found instanceof Error) return { is: "busy", error: found };
    // API: a server may detach or delete what is in a VPC instead of refusing. So nothing is sent while something may be in it.
    if (found.length > 0) return { is: "busy", error: new RefusedError("busy", `the ${resource.noun} is in use`) };
    return { is: "go", seen: undefined };
  };
  const isGone = { is: "done", result: undefined } as const;
  const goes = async (isAccepted: boolean): Promise<typeof isGone> => {
    context.memory.notes.write(noteOfDelete(run), String(session.client.serverTime()));
    await waitUntilGone(run, isAccepted);
    return isGone;
  };
  /** Undefined: it is there, and nothing deletes it. */
  const endBy = async (presence: Presence): Promise<typeof isGone | undefined> => {
    if (presence.is === "unproven") throw presence.error;
    if (presence.is === "none") return isGone;
    return presence.item.condition === "deleting" ? goes(false) : undefined;
  };
  const inTheWay = async (): Promise<Member[]> =>
    (await readOrNothing(async () => readMembers?.(run.deadlineMs))) ?? [];
  const explained = async (error: Error): Promise<unknown> => {
    const why = await explainAbsence(run, operation, error);
    return isRefusal(why, "badRequest") ? whyRefused(run, why, await inTheWay(), "") : why;
  };
  const isUnseen = (): boolean => session.clock.now() < (run.unseenUntilMs?.() ?? 0);
  return sendChange(run, {
    operation,
    label,
    hold: (work) => underLock(run, lockOf(resource, id, scope), work),
    async gather() {
      if (isMissed) {
        isMissed = false;
        // The object was never observed, and may still appear, whatever a list shows of it.
        if (!isUnseen()) {
          const end = await endBy(await provePresence(run));
          if (end !== undefined) return end;
          // API: a server may answer 404 for a moment, also to a call.
          const denial = refusal;
          refusal = undefined;
          if (denial !== undefined && denials.isBelieved(true, CONFIRMATION.untrueForAMoment))
            throw await explained(denial);
        }
      }
      if (isEmptied !== true) return { is: "go", seen: undefined };
      const move = await look();
      const isSure = emptiness.isBelieved(move.is === "go", CONFIRMATION.untrueForAMoment);
      return move.is === "go" && !isSure ? { is: "again", afterMs: session.pace.intervalMs } : move;
    },
    async look(_gathered, turn) {
      const move = await look(turn);
      if (!(found instanceof Error) && found.length > 0) emptiness.isBelieved(false, CONFIRMATION.untrueForAMoment);
      if (move.is !== "go") return move;
      // Last, because what the program says may change during the reads.
      const unclear = await refuse(turn);
      return unclear?.is === "missing" ? missed() : (unclear ?? move);
    },
    async send(limits) {
      reader.invalidate(id);
      await resource.remove(session, id, scope, limits).finally(() => reader.invalidate(id));
    },
    async answered() {
      await goes(true);
    },
    async refused(error) {
      if (!isRefusal(error, "notFound")) throw await explained(error);
      if (isUnseen()) return { is: "again", error };
      // Watched without the lock.
      [isMissed, refusal] = [true, error];
      return { is: "again", afterMs: 0 };
    },
    waitWhileBusy: async (error) => waitWhileBusy(error, isEmptied ? found : await inTheWay()),
    async after(failure) {
      // Without an answer, or any sign of it, the next look tells.
      const read = await readOrNothing(async () => ({ item: await reader.fetch(id, run.deadlineMs) }));
      if (read?.item?.condition === "deleting") return goes(false);
      unanswered += 1;
      isMissed = unanswered > 1 && read !== undefined && read.item === undefined;
      return { is: "again", error: failure, mayRun: true };
    },
  });
}

/** The wait until a busy server takes the delete. It throws once that is no use. */
function createBusyWait(run: Target): (refusal: Error, found: FoundMembers) => Promise<void> {
  const { resource, context, session, label } = run;
  const { operation } = resource.deletion;
  const refusals = countRefusals(session);
  let status: string | undefined;
  return async (refusal, found) => {
    const elapsedMs = refusals.elapsedMs();
    const members = found instanceof Error ? [] : found;
    const details = members.length === 0 ? "" : `; in it: ${listOf(members)}`;
    if (session.clock.now() >= run.deadlineMs) {
      if (found instanceof Error) {
        throw new WaitError(
          "contents-unknown",
          "timeout",
          `${operation} of ${label}: after ${formatDuration(elapsedMs)} the lists of its contents could not be read (${messageOf(found)}); nothing was deleted`,
          "Run the same command again once the server answers.",
        );
      }
      throw stillBusy({ operation, label, cause: refusal, status, elapsedMs, details });
    }
    context.progress(`${operation}: ${serverMessageOf(refusal)}${details}; waiting`);
    if (found instanceof Error || members.some((member) => member.is !== "staying")) refusals.explained();
    else if (isInUseByDeparted(refusal, members) && elapsedMs < DOUBT_MS.endsByItself) refusals.explained();
    else if (refusals.areForGood(refusal)) throw whyRefused(run, refusal, members, `; ${refusals.told()}`);
    status = (await waitUntilIdle(run, refusals, refusal instanceof ApiError)) ?? status;
  };
}

function listOf(members: readonly Member[]): string {
  return members.map(({ words }) => words).join(", ");
}

/** The refusal of a delete, with what is in the way and the way out. */
function whyRefused({ resource, label }: Target, cause: Error, members: readonly Member[], told: string): Error {
  const { operation } = resource.deletion;
  const why = members.length === 0 ? "" : `, because objects that stay are in it: ${listOf(members)}`;
  const name: ErrorName = members.length === 0 ? "delete-refused" : "not-empty";
  return refusedForGood(
    { operation, label, cause, details: `; nothing was deleted${why}${cause instanceof ApiError ? told : ""}` },
    name,
    members.length === 0
      ? "Check the console for what keeps it there. To leave it in the cloud, run `pulumi state delete` with its URN."
      : `Delete these objects, or move them out of the ${resource.noun}, then run the same command again.`,
  );
}

/** API: a VPC can stay in use for some minutes after an object left it, and no list shows why. */
function isInUseByDeparted(refusal: Error, members: readonly Member[]): boolean {
  return members.length === 0 && /\bin use\b/i.test(serverMessageOf(refusal));
}

function waitUntilGone(run: Target, isAccepted: boolean): Promise<void> {
  const { resource, session, context, id, scope, label, deadlineMs } = run;
  const over = createAnswers(session.pace);
  const judge = (presence: Presence): Verdict<void> => {
    if (presence.is === "unproven") return { is: "never", error: presence.error };
    if (presence.is === "none") return { is: "yes", answer: undefined, seen: "gone" };
    const { status, condition } = presence.item;
    // The deletion has failed, or was one of somebody else: it explains no absence later on.
    const isGoing = condition === "deleting";
    if (over.isBelieved(isGoing, CONFIRMATION.noEffect))
      context.memory.notes.write(noteOfDelete(run), isGoing ? String(session.client.serverTime()) : undefined);
    return { is: "notYet", seen: isGoing ? status : `still ${status}` };
  };
  return waitFor(
    resource.reader(session, scope),
    {
      what: resource.deletion.operation,
      label,
      id,
      deadlineMs,
      first: "own",
      report: context.progress,
      absent: async () => judge(await provePresence(run, { isAccepted })),
      judge: (item) => judge(presenceIn(item)),
    },
    session.pace,
  );
}

/** Returns a temporary error, which the next read may not meet again; throws any other. */
function passingError(error: unknown): Error {
  if (error instanceof Error && isPassing(error)) return error;
  throw error;
}

/** Waits until the object and what keeps it busy have settled, and, once the server was asked, nothing deletes it; returns the last observed status. */
async function waitUntilIdle(
  { resource, session, id, scope, deadlineMs }: Target,
  refusals: Refusals,
  isAsked: boolean,
): Promise<string | undefined> {
  const { clock, pace } = session;
  const reader = resource.reader(session, scope);
  const { parent } = resource;
  let status: string | undefined;
  const isIdle = async (): Promise<boolean> => {
    const [item, inside] = await Promise.all([
      readOrNothing(() => reader.nextPoll(id, { deadlineMs })),
      // A parent that is being deleted keeps nothing busy for good: the refusals count.
      readOrNothing(async () => parent?.reader(session, scope).nextPoll(parentIn(scope, parent.key), { deadlineMs })),
    ]);
    if (item !== undefined) status = item.status;
    const isGoing = isAsked && item?.condition === "deleting";
    return !isGoing && [item, inside].every((one) => one?.condition !== "pending");
  };
  const waitMs = Math.max(pace.intervalMaxMs, refusals.pauseMs());
  await refusals.waitUntilIdle(isIdle, Math.min(clock.now() + waitMs, deadlineMs));
  return status;
}
