// Classifies failed calls, and counts and reports the refusals of a server that is busy with another change.

import { ApiError, ContractError, messageOf, RefusedError, TransportError, WaitError } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import type { Target } from "../resources/operation";
import { CONFIRMATION } from "../session/confirmation";
import { nextPauseMs } from "../session/pace";
import type { Session } from "../session/session";

/** The effect of a failed call on the object: nothing changed, nothing changed yet, or unknown. */
export function outcomeOf(error: unknown): "refused" | "busy" | "unknown" {
  if (error instanceof TransportError) return error.sent === "no" ? "refused" : "unknown";
  if (error instanceof ContractError) return "unknown";
  if (error instanceof ApiError) {
    if (error.category === "conflict" || error.category === "tooEarly") return "busy";
    // API: a server or a gateway may answer with a redirect although it has made the change.
    const isRedirect = error.status >= 300 && error.status < 400;
    if (error.category === "server" || isRedirect) return "unknown";
  }
  return "refused";
}

export type Refusals = ReturnType<typeof countRefusals>;

/** Counts the refusals of one call from its first attempt on, and decides when they are final. */
export function countRefusals({ clock, pace }: Pick<Session, "clock" | "pace">) {
  const startedMs = clock.now();
  let count = 0;
  const refusals = {
    elapsedMs: () => clock.now() - startedMs,
    /** The backoff before the next attempt, which grows with each refusal; not beyond the deadline. */
    pauseMs(deadlineMs: number): number {
      const pauseMs = Math.max(nextPauseMs(refusals.elapsedMs(), pace), Math.max(1, count) * pace.intervalMs);
      return Math.min(pauseMs, Math.max(0, deadlineMs - clock.now()));
    },
    /** Whether the refusal is final: too many refusals without a change under way in between. */
    areForGood(error: unknown): boolean {
      count = isExplained(error) ? 0 : count + 1;
      return count >= CONFIRMATION.refusal.agreeing;
    },
    /** Records that a change under way was observed, which explains the refusals so far. */
    explained: (): void => {
      count = 0;
    },
    /**
     * Polls until no change is under way, before the call is sent again. `isIdle` polls once, after the pause: false while
     * a change is under way, undefined without an answer. No poll begins after `untilMs`, because a status may never show
     * the end of the change.
     */
    async waitUntilIdle(
      isIdle: (pauseMs: number) => Promise<boolean | undefined>,
      { untilMs, deadlineMs }: { untilMs: number; deadlineMs: number },
    ): Promise<void> {
      do {
        const idle = await isIdle(refusals.pauseMs(deadlineMs));
        if (idle === true) return;
        if (idle === false) refusals.explained();
      } while (clock.now() < untilMs);
    },
  };
  return refusals;
}

/** API: the server itself says that the refusal is temporary. */
function isExplained(error: unknown): boolean {
  return error instanceof ApiError && (error.saysBusy || error.category === "tooEarly");
}

/** The server's own message. */
export function serverMessageOf(error: unknown): string {
  return (error instanceof ApiError ? error.apiMessage : undefined) ?? messageOf(error);
}

/** The operation in rows and timeouts of the wait for its effect, with the words of an answer that proves nothing. */
export function operationAnswered(operation: string, error: unknown): string {
  const said = error instanceof ContractError ? error.said : undefined;
  return said === undefined ? operation : `${operation} (answered ${said})`;
}

interface Busy {
  operation: string;
  label: string;
  cause: Error;
  /** The last observed status. */
  status: string | undefined;
  elapsedMs: number;
  /** The text after the cause. */
  details?: string;
}

export function stillBusy({ operation, label, cause, status = "not seen", elapsedMs, details = "" }: Busy): WaitError {
  const duration = `still so after ${formatDuration(elapsedMs)} (last status ${status})`;
  return new WaitError(
    "timeout",
    `${operation} of ${label}: ${describeCause(cause)}${details}; ${duration}.${requestIdIn(cause)}`,
    "Something else keeps it busy. Run the same command again when that is over.",
  );
}

function describeCause(cause: Error): string {
  if (!(cause instanceof ApiError)) return cause.message;
  return [cause.status, cause.apiCode, cause.apiMessage].filter((word) => word !== undefined).join(" ");
}

function requestIdIn(cause: Error): string {
  return cause instanceof ApiError && cause.requestId !== undefined ? ` Request id ${cause.requestId}` : "";
}

// Operations that the contract does not document, so that a server may lack them. In that case nothing is changed, and the
// error names a remedy.

/** The error of a failed call, reworded if it most likely means that the server has no such route. */
export async function explainAbsence(
  { resource, session, id, scope, label }: Target,
  operation: string,
  remedy: string | undefined,
  error: unknown,
): Promise<unknown> {
  if (remedy === undefined || !(error instanceof ApiError)) return error;
  if (error.category === "forbidden") {
    // API: an account plan without the operation gets the same answer as a key without the permission.
    return new RefusedError(
      `${operation} of ${label}: ${error.message}`,
      `${error.hint ?? ""} If the key is in order, this server or plan does not offer it: ${remedy}`.trim(),
    );
  }
  const isRouteMissing =
    error.category === "absentRoute" ||
    (error.category === "notFound" && (await resource.reader(session, scope).get(id)) !== undefined);
  if (!isRouteMissing) return error;
  return new RefusedError(
    `${operation} of ${label}: this server does not offer it (${error.status}); nothing was changed`,
    remedy,
  );
}
