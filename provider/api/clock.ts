// The clocks of this process: a monotonic one for waits and deadlines, and the time of day as the machine has it.

import { onAbort } from "../domain/values/abort";
import type { Clock, WallClock } from "../domain/values/clock";

/** Node: a longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  // Node: the timers of promises make an error with a stack for each one that ends early, which most do.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(over, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
      const release = signal === undefined ? undefined : onAbort(signal, aborted);
      function over(): void {
        release?.();
        resolve();
      }
      function aborted(): void {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      }
    }),
};

export const systemWallClock: WallClock = { epochMs: () => Date.now() };
