// How many reads, or how much time, the provider needs to rely on an answer. API: an old value may return or a field may
// disappear for a moment, a new object may answer 404, a list may lag, and the cause of a refusal may end by itself. Code
// that reads again takes its limit from this table.
// `presence.ts` proves that an object is gone.

import { isWhole } from "../domain/listed";
import { isEqual } from "../domain/values/value";
import type { Reader, Session, WaitPace } from "./session";

/** The number of answers that are needed. */
export interface Confirmation {
  /** This many answers in a row must agree. */
  readonly agreeing: number;
  /** After this many answers the last one counts, even if they differ. Default: no limit; a deadline ends it. */
  readonly most?: number;
}

export const CONFIRMATION = {
  /** An answer that equals the state, or the effect of the call. */
  expected: { agreeing: 1 },
  /** A difference from the state, before an update plans from it. */
  difference: { agreeing: 2 },
  /** A difference from the state, before a refresh saves it. */
  drift: { agreeing: 2, most: 5 },
  /** The effect of a long operation in the first read after its call, because the wanted value may also be an old one. */
  effectAtOnce: { agreeing: 2 },
  /** Other values than the wanted ones after a call, of this run or of an interrupted one, before they count as final. */
  noEffect: { agreeing: 8 },
  /** New addresses, after a change that may move them. */
  newAddresses: { agreeing: 2, most: 9 },
  /** Unchanged addresses after such a change, before it counts as one that did not move them. */
  sameAddresses: { agreeing: 9, most: 9 },
  /** No tag, in the reads before a delete, before the object counts as not production. */
  noTag: { agreeing: 3 },
  /** No member in an object that is to be deleted, such as a service in a VPC. */
  noMember: { agreeing: 2 },
  /** A refusal while no change of the object is under way, before it is final. */
  refusal: { agreeing: 7 },
  /** The same for a delete, while a list shows what is in the way. */
  refusedWithReason: { agreeing: 4 },
} as const satisfies Record<string, Confirmation>;

/** How long the provider doesn't rely on an answer, in milliseconds. */
export const DOUBT_MS = {
  /** Reads that miss an object which nobody has asked to delete. */
  gone: 30_000,
  /** A 404 for an object that this process has created. */
  unseenObject: 120_000,
  /** Failed reads of the tag before a delete, until the delete is refused. */
  unreadTag: 5 * 60_000,
  /** The same if the program has switched the protection off, until the object counts as not production. */
  unreadTagOfUnprotected: 10_000,
  /** An answer for one object that breaks the contract, because a field may be wrong for a moment. */
  unreadable: 5 * 60_000,
  /** No effect of a call that was sent more than once, because its answers were lost. */
  lostAnswers: 5 * 60_000,
  /** Reads that show no effect of a delete whose answer was lost, until others may change the object. */
  lostDelete: 30_000,
  /** Lists after a create whose answer was lost, from the first one on: the new object may show late, and others sooner. */
  newObject: 60_000,
  /** An object that has the name of a new one and that no resource has. Pulumi: resources come in no order. */
  unregistered: 3_000,
  /** A settled value that is neither the wanted one nor one of before, after a call: another change may be on its way. */
  setElsewhere: 2 * 60_000,
  /** A settled object without an address. */
  noAddress: 60_000,
  /** A refused delete of a VPC in which no list shows anything: it can stay in use for some minutes after an object left it. */
  inUse: 5 * 60_000,
} as const;

/** The greatest age of what decides a create or a delete, when that is sent. */
export const OLDEST_LOOK_MS = 2_000;

/** That time, which only tests shorten. */
export function doubtMs({ timeScale }: Pick<Session, "timeScale">, what: keyof typeof DOUBT_MS): number {
  return DOUBT_MS[what] * timeScale;
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
    /** Counts one more answer. True if there are enough for the given row. */
    isBelieved(answer: unknown, { agreeing: needed, most = Number.POSITIVE_INFINITY }: Confirmation): boolean {
      if (needed === 1) return true;
      if (pace !== undefined && pace.clock.now() - countedMs < pace.intervalMs) {
        if (!isEqual(answer, last)) agreeing = 0;
        last = answer;
        return false;
      }
      countedMs = pace?.clock.now() ?? countedMs;
      agreeing = count > 0 && isEqual(answer, last) ? agreeing + 1 : 1;
      last = answer;
      count += 1;
      return agreeing >= needed || count >= most;
    },
  };
}

/**
 * Reads an object by its id where the row of a list does not show what its reader needs. API: a list may leave out members
 * that a read of the object alone shows. `isEnough`: whether the row of a list shows what is needed. Default: none
 * does.
 */
export function whole<O>(reader: Reader<O>, isEnough: (item: O) => boolean = () => false): Reader<O> {
  const isPart = (row: O | undefined): boolean => row !== undefined && !isWhole(row) && !isEnough(row);
  return {
    ...reader,
    get: async (id, options) => {
      const row = await reader.get(id, options);
      return isPart(row) ? ((await reader.get(id, { ...options, isAlone: true })) ?? row) : row;
    },
    nextPoll: async (id, options) => {
      const row = await reader.nextPoll(id, options);
      return isPart(row) ? ((await reader.fetch(id, options.deadlineMs)) ?? row) : row;
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
  const latestMs = clock.now() + DOUBT_MS.unseenObject;
  return () => Math.min(latestMs, clock.now() + until - client.serverTime());
}

/** The same moment for the state. */
export function storedUnseenUntil({ clock, client }: Times, untilMs: number | undefined): number | undefined {
  return untilMs === undefined ? undefined : client.serverTime() + (untilMs - clock.now());
}
