// A clock that jumps: whoever sleeps is woken as soon as nothing else is left to do, in order of time.

import type { Clock } from "../../provider/domain/clock";

export interface VirtualClock extends Clock {
  /** How long every sleep was asked to last, in order. */
  readonly sleeps: number[];
  /** Sleeps that are neither over nor aborted. */
  readonly sleeping: number;
}

interface Sleeper {
  until: number;
  wake: () => void;
}

export function createVirtualClock(start = Date.parse("2026-03-01T00:00:00Z")): VirtualClock {
  const sleepers = new Set<Sleeper>();
  const sleeps: number[] = [];
  let now = start;

  const wakeNext = (): void => {
    const next = [...sleepers].toSorted((a, b) => a.until - b.until)[0];
    if (next === undefined) return;
    sleepers.delete(next);
    now = Math.max(now, next.until);
    next.wake();
  };

  return {
    sleeps,
    get sleeping() {
      return sleepers.size;
    },
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        sleeps.push(ms);
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        setImmediate(wakeNext);
        signal?.addEventListener("abort", () => {
          if (sleepers.delete(sleeper)) reject(signal.reason as Error);
        });
      }),
  };
}
