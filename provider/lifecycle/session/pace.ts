// How often a wait reads its object, and how often it reports progress. forecast.ts adds reads between these.

import type { WaitPace } from "./session";

/** While nothing changes, a wait reports at this interval. The same line is never shown more often. */
export const SILENCE_MS = 30_000;

/** The pause grows with the time since the last change: this share of it. */
const SHARE_OF_AGE = 0.015;
const JITTER = 0.05;

/** Maximum pause during the first minutes of a change. */
const FIRST_MINUTES = { untilMs: 5.5 * 60_000, pauseMs: 2_850 };

/** The pause before the next read of an object that has not changed for `ageMs`. */
export function nextPauseMs(ageMs: number, pace: WaitPace): number {
  const mostMs = ageMs <= FIRST_MINUTES.untilMs ? FIRST_MINUTES.pauseMs : Number.POSITIVE_INFINITY;
  const shareMs = Math.min(ageMs * SHARE_OF_AGE, mostMs);
  const pauseMs = Math.min(Math.max(pace.intervalMs, shareMs), pace.intervalMaxMs);
  return pauseMs * (1 + JITTER * pace.random());
}
