// A clock that owns time: when every request has been answered and all that is left is waiting, it jumps to the
// moment of the next waker. Real requests take real time and no clock time.

import type { Clock } from "../../provider/domain/clock";
import type { Transport } from "../../provider/api/exchange";

export interface JumpingClock extends Clock {
  /** Counts what is under way, so that the clock does not jump over an answer. */
  watch(transport: Transport): Transport;
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

  function tick(quiet: number): void {
    setImmediate(() => {
      if (isClosed || sleepers.size === 0) {
        isTicking = false;
        return;
      }
      if (underWay > 0) {
        tick(0);
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

  return {
    now: () => nowMs,
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
        if (!isTicking) {
          isTicking = true;
          tick(0);
        }
      });
    },
    watch: (transport) => ({
      async send(request) {
        underWay += 1;
        try {
          return await transport.send(request);
        } finally {
          underWay -= 1;
        }
      },
      close: () => transport.close(),
    }),
    close() {
      isClosed = true;
    },
  };
}
