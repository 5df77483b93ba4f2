// The monotonic clock of this process, for waits and deadlines.

import { setTimeout } from "node:timers/promises";
import type { Clock } from "../domain/values/clock";

/** Node: a longer timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  async sleep(ms, signal) {
    const timer = setTimeout(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), undefined, { signal });
    // Node: it rejects with an error of its own.
    await timer.catch(() => signal?.throwIfAborted());
  },
};
