// Reads the tag of a live object before its delete, and before the create of its successor.

import { ApiError, messageOf } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import { pauseAfter } from "../session/boundedReads";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "../session/confirmation";
import type { Session } from "../session/session";
import type { LiveTag } from "./decideDelete";

interface TagRead {
  session: Session;
  label: string;
  deadlineMs: number;
  /** How long failed reads are repeated. */
  patienceMs: number;
  report: (line: string) => void;
}

/**
 * One wrong answer proves nothing: a failed read is repeated, and so is a read that shows no object or no tag (undefined).
 * Throws at once if the key is refused. Pauses that the server asks for have a limit of their own; the time in a queue does
 * not count.
 */
export async function readTag(
  { session: { clock, pace }, label, deadlineMs, patienceMs, report }: TagRead,
  read: () => Promise<boolean | undefined>,
): Promise<LiveTag> {
  const answers = createAnswers();
  const startedMs = clock.now();
  let since: { pause?: number; failure?: number } = {};
  for (;;) {
    let pauseMs = pace.intervalMs;
    try {
      const answer = await read();
      if (answer !== undefined) return { is: answer ? "production" : "other" };
      if (answers.isBelieved(answer, CONFIRMATION.noTag)) return { is: "other" };
      since = {};
    } catch (error) {
      if (isRefusedKey(error)) throw error;
      pauseMs = pauseAfter(error, pauseMs);
      const is = isThrottled(error) ? "pause" : "failure";
      const sinceMs = (since[is] ??= clock.now());
      const isOver = clock.now() - sinceMs >= (is === "pause" ? DOUBT_MS.unreadTag : patienceMs);
      if (isOver || clock.now() + pauseMs > deadlineMs) {
        const told = `for ${formatDuration(clock.now() - startedMs)} no read told whether the tag PROD protects it`;
        return { is: "unreadable", why: `${told} (${messageOf(error)})`, isTimeUp: !isOver };
      }
      report(`${label}: no read tells yet whether the tag PROD protects it (${messageOf(error)}); waiting`);
    }
    // Rejects if the operation was aborted.
    await clock.sleep(pauseMs);
  }
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "auth" || error.category === "forbidden");
}

function isThrottled(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.category === "rate" || (error.status === 503 && error.retryAfterMs !== undefined);
}
