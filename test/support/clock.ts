// The clock of the tests. Sleepers do not wait: when no request is in flight and only sleepers are left, the clock jumps
// to the end of the earliest sleep. Real requests take real time and no clock time.

import type { Transport } from "../../provider/api/http/exchange";
import type { Clock, WallClock } from "../../provider/domain/values/clock";

/** Both clocks, which agree. */
export interface TestClock extends Clock, WallClock {
  /** The requested duration of every sleep, in order. */
  readonly sleeps: readonly number[];
  /** Sleeps that are neither over nor aborted. */
  readonly sleeping: number;
  /** Counts the requests in flight, so that the clock does not jump while one is unanswered. */
  track(transport: Transport): Transport;
  /** Stops the clock until the returned function is called, once. */
  hold(): () => void;
  /** The clock never jumps again. */
  close(): void;
}

interface Sleeper {
  untilMs: number;
  wake(): void;
}

/** The clock jumps after this many turns of the event loop without a request in flight. */
const QUIET_TURNS = 3;

export function createTestClock(startMs: number = Date.UTC(2026, 0, 1)): TestClock {
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];
  let nowMs = startMs;
  let inFlight = 0;
  let isTicking = false;
  let isClosed = false;

  function start(): void {
    if (isTicking || isClosed || inFlight > 0 || sleepers.size === 0) return;
    isTicking = true;
    tick(0);
  }

  function tick(quietTurns: number): void {
    setImmediate(() => {
      if (isClosed || sleepers.size === 0 || inFlight > 0) {
        isTicking = false;
        return;
      }
      if (quietTurns < QUIET_TURNS) {
        tick(quietTurns + 1);
        return;
      }
      jump();
      tick(0);
    });
  }

  function jump(): void {
    const untilMs = Math.min(...[...sleepers].map((sleeper) => sleeper.untilMs));
    nowMs = Math.max(nowMs, untilMs);
    for (const sleeper of [...sleepers].filter((one) => one.untilMs <= nowMs)) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  function hold(): () => void {
    inFlight += 1;
    return () => {
      inFlight -= 1;
      start();
    };
  }

  return {
    sleeps,
    get sleeping() {
      return sleepers.size;
    },
    now: () => nowMs,
    epochMs: () => nowMs,
    hold,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(reasonOf(signal));
          return;
        }
        sleeps.push(ms);
        const sleeper: Sleeper = { untilMs: nowMs + Math.max(0, ms), wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => {
          if (sleepers.delete(sleeper)) reject(reasonOf(signal));
        });
        start();
      });
    },
    track: (transport) => ({
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

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("aborted");
}
