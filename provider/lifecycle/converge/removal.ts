// Sends a delete until the server accepts it, and waits until the object is gone.

import type { ErrorName } from "../../domain/errorName";
import type { Turn } from "../../api/http/rate";
import {
  ApiError,
  ContractError,
  isRefusal,
  messageOf,
  RefusedError,
  WaitError,
  isPassing,
  readOrNothing,
} from "../../domain/errors";
import { lacks } from "../../domain/listed";
import { formatDuration } from "../../domain/values/duration";
import { countRefusals, operationAnswered, refusedForGood, type Refusals, stillBusy } from "./busy";
import {
  CONFIRMATION,
  contradiction,
  createAnswers,
  DOUBT_MS,
  isDeleted,
  type Presence,
  presenceAfterDelete,
  presenceIn,
  presenceOf,
  watchAbsence,
} from "../session/confirmation";
import type { Target } from "../resources/operation";
import type { Member, Refuse } from "../resources/resource";
import { isProtectable } from "../state/protection";
import { underLock } from "./run";
import { explainAbsence, type Move, sendChange, serverMessageOf } from "./sender";
import { NOT_FOUND, type Wait, waitFor } from "./waiter";

/** The members of an object as last read, or the temporary error of their lists. */
type FoundMembers = Member[] | Error;

/** Ends only when the object is gone. While the server is busy no lock is held, because members that leave may need it. */
export function removeAndWait(run: Target, refuse: Refuse): Promise<void> {
  const { resource, context, session, label, id, scope } = run;
  const { operation, remedy, isEmptied } = resource.deletion;
  const reader = resource.reader(session, scope);
  const waitWhileBusy = createBusyWait(run);
  const emptiness = createAnswers();
  const readMembers = resource.members?.(session, id, scope);
  let found: FoundMembers = [];
  /** The last look did not find the object. Its absence is then watched, without a turn. */
  let isMissed = false;
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
    const isInUse = found.some((member) => member.is !== "deleting");
    if (isInUse) return { is: "busy", error: new RefusedError("busy", `the ${resource.noun} is in use`) };
    return { is: "go", seen: undefined };
  };
  const isGone = { is: "done", result: undefined } as const;
  const goes = async (oddAnswer?: ContractError): Promise<typeof isGone> => {
    const sinceMs = session.clock.now();
    const isProven = async (): Promise<boolean> =>
      oddAnswer === undefined ? isGoneSince(run, sinceMs) : (await presenceAfterDelete(run)) === "gone";
    const what = operationAnswered(operation, oddAnswer);
    await waitUntilGone(run, { what, isProven, report: context.progress });
    return isGone;
  };
  const endOf = async (presence: Presence): Promise<typeof isGone> => (presence === "gone" ? isGone : goes());
  const inTheWay = async (): Promise<Member[]> =>
    (await readOrNothing(async () => readMembers?.(run.deadlineMs))) ?? [];
  const isUnseen = (): boolean => session.clock.now() < (run.unseenUntilMs?.() ?? 0);
  return sendChange(run, {
    operation,
    label,
    hold: (work) => underLock(run, resource.lock(id, scope), work),
    async gather() {
      if (isMissed) {
        isMissed = false;
        // The object was never observed, and may still appear, whatever a list shows of it.
        if (!isUnseen()) {
          context.progress(`${label} was not found; watching whether it appears again`);
          if ((await watchAbsence(run)) === undefined) return isGone;
        }
      }
      if (isEmptied !== true) return { is: "go", seen: undefined };
      const move = await look();
      const isSure = emptiness.isBelieved(move.is === "go", CONFIRMATION.noMember);
      return move.is === "go" && !isSure ? { is: "again", afterMs: session.pace.intervalMs } : move;
    },
    async look(_gathered, turn) {
      const unclear = await refuse(turn);
      return unclear?.is === "missing" ? missed() : (unclear ?? look(turn));
    },
    async send(limits) {
      reader.invalidate(id);
      await resource.remove(session, id, scope, limits).finally(() => reader.invalidate(id));
    },
    async answered() {
      await goes();
    },
    async refused(error) {
      if (isRefusal(error, "notFound") && isUnseen()) return { is: "again", error };
      const presence = isRefusal(error, "notFound") ? await presenceAfterDelete(run) : "there";
      if (presence !== "there") return endOf(presence);
      const explained = await explainAbsence(run, operation, remedy, error);
      throw isRefusal(explained, "badRequest") ? whyRefused(run, explained, await inTheWay(), "") : explained;
    },
    waitWhileBusy: async (error) => waitWhileBusy(error, isEmptied ? found : await inTheWay()),
    async after(error) {
      if (error instanceof ContractError) return goes(error);
      if (isUnseen()) return { is: "again", error, mayRun: true };
      const find = async (): Promise<Presence> =>
        presenceIn(resource, (await reader.fetch(id, run.deadlineMs)) ?? (await watchAbsence(run)));
      // Without an answer the next look reads it again.
      const presence = (await readOrNothing(find)) ?? "there";
      return presence === "there" ? { is: "again", error, mayRun: true } : endOf(presence);
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
    // What is shown is in the way, unless the refusal is our own: a VPC empties as its services leave.
    const isShown = refusal instanceof ApiError && members.length > 0;
    const needed = CONFIRMATION[isShown ? "refusedWithReason" : "refusal"];
    if (found instanceof Error || members.some((member) => member.is !== "staying")) refusals.explained();
    else if (isInUseByDeparted(refusal, members) && elapsedMs < DOUBT_MS.inUse) refusals.explained();
    else if (refusals.areForGood(refusal, needed)) throw whyRefused(run, refusal, members, `; ${refusals.told()}`);
    status = (await waitUntilIdle(run, refusals)) ?? status;
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

async function waitUntilGone(
  run: Target,
  { what, isProven, report }: Pick<Wait<unknown>, "what" | "report"> & { isProven: () => Promise<boolean> },
): Promise<void> {
  const { resource, session, id, scope, label, deadlineMs } = run;
  const wait: Wait<unknown> = {
    what,
    label,
    id,
    deadlineMs,
    first: "own",
    absent: async () => {
      const isGone = await isProven().catch((error: unknown) => {
        // A list that cannot be read now may be read later.
        if (error instanceof ContractError && session.clock.now() < deadlineMs) return false;
        throw error;
      });
      if (isGone) return { is: "success", seen: "gone" };
      if (session.clock.now() >= deadlineMs) throw contradiction(run);
      return NOT_FOUND;
    },
    report,
    acceptor: (item) => {
      const status = resource.statusOf(item);
      if (isDeleted(resource, item)) return { is: "success" };
      return { is: "retry", seen: resource.condition(item) === "deleting" ? status : `still ${status}` };
    },
  };
  await waitFor(resource.reader(session, scope), wait, session.pace);
}

/**
 * Whether a 404 after an accepted delete means that the object is gone. What the last look has shown was there a moment ago, so
 * address, key and project are right, and a second 404 is enough. Otherwise a list that began since then must lack it.
 */
async function isGoneSince(run: Target, sinceMs: number): Promise<boolean> {
  const { resource, session, id, scope, deadlineMs } = run;
  const reader = resource.reader(session, scope);
  if (reader.absentSinceMs(id) !== undefined) return true;
  const isLookedAt = isProtectable(resource) && reader.hasShown(id);
  if (isLookedAt) return (await reader.fetch(id, deadlineMs)) === undefined;
  const shared = await reader.list({ maxAgeMs: session.clock.now() - sinceMs, deadlineMs }).catch(() => undefined);
  if (shared !== undefined && lacks(shared, id, (item) => resource.idOf(item))) return true;
  return (await presenceOf(run)) === "gone";
}

/** Returns a temporary error, which the next read may not meet again; throws any other. */
function passingError(error: unknown): Error {
  if (error instanceof Error && isPassing(error)) return error;
  throw error;
}

/** Waits until the object and what keeps it busy have settled; returns the last observed status. */
async function waitUntilIdle(
  { resource, session, id, scope, deadlineMs }: Target,
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
