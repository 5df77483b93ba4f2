// How often a wait reads its object, and how often it reports progress.

import type { Clock } from "../../domain/values/clock";

export interface WaitPace {
  clock: Clock;
  intervalMs: number;
  intervalMaxMs: number;
  random(): number;
}

/** While nothing changes, a wait reports at this interval; the same line never shows more often. */
export const SILENCE_MS = 30_000;

/** The pause grows with the time since the last change: this share of it. */
const SHARE_OF_AGE = 0.015;
const JITTER = 0.05;

/** The pause before the next read of an object that has not changed for `ageMs`. */
export function nextPauseMs(ageMs: number, pace: WaitPace): number {
  const pauseMs = Math.min(Math.max(pace.intervalMs, ageMs * SHARE_OF_AGE), pace.intervalMaxMs);
  return pauseMs * (1 + JITTER * pace.random());
}
