// How often the process reads what it awaits, and how often it says so.

import type { Clock } from "../../domain/values/clock";

export interface WaitPace {
  clock: Clock;
  intervalMs: number;
  intervalMaxMs: number;
  random(): number;
}

/** A line at least this often while nothing changes, and the same line never more often. */
export const SILENCE_MS = 30_000;

/** The pause grows with the time since the last change: this share of it. */
const SHARE_OF_AGE = 0.015;
const JITTER = 0.05;

/** The pause before the next look at something that has not changed for so long. */
export function nextPauseMs(ageMs: number, pace: WaitPace): number {
  const object = Math.min(Math.max(pace.intervalMs, ageMs * SHARE_OF_AGE), pace.intervalMaxMs);
  return object * (1 + JITTER * pace.random());
}
