// The rate limiter of a client: limits requests per second and requests at once, first come, first served. A server that
// accepts fewer gets fewer: each refusal doubles the distance between requests, every other answer
// shortens it.

import { orAborted } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";

export interface Gate {
  /** Resolves when it is this request's turn. */
  enter(signal?: AbortSignal): Promise<Turn>;
  /** How long the next request would wait, as far as that is known. */
  expectedWaitMs(): number;
  /** How long the pause that the server asked for still lasts. */
  pausedMs(): number;
}

/** A request on its way. */
export interface Turn {
  /** The server wants fewer requests, and none at all for `pauseMs`. */
  refused(pauseMs: number): void;
  /** The server wants no request for `pauseMs`; its rate is not affected. */
  paused(pauseMs: number): void;
  /** The server did not refuse the request for its rate. */
  answered(): void;
  /** The request has ended. Its sender must call this once. */
  leave(): void;
}

/** A refusal doubles the distance between requests, from and up to this; some twenty answers halve it again. */
const FIRST_SPACING_MS = 1;
const LONGEST_SPACING_MS = 2_000;
const SHRINK = 0.97;

export function createGate(clock: Clock, maxRequestsPerSecond: number, maxConcurrency: number): Gate {
  /** The distance by the configured rate. */
  const leastMs = 1_000 / maxRequestsPerSecond;
  /** The distance that the server accepts. */
  let spacingMs = leastMs;
  /** When the distance was last doubled. */
  let slowedMs = Number.NEGATIVE_INFINITY;
  /** When the next request may go by the rate, and by the server's pause. */
  let nextSlot = 0;
  let pausedUntil = 0;
  /** Resolves when everybody who waits has gone or given up. */
  let line: Promise<void> = Promise.resolve();
  let waiting = 0;
  let running = 0;
  /** Resolves when the next request ends. */
  let ended = Promise.withResolvers<void>();

  const waitMs = (): number => Math.max(nextSlot, pausedUntil) - clock.now();

  const paused = (pauseMs: number): void => {
    pausedUntil = Math.max(pausedUntil, clock.now() + pauseMs);
  };

  const createTurn = (): Turn => {
    const enteredMs = clock.now();
    return {
      answered() {
        spacingMs = Math.max(leastMs, spacingMs * SHRINK);
      },
      paused,
      refused(pauseMs) {
        paused(pauseMs);
        // Those sent before it was slowed say nothing about the new pace.
        if (enteredMs <= slowedMs) return;
        slowedMs = clock.now();
        const doubled = Math.min(Math.max(2 * spacingMs, FIRST_SPACING_MS), LONGEST_SPACING_MS);
        spacingMs = Math.max(leastMs, doubled);
      },
      leave() {
        running -= 1;
        ended.resolve();
        ended = Promise.withResolvers();
      },
    };
  };

  /** Resolves at the head of the line, once there is room and time for a request. */
  const admitted = async (before: Promise<void>, signal: AbortSignal | undefined): Promise<Turn> => {
    await orAborted(before, signal);
    // Nobody else is admitted meanwhile, so one that ends leaves room.
    if (running >= maxConcurrency) await orAborted(ended.promise, signal);
    // A slot that is less than a millisecond away is used early; the average rate stays the same.
    while (waitMs() >= 1) await clock.sleep(waitMs(), signal);
    running += 1;
    nextSlot = Math.max(nextSlot, clock.now()) + spacingMs;
    return createTurn();
  };

  const noValue = (): void => undefined;

  return {
    enter(signal) {
      const before = line;
      const turn = admitted(before, signal).finally(() => (waiting -= 1));
      waiting += 1;
      line = before.then(() => turn).then(noValue, noValue);
      return turn;
    },
    expectedWaitMs: () => Math.max(0, waitMs()) + waiting * spacingMs,
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
  };
}
