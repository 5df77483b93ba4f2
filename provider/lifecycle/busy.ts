// A server that refuses because something else is under way, until the deadline: what it said, for how long, and where
// the object stood.

import { formatDuration } from "../domain/duration";
import { ApiError, WaitError } from "../domain/errors";

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
