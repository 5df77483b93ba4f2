// Reads single objects, each with a time limit.

import { ApiError, TransportError } from "../../domain/errors";
import { NOT_REACHED } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";
import type { ReadLimits } from "./session";

export type BoundedReads<O> = ReturnType<typeof createBoundedReads<O>>;

/** Time limit of one poll. */
export const READ_TIMEOUT_MS = 15_000;
/** Minimum time limit, for a read that begins at the deadline. */
export const LAST_READ_MS = 10_000;

export function createBoundedReads<O>(one: (id: string, limits: ReadLimits) => Promise<O | undefined>, clock: Clock) {
  const throttled = new Map<string, { untilMs: number; error: unknown }>();
  return {
    /** Rejects once the deadline has passed; a read that begins near or after it gets the minimum time limit. */
    async within<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
      const limit = new AbortController();
      const leftMs = Math.max(deadlineMs - clock.now(), LAST_READ_MS);
      const late = clock.sleep(leftMs, limit.signal).then(() => {
        throw new TransportError("read", "maybe", "no answer before the deadline");
      });
      try {
        return await Promise.race([answer, late]);
      } finally {
        late.catch(() => undefined);
        limit.abort(NOT_REACHED);
      }
    },
    /** One read with a time limit. During a pause that the server asked for, every read of the object fails with the last error. */
    async readOnce(id: string, deadlineMs: number): Promise<O | undefined> {
      const pause = throttled.get(id);
      if (pause !== undefined && clock.now() < pause.untilMs) throw pause.error;
      throttled.delete(id);
      try {
        return await one(id, boundedBy(deadlineMs));
      } catch (error) {
        const pauseMs = pauseAfter(error, 0);
        if (pauseMs > 0) throttled.set(id, { untilMs: clock.now() + pauseMs, error });
        throw error;
      }
    },
  };
}

export function boundedBy(deadlineMs: number): ReadLimits {
  return { deadlineMs, attempts: "onlyThrottled", timeoutMs: READ_TIMEOUT_MS };
}

/** The pause that the server asked for, and at least `leastMs`. */
export function pauseAfter(error: unknown, leastMs: number): number {
  return Math.max(leastMs, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
}
