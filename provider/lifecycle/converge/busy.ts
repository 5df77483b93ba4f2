// A server that refuses because something else is under way, until the deadline: what it said, for how long, and where
// the object stood.

import { formatDuration } from "../../domain/values/duration";
import { ApiError, WaitError } from "../../domain/errors";
import { nextPauseMs, type WaitPace } from "../session/pace";

/** A call is sent so often to what is settled and refuses it all the same: then the refusal is for good. */
export const MOST_REFUSALS = 7;

/** Counts the refusals of one call, and says when one more would be the same. */
export interface Refusals {
  /** How long to wait before the next try: a little longer each time. */
  pauseMs(elapsedMs: number): number;
  /** Whether the call is refused for good: so often, with nothing under way in between. */
  areForGood(error: unknown): boolean;
  /** Something was seen under way, which explains the refusals so far. */
  explained(): void;
}

export function countRefusals(pace: WaitPace): Refusals {
  let count = 0;
  return {
    pauseMs: (elapsedMs) => Math.max(nextPauseMs(elapsedMs, pace), count * pace.intervalMs),
    areForGood(error) {
      count = isExplained(error) ? 0 : count + 1;
      return count >= MOST_REFUSALS;
    },
    explained: () => {
      count = 0;
    },
  };
}

/** API: the server says itself that it will pass. */
function isExplained(error: unknown): boolean {
  return error instanceof ApiError && (error.saysBusy || error.category === "tooEarly");
}

/** The server's own words. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.apiMessage ?? error.message;
  return error instanceof Error ? error.message : String(error);
}

export interface Busy {
  operation: string;
  label: string;
  cause: Error;
  /** The last status seen. */
  status: string | undefined;
  elapsedMs: number;
}

export function stillBusy({ operation, label, cause, status = "not seen", elapsedMs }: Busy): WaitError {
  const still = `still so after ${formatDuration(elapsedMs)} (last status ${status})`;
  return new WaitError(
    "timeout",
    `${operation} of ${label}: ${wordsOf(cause)}; ${still}.${idOf(cause)}`,
    "Something else keeps it busy. Run the same command again when that is over.",
  );
}

function wordsOf(cause: Error): string {
  if (!(cause instanceof ApiError)) return cause.message;
  return [cause.status, cause.apiCode, cause.apiMessage].filter((word) => word !== undefined).join(" ");
}

function idOf(cause: Error): string {
  return cause instanceof ApiError && cause.requestId !== undefined ? ` Request id ${cause.requestId}` : "";
}
