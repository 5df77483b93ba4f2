// The rate limiter of a client: limits requests per second and requests at once, first come, first served. A server that
// accepts fewer gets fewer: each refusal doubles the distance between requests, every other answer
// shortens it.

import { onAbort } from "../../domain/values/abort";
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

export interface GateOptions {
  clock: Clock;
  maxRequestsPerSecond: number;
  maxConcurrency: number;
}

/** A refusal doubles the distance between requests, from and up to this; some twenty answers halve it again. */
const FIRST_SPACING_MS = 1;
const LONGEST_SPACING_MS = 2_000;
const SHRINK = 0.97;

export function createGate({ clock, maxRequestsPerSecond, maxConcurrency }: GateOptions): Gate {
  /** The distance by the configured rate. */
  const leastMs = 1_000 / maxRequestsPerSecond;
  /** The distance that the server accepts. */
  let spacingMs = leastMs;
  /** When the distance was last doubled. */
  let slowedMs = Number.NEGATIVE_INFINITY;
  /** When the next request may go by the rate, and by the server's pause. */
  let nextSlot = 0;
  let pausedUntil = 0;
  let running = 0;
  /** First come, first served. */
  const waiting = new Set<() => void>();
  /** Set while the first request in line waits for its time slot, not for another request to end. */
  let alarm: AbortController | undefined;

  const waitMs = (): number => Math.max(nextSlot, pausedUntil) - clock.now();

  const advance = (): void => {
    for (const admit of waiting) {
      if (alarm !== undefined || running >= maxConcurrency) return;
      // A slot that is less than a millisecond away is used early; the average rate stays the same.
      if (waitMs() >= 1) return setAlarm();
      waiting.delete(admit);
      running += 1;
      nextSlot = Math.max(nextSlot, clock.now()) + spacingMs;
      admit();
    }
  };

  const setAlarm = (): void => {
    const own = new AbortController();
    const ring = (): void => {
      if (alarm !== own) return;
      alarm = undefined;
      advance();
    };
    alarm = own;
    clock.sleep(waitMs(), own.signal).then(ring, ring);
  };

  const giveUp = (admit: () => void): void => {
    waiting.delete(admit);
    if (waiting.size > 0) return;
    const last = alarm;
    alarm = undefined;
    last?.abort();
  };

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
        advance();
      },
    };
  };

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const admit = (): void => {
          release?.();
          resolve(createTurn());
        };
        const release =
          signal &&
          onAbort(signal, () => {
            giveUp(admit);
            reject(signal.reason as Error);
          });
        waiting.add(admit);
        advance();
      }),
    expectedWaitMs: () => Math.max(0, waitMs()) + waiting.size * spacingMs,
    pausedMs: () => Math.max(0, pausedUntil - clock.now()),
  };
}
