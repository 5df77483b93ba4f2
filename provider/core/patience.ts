// How many reads, or how much time, the provider needs to rely on an answer. API: an old value may return or a field may
// disappear for a moment, a new object may answer 404, a list may lag, and the cause of a refusal may end by itself. Code
// that reads again takes its limit from this table.
// `presence.ts` proves that an object is gone.

import { createWatch, isEmpty, type Listed } from "../domain/listed";
import { isEqual } from "../domain/values/value";
import type { Reported } from "./reported";
import type { Reader, Session, WaitPace } from "./session";

/** The number of answers that are needed. */
export interface Confirmation {
  /** This many answers in a row must agree. */
  readonly agreeing: number;
  /** After this many answers the last one counts, even if they differ. Default: no limit; a deadline ends it. */
  readonly most?: number;
}

export const CONFIRMATION = {
  /**
   * What may be untrue for a moment: a difference from the state before an update plans from it, the effect of a long operation in
   * the first read after its call, because the wanted value may also be an old one, and an empty VPC before its delete.
   */
  untrueForAMoment: { agreeing: 2 },
  /** The same where the last answer is taken in the end: drift that a refresh saves, and new addresses. */
  moving: { agreeing: 2, most: 9 },
  /** What a call has not changed, of this run or of an interrupted one, before that counts as final. */
  noEffect: { agreeing: 9 },
  /** No tag, in the reads before a delete, before the object counts as not production. */
  noTag: { agreeing: 3 },
  /** A refusal while no change of the object is under way, before it is final. */
  refusal: { agreeing: 7 },
} as const satisfies Record<string, Confirmation>;

/** How long the provider doesn't rely on an answer, in milliseconds. */
export const DOUBT_MS = {
  /** Reads that miss an object which nobody has asked to delete, or show no effect of a delete whose answer was lost. */
  gone: 30_000,
  /**
   * What shows late: the object of a create whose answer was lost, from the first list on, because others may show sooner, for
   * the run that sent it; and the address of a settled object.
   */
  shownLate: 60_000,
  /**
   * What a change leaves behind it: a 404 for an object that this process has created; for the runs after it, the object of a
   * create that nobody recorded; and a settled value that is neither the wanted one nor one of before, because another change
   * may be on its way.
   */
  afterChange: 120_000,
  /**
   * A failure that may end by itself: reads of the tag before a delete; an answer for one object that breaks the contract, because a
   * field may be wrong for a moment; a call without effect whose answers were lost; and a refused delete of a VPC in which no list
   * shows anything, which can stay in use for some minutes after an object left it.
   */
  endsByItself: 5 * 60_000,
  /** Failed reads of the tag before a delete, if the program has switched the protection off. */
  unreadTagOfUnprotected: 10_000,
  /** An object that has the name of a new one and that no resource has. Pulumi: resources come in no order. */
  unregistered: 3_000,
} as const;

/** The greatest age of what decides a create or a delete, at the end of its last look; the call follows within a second. */
export const OLDEST_LOOK_MS = 2_000;

/** That time, which only tests shorten. */
export function doubtMs({ timeScale }: Pick<Session, "timeScale">, what: keyof typeof DOUBT_MS): number {
  return DOUBT_MS[what] * timeScale;
}

/** No list answers for more time than this: of a longer one between two lists, only so much counts as watched. */
export function longestGapMs({ timeScale, intervalMs }: { timeScale: number; intervalMs: number }): number {
  return Math.max((DOUBT_MS.gone / 3) * timeScale, 3 * intervalMs);
}

/**
 * Since when lists are read, less what nobody has watched. Called after each answer. One that could show an object, and one that
 * shows nothing of its kind, or not what it is in, are watched apart.
 */
export function createListWatch({
  clock,
  timeScale,
  pace: { intervalMs },
}: Pick<Session, "clock" | "timeScale" | "pace">): (couldShow: boolean) => number {
  const gapMs = longestGapMs({ timeScale, intervalMs });
  const watches = { could: createWatch(gapMs), couldNot: createWatch(gapMs) };
  return (couldShow) => clock.now() - watches[couldShow ? "could" : "couldNot"].looked(clock.now());
}

/** A list that shows nothing of its kind lacks everything. `own`: undefined while what a part is in is not shown. */
export function canShow(isPart: boolean, own: Listed<Reported> | undefined): boolean {
  return own !== undefined && (isPart || !isEmpty(own));
}

/** How many lists are read in the time in which an object may show. */
const LISTS = 10;

/** The pause between these lists. */
export function betweenListsMs(session: Pick<Session, "timeScale" | "pace">, what: keyof typeof DOUBT_MS): number {
  return Math.max(session.pace.intervalMs, doubtMs(session, what) / LISTS);
}

/**
 * Counts the answers to one question. With a pace, an answer counts only a whole interval after the one before it, because
 * a wait may read faster than an old value goes. One that comes sooner and differs still ends the row of equal answers.
 */
export function createAnswers(pace?: Pick<WaitPace, "clock" | "intervalMs">) {
  let count = 0;
  let agreeing = 0;
  let last: unknown;
  let countedMs = Number.NEGATIVE_INFINITY;
  return {
    /** Counts one more answer. True if there are enough for the given row; without a row, one is enough. */
    isBelieved(answer: unknown, row: Confirmation | undefined): boolean {
      if (row === undefined) return true;
      if (pace !== undefined && pace.clock.now() - countedMs < pace.intervalMs) {
        if (!isEqual(answer, last)) agreeing = 0;
        last = answer;
        return false;
      }
      countedMs = pace?.clock.now() ?? countedMs;
      agreeing = count > 0 && isEqual(answer, last) ? agreeing + 1 : 1;
      last = answer;
      count += 1;
      return agreeing >= row.agreeing || count >= (row.most ?? Number.POSITIVE_INFINITY);
    },
  };
}

/**
 * Reads an object by its id where the row of a list does not show what its reader needs. API: a list may leave out members
 * that a read of the object alone shows, and may be older. So a row that is not enough counts as no answer while that read
 * answers 404. `isEnough`: whether the row of a list shows what is needed. Default: none does.
 */
export function whole(reader: Reader<Reported>, isEnough: (row: Reported) => boolean = () => false): Reader<Reported> {
  const isPart = (row: Reported | undefined): boolean => row !== undefined && !row.isWhole && !isEnough(row);
  return {
    ...reader,
    get: async (id, options) => {
      const row = await reader.get(id, options);
      return isPart(row) ? reader.get(id, { ...options, isAlone: true }) : row;
    },
    nextPoll: async (id, options) => {
      const row = await reader.nextPoll(id, options);
      return isPart(row) ? reader.fetch(id, options.deadlineMs) : row;
    },
  };
}

// Until when a new object may be invisible: in a process a moment of its clock, and in the state, which processes on other
// machines read, a time of day of the server.

type Times = Pick<Session, "clock" | "client">;

/**
 * By the clock of this process; undefined once the object was read. It is computed after a read that found nothing, because
 * only an answer has the server's time. A time of day may go back, so the result is at most the wait for a new object.
 */
export function unseenUntil({ clock, client }: Times, until: number | undefined): (() => number) | undefined {
  if (until === undefined) return undefined;
  const latestMs = clock.now() + DOUBT_MS.afterChange;
  return () => Math.min(latestMs, clock.now() + until - client.serverTime());
}

/** The same moment for the state. */
export function storedUnseenUntil({ clock, client }: Times, untilMs: number | undefined): number | undefined {
  return untilMs === undefined ? undefined : client.serverTime() + (untilMs - clock.now());
}
