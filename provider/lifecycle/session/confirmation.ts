// How many reads, or how much time, it takes to believe an answer. API: for a moment an old value may come back and a field
// may vanish; a new object may answer 404, and a list may lag behind; a refusal may have a cause that ends by itself. Code
// that reads again takes its limit from this table. Pure. presence.ts confirms that an object is gone.

import { isEqual } from "../../domain/values/value";

/** How many answers it takes. */
export interface Confirmation {
  /** So many answers in a row must agree. */
  readonly agreeing: number;
  /** After so many the last one counts, whether they agree or not. Default: no limit; a deadline ends it. */
  readonly most?: number;
}

export const CONFIRMATION = {
  /** An answer as the state records it, or as the call was to change it. */
  expected: { agreeing: 1 },
  /** A difference from the record, before an update plans from it. */
  difference: { agreeing: 2 },
  /** A difference from the record, before a refresh saves it. */
  drift: { agreeing: 2, most: 5 },
  /** Any values after an interrupted run: a change that it sent may not show yet. */
  afterInterruption: { agreeing: 8 },
  /** The effect of a long operation in the first read after its call: the wanted value may itself be an old one. */
  effectAtOnce: { agreeing: 2 },
  /** No effect of a call whose answer was lost: then it is sent again. */
  noEffect: { agreeing: 8 },
  /** New addresses, after a change that may move them. */
  newAddresses: { agreeing: 2, most: 9 },
  /** The addresses of before, after such a change: they did not move. */
  sameAddresses: { agreeing: 9, most: 9 },
  /** No object, or none with a tag, before a delete: then nothing says that it is production. */
  noTag: { agreeing: 3 },
  /** Nothing in an object that is to be deleted. */
  noMember: { agreeing: 2 },
  /** A refusal while no change of the object is under way: then it is final. */
  refusal: { agreeing: 7 },
  /** A refused read of a change that outlasts its operation: then the next change may try, and is refused as well. */
  refusedRead: { agreeing: 8 },
} as const satisfies Record<string, Confirmation>;

/** For how long an answer is doubted, in milliseconds. */
export const DOUBT_MS = {
  /** A 404 for an object that this process has created. */
  unseenObject: 120_000,
  /** Failed reads of the tag, before a delete: then it is refused. */
  unreadTag: 5 * 60_000,
  /** The same where the program has switched the protection off: then nothing says that the object is production. */
  unreadTagOfUnprotected: 10_000,
  /** An answer for one object that breaks the contract: a field may be wrong for a moment. */
  unreadable: 5 * 60_000,
  /** The list that confirms a 404 in a wait, which polls again in any case: its time limit. */
  listInWait: 20_000,
  /** No effect of a call that was sent more than once, because its answers were lost. */
  lostAnswers: 5 * 60_000,
  /** A list without the object of a create whose answer was lost, from the first list on. */
  noNewObject: 60_000,
  /** A settled object without an address. */
  noAddress: 60_000,
  /** "In use" where no list shows by what: what has left a VPC can keep it in use for some minutes. */
  inUse: 5 * 60_000,
} as const;

/** The answers to one question so far. */
export function createAnswers() {
  let count = 0;
  let agreeing = 0;
  let last: unknown;
  return {
    /** Counts one more answer; true once the answer is believed by the given row. */
    isBelieved(answer: unknown, { agreeing: needed, most = Number.POSITIVE_INFINITY }: Confirmation): boolean {
      agreeing = count > 0 && isEqual(answer, last) ? agreeing + 1 : 1;
      last = answer;
      count += 1;
      return agreeing >= needed || count >= most;
    },
  };
}
