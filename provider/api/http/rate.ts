// The rate limiter of a client: limits requests per second and requests at once, first come, first served. A server that
// accepts fewer gets fewer: each refusal doubles the distance between requests, every other answer shortens it. A turn is a
// place in these limits: for one request, or for a read and the change that rests on it.

import { orAborted } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";

export interface Gate {
  /** Resolves when it is this request's turn. */
  enter(limit: Limit): Promise<Turn>;
  /** One turn for all requests of the work. After a refusal one such work at a time is let in. */
  inTurn<T>(work: (turn: Turn) => Promise<T>, limit: Limit): Promise<T>;
  /** How long the next request would wait, as far as that is known. */
  expectedWaitMs(): number;
  /** How long the pause that the server asked for still lasts. */
  pausedMs(): number;
}

/** Returns the signal that ends a wait for a turn. Called only once there is a wait. */
type Limit = () => AbortSignal | undefined;

/** A place in the limits. */
export interface Turn {
  /** Sends a request of this turn, after the one before it. After a refusal for the rate, only in a long turn and after a short pause. */
  request<T>(send: () => Promise<T>): Promise<T>;
  /** The server wants fewer requests, and none at all for `pauseMs`. */
  refused(pauseMs: number): void;
  isRefused(): boolean;
  /** It has sent so many requests that a read which is refused for the rate is repeated in it, not all of them in another turn. */
  isLong(): boolean;
  /** The server wants no request for `pauseMs`; its rate is not affected. */
  paused(pauseMs: number): void;
  /** The server did not refuse the request for its rate. */
  answered(): void;
  /** The last request has ended. The holder must call this once. */
  leave(): void;
}

/** A refusal doubles the distance between requests, from and up to this; some twenty answers halve it again. */
const FIRST_SPACING_MS = 1;
const LONGEST_SPACING_MS = 2_000;
const SHRINK = 0.97;
/** The same for the requests of one turn, which otherwise follow each other at once. It is less than a look may be old. */
const FIRST_GAP_MS = 100;
const LONGEST_GAP_MS = 1_000;
/** So many requests of a turn, a look of three reads and its call, take no account of the distance; the others keep it. */
const AT_ONCE = 4;
/** A turn with so many requests is long. */
const LONG_FROM = 3;
/** The longest pause after a refusal within a turn. Whoever decides by several reads looks at the age of the first. */
export const SHORT_PAUSE_MS = 1_000;

export function createGate(clock: Clock, maxRequestsPerSecond: number, maxConcurrency: number): Gate {
  /** The distance by the configured rate. */
  const leastMs = 1_000 / maxRequestsPerSecond;
  /** The distance that the server accepts. */
  let spacingMs = leastMs;
  /** When the distance was last doubled. */
  let slowedMs = Number.NEGATIVE_INFINITY;
  /** The distance within a turn, for a server that refuses the second of two requests at once. */
  let gapMs = 0;
  /** When the next request may go by the rate, and by the server's pause. */
  let nextSlot = 0;
  let pausedUntil = 0;
  const places = createPlaces(maxConcurrency);
  const works = createPlaces(maxConcurrency);

  const waitMs = (): number => Math.max(nextSlot, pausedUntil) - clock.now();

  const paused = (pauseMs: number): void => {
    pausedUntil = Math.max(pausedUntil, clock.now() + pauseMs);
  };

  const takeSlot = (): void => {
    nextSlot = Math.max(nextSlot, clock.now()) + spacingMs;
  };

  const createTurn = (): Turn => {
    const enteredMs = clock.now();
    let last: Promise<unknown> | undefined;
    let sent = 1;
    let isRefused = false;
    /** When the pause after a refusal of this turn ends. */
    let resumesMs = Number.NEGATIVE_INFINITY;
    const isLong = (): boolean => sent >= LONG_FROM;
    const afterOthers = async <T>(before: Promise<unknown>, send: () => Promise<T>): Promise<T> => {
      const failure = await before;
      const distanceMs = sent < AT_ONCE ? 0 : Math.min(spacingMs, LONGEST_GAP_MS);
      const restMs = Math.max(gapMs, distanceMs, resumesMs - clock.now());
      if (restMs > SHORT_PAUSE_MS || (isRefused && !isLong())) throw failure;
      if (restMs > 0) await clock.sleep(restMs);
      sent += 1;
      // The turn has one slot. Its next requests do not wait for theirs, which the next turn then does.
      takeSlot();
      return send();
    };
    return {
      request(send) {
        const before = last;
        const answer = before === undefined ? send() : afterOthers(before, send);
        last = answer.then(noValue, (error: unknown) => error);
        return answer;
      },
      answered() {
        spacingMs = Math.max(leastMs, spacingMs * SHRINK);
      },
      paused,
      refused(pauseMs) {
        paused(pauseMs);
        resumesMs = clock.now() + pauseMs;
        isRefused = true;
        works.onlyOne();
        // With so great a distance between turns, only a second request at once can be too many.
        const isPairTooMany = sent > 1 && spacingMs >= LONGEST_SPACING_MS / 2;
        if (isPairTooMany) gapMs = Math.min(Math.max(2 * gapMs, FIRST_GAP_MS), LONGEST_GAP_MS);
        // Those sent before it was slowed say nothing about the new pace.
        if (enteredMs <= slowedMs) return;
        slowedMs = clock.now();
        const doubled = Math.min(Math.max(2 * spacingMs, FIRST_SPACING_MS), LONGEST_SPACING_MS);
        spacingMs = Math.max(leastMs, doubled);
      },
      isRefused: () => isRefused,
      isLong,
      leave() {
        // Only once for all requests of a turn: else its reads would take back what let its change through.
        if (sent > 1 && !isRefused) gapMs = gapMs < FIRST_GAP_MS ? 0 : gapMs * SHRINK;
        places.leave();
      },
    };
  };

  const enter = (limit: Limit): Promise<Turn> =>
    places.take(async () => {
      // A slot that is less than a millisecond away is used early; the average rate stays the same.
      while (waitMs() >= 1) await clock.sleep(waitMs(), limit());
      takeSlot();
      return createTurn();
    }, limit);

  return {
    enter,
    async inTurn(work, limit) {
      await works.take(() => Promise.resolve(), limit);
      try {
        const turn = await enter(limit);
        try {
          const done = await work(turn);
          // The work can end well although its change was refused: it then says that it begins again.
          if (!turn.isRefused()) works.oneMore();
          return done;
        } finally {
          turn.leave();
        }
      } finally {
        works.leave();
      }
    },
    expectedWaitMs: () => Math.max(0, waitMs()) + places.waiting() * spacingMs,
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
  };
}

const noValue = (): void => undefined;

/** So many may have a place at once. The others stand in a line, and only its head is admitted. */
function createPlaces(most: number) {
  const places = { allowed: most, taken: 0 };
  const line: PromiseWithResolvers<void>[] = [];
  let hasHead = false;
  /** Resolves when the next place is left. */
  let left = Promise.withResolvers<void>();

  const reachHead = async (limit: Limit): Promise<void> => {
    if (!hasHead) {
      hasHead = true;
      return;
    }
    const own = Promise.withResolvers<void>();
    line.push(own);
    try {
      await orAborted(own.promise, limit());
    } catch (error) {
      const at = line.indexOf(own);
      if (at < 0) leaveHead();
      else line.splice(at, 1);
      throw error;
    }
  };
  const leaveHead = (): void => {
    const next = line.shift();
    if (next === undefined) hasHead = false;
    else next.resolve();
  };

  return {
    /** Resolves at the head of the line, once there is a place and `admit` has let its taker in. */
    async take<T>(admit: () => Promise<T>, limit: Limit): Promise<T> {
      await reachHead(limit);
      try {
        while (places.taken >= places.allowed) await orAborted(left.promise, limit());
        const taker = await admit();
        places.taken += 1;
        return taker;
      } finally {
        leaveHead();
      }
    },
    leave(): void {
      places.taken -= 1;
      left.resolve();
      left = Promise.withResolvers();
    },
    onlyOne: (): void => void (places.allowed = 1),
    oneMore: (): void => void (places.allowed = Math.min(most, places.allowed + 1)),
    waiting: () => line.length + (hasHead ? 1 : 0),
  };
}
