// Counts and reports the refusals of a server that is busy with another change.

import type { ErrorName } from "../domain/errorName";
import { answerIn, ApiError, ProviderError, WaitError } from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import { CONFIRMATION } from "./patience";
import { nextPauseMs } from "./pace";
import type { Reported } from "./reported";
import type { PollOptions, Reader, Session } from "./session";
import { until } from "./wait";

export type Refusals = ReturnType<typeof countRefusals>;

/** Counts the refusals of one call from its first attempt on, and decides when they are final. */
export function countRefusals({ clock, pace }: Pick<Session, "clock" | "pace">) {
  const startedMs = clock.now();
  let count = 0;
  const refusals = {
    /** In words: how often and for how long, up to the one that is final. */
    told: () => {
      const elapsed = formatDuration(refusals.elapsedMs());
      return count === 0
        ? `refused for ${elapsed}`
        : `refused ${count} times in ${elapsed} while no change to it was under way`;
    },
    elapsedMs: () => clock.now() - startedMs,
    /** The backoff before the next attempt, which grows with each refusal. */
    pauseMs: () => Math.max(nextPauseMs(refusals.elapsedMs(), pace), Math.max(1, count) * pace.intervalMs),
    /** Whether the refusal is final: too many refusals without a change under way in between. */
    areForGood(error: unknown): boolean {
      // API: the server itself says that the refusal is temporary.
      const isExplained = error instanceof ApiError && (error.saysBusy || error.category === "tooEarly");
      count = isExplained ? 0 : count + 1;
      return count >= CONFIRMATION.refusal.agreeing;
    },
    /** Records that a change under way was observed, which explains the refusals so far. */
    explained: (): void => {
      count = 0;
    },
    /**
     * Waits until no change is under way, before the call is sent again. `isIdle` reads once, after the pause: false while a
     * change is under way, undefined without an answer. No read begins after `untilMs`, because a status may never show the
     * end of the change.
     */
    waitUntilIdle: (isIdle: () => Promise<boolean | undefined>, untilMs: number): Promise<void> =>
      until(clock, { untilMs, firstMs: refusals.pauseMs(), pauseMs: refusals.pauseMs }, async () => {
        const idle = await isIdle();
        if (idle === false) refusals.explained();
        return idle === true;
      }),
  };
  return refusals;
}

/** Polls an object once: whether a change of it has ended, because it has settled, or is gone. */
export async function hasEnded(reader: Reader<Reported>, id: string, poll: PollOptions): Promise<boolean> {
  const item = await reader.nextPoll(id, poll);
  return item === undefined || item.condition === "settled";
}

/** The operation in rows and timeouts of the wait for its effect, with an answer that proves nothing. */
export function operationAnswered(operation: string, error: unknown): string {
  const said = answerIn(error);
  return said === undefined ? operation : `${operation} (answered ${said})`;
}

interface Refused {
  operation: string;
  label: string;
  cause: Error;
  /** The text after the cause. */
  details?: string;
}

interface Busy extends Refused {
  /** The last observed status. */
  status: string | undefined;
  elapsedMs: number;
}

export function stillBusy({ status = "not seen", elapsedMs, ...refused }: Busy): WaitError {
  return new WaitError(
    "busy",
    "timeout",
    describeRefusal({
      ...refused,
      details: `${refused.details ?? ""}; still so after ${formatDuration(elapsedMs)} (last status ${status})`,
    }),
    "Something else keeps it busy. Run the same command again when that has finished.",
  );
}

/** The error for a call that waiting does not help. `details` says how often it was refused. */
export function refusedForGood(
  refused: Refused,
  errorName: ErrorName = "conflict",
  remedy = "Fix what the server names, in the console if it is not in the program, then run the same command again.",
): ProviderError {
  return new ProviderError("API", errorName, describeRefusal(refused), remedy);
}

function describeRefusal({ operation, label, cause, details = "" }: Refused): string {
  const requestId = cause instanceof ApiError ? cause.requestId : undefined;
  const tail = requestId === undefined ? "" : ` Request id ${requestId}`;
  return `${operation} of ${label}: ${answerIn(cause) ?? cause.message}${details}.${tail}`;
}
