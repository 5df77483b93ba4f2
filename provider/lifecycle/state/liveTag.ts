// Reads the tag of the live object before a delete, and before the create of a replacement. Both end what the tag protects,
// so an object whose tag cannot be read is kept.

import { ApiError, messageOf, RefusedError } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import { pauseAfter } from "../session/boundedReads";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "../session/confirmation";
import type { Session } from "../session/session";

/** The operation that is about to start. */
interface Intent {
  session: Session;
  label: string;
  deadlineMs: number;
  /** What to do if no read shows the tag. */
  unread: Unread;
  /** The end of a refusal: "nothing was deleted". */
  outcome: string;
  report: (line: string) => void;
}

export interface Unread {
  afterMs: number;
  isRefused: boolean;
}

export const UNREAD = {
  protected: { afterMs: DOUBT_MS.unreadTag, isRefused: true },
  /** The program has switched the protection off, or no tag would protect it. An unreadable object must be deletable. */
  off: { afterMs: DOUBT_MS.unreadTagOfUnprotected, isRefused: false },
  /** A replica set: it holds no data, and its entry does not record whether the protection of its service is off. */
  part: { afterMs: DOUBT_MS.unreadTag, isRefused: false },
} as const satisfies Record<string, Unread>;

const WITHOUT_TAG =
  "Run the same command again once the server answers. Where nobody can read the service any more: set `deletionProtection: false` (where it was taken out of the program, put it back with that), run `pulumi up`, which saves that without a call, and it goes without its tag.";
const ANOTHER_TRY =
  "Run the same command again once the server answers, with a longer time in `timeouts` if this one was short.";

/**
 * Returns whether reads show the tag. One wrong answer proves nothing: a failed read is repeated, and so is a read that shows
 * no object or no tag (undefined). Throws at once if the key is refused, and at the deadline. Pauses that the server asks for
 * have a longer limit than failures; the time in a queue counts as neither.
 */
export async function isTaggedProduction(
  { session: { clock, pace }, label, deadlineMs, unread, outcome, report }: Intent,
  read: () => Promise<boolean | undefined>,
): Promise<boolean> {
  const answers = createAnswers();
  const startedMs = clock.now();
  let since: { pause?: number; failure?: number } = {};
  for (;;) {
    let pauseMs = pace.intervalMs;
    try {
      const answer = await read();
      if (answer !== undefined) return answer;
      if (answers.isBelieved(answer, CONFIRMATION.noTag)) return false;
      since = {};
    } catch (error) {
      if (isRefusedKey(error)) throw error;
      pauseMs = pauseAfter(error, pauseMs);
      const is = isThrottled(error) ? "pause" : "failure";
      const sinceMs = (since[is] ??= clock.now());
      const isOver = clock.now() - sinceMs >= (is === "pause" ? DOUBT_MS.unreadTag : unread.afterMs);
      if (isOver && !unread.isRefused) return false;
      if (isOver || clock.now() + pauseMs > deadlineMs) {
        const told = `${label}: for ${formatDuration(clock.now() - startedMs)} no read told whether the tag PROD protects it`;
        throw new RefusedError(
          `${told} (${messageOf(error)}); ${outcome}`,
          unread.isRefused ? WITHOUT_TAG : ANOTHER_TRY,
        );
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
