// A clock that owns time: when every request has been answered and all that is left is waiting, it jumps to the
// moment of the next waker. Real requests take real time and no clock time.

import type { Clock } from "../../provider/domain/clock";
import type { Transport } from "../../provider/api/exchange";

export interface JumpingClock extends Clock {
  /** Counts what is under way, so that the clock does not jump over an answer. */
  watch(transport: Transport): Transport;
  /** The clock stands still until the returned function is called, once. */
  hold(): () => void;
  close(): void;
}

interface Sleeper {
  untilMs: number;
  wake(): void;
}

/** Turns of the event loop in which nothing may happen before the clock jumps. */
const QUIET_TURNS = 3;

export function createJumpingClock(startMs: number = Date.UTC(2026, 0, 1)): JumpingClock {
  const sleepers = new Set<Sleeper>();
  let nowMs = startMs;
  let underWay = 0;
  let isTicking = false;
  let isClosed = false;

  function start(): void {
    if (isTicking || isClosed || underWay > 0 || sleepers.size === 0) return;
    isTicking = true;
    tick(0);
  }

  function tick(quiet: number): void {
    setImmediate(() => {
      if (isClosed || sleepers.size === 0 || underWay > 0) {
        isTicking = false;
        return;
      }
      if (quiet < QUIET_TURNS) {
        tick(quiet + 1);
        return;
      }
      const untilMs = Math.min(...[...sleepers].map((sleeper) => sleeper.untilMs));
      nowMs = Math.max(nowMs, untilMs);
      for (const sleeper of [...sleepers].filter((one) => one.untilMs <= nowMs)) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
      tick(0);
    });
  }

  function hold(): () => void {
    underWay += 1;
    return () => {
      underWay -= 1;
      start();
    };
  }

  return {
    now: () => nowMs,
    hold,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
          return;
        }
        const sleeper: Sleeper = { untilMs: nowMs + Math.max(0, ms), wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          if (!sleepers.delete(sleeper)) return;
          reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
        });
        start();
      });
    },
    watch: (transport) => ({
      async send(request) {
        const release = hold();
        try {
          return await transport.send(request);
        } finally {
          release();
        }
      },
      close: () => transport.close(),
    }),
    close() {
      isClosed = true;
    },
  };
}
