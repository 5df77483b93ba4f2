// How often a wait reads its object, and how often it reports progress.

import { ApiError } from "../domain/errors";
import type { WaitPace } from "./session";

/** While nothing changes, a wait reports at this interval. The same line is never shown more often. */
export const SILENCE_MS = 30_000;

/** As shares of the interval: the shortest pause, and the longest one while a wait is young. */
const SHORTEST = 1 / 10;
const LONGEST = 1 / 2;
/** As shares of the age of a wait: a pause, and the longest pause of an old wait. */
const OF_AGE = 1 / 4;
const OF_OLD_AGE = 1 / 50;
const JITTER = 0.05;

/**
 * The pause before the next read of a wait of this age: a quarter of the age, at least a tenth of the interval, at most half
 * of it, or 2 % of the age if that is more. The jitter shortens it, so that many processes do not come back together.
 */
export function nextPauseMs(ageMs: number, pace: WaitPace): number {
  const { intervalMs, intervalMaxMs } = pace;
  const longestMs = Math.max(LONGEST * intervalMs, OF_OLD_AGE * ageMs);
  const pauseMs = Math.max(SHORTEST * intervalMs, Math.min(OF_AGE * ageMs, longestMs));
  return Math.min(pauseMs, intervalMaxMs) * (1 - JITTER * pace.random());
}

/** The pause that the server asked for, and at least `leastMs`. */
export function pauseAfter(error: unknown, leastMs: number): number {
  return Math.max(leastMs, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
}
