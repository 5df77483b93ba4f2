// The tag of the live object, before a delete and before the create of a replacement. Both end what the tag protects, so an
// object whose tag cannot be read stays.

import { ApiError, messageOf, RefusedError } from "../../domain/errors";
import { formatDuration } from "../../domain/values/duration";
import { pauseAfter } from "../session/boundedReads";
import { CONFIRMATION, createAnswers, DOUBT_MS } from "../session/confirmation";
import type { Session } from "../session/session";

/** What is about to happen to an object. */
interface Intent {
  session: Session;
  label: string;
  deadlineMs: number;
  /** The program has switched the protection off: an object that nobody can read must be deletable. */
  isOff: boolean;
  /** The end of a refusal: "nothing was deleted". */
  outcome: string;
}

/**
 * Whether reads show the tag. One wrong answer is no proof of the contrary: a read that failed is repeated, and so is one that
 * shows no object, or no tag (undefined). Throws where reads fail for too long, and at once where the key is refused. The
 * server's pauses, and waiting for one's turn, are no failures.
 */
export async function isTaggedProduction(
  { session: { clock, pace }, label, deadlineMs, isOff, outcome }: Intent,
  read: () => Promise<boolean | undefined>,
): Promise<boolean> {
  const answers = createAnswers();
  let failingSinceMs: number | undefined;
  for (;;) {
    let pauseMs = pace.intervalMs;
    try {
      const answer = await read();
      if (answer !== undefined) return answer;
      if (answers.isBelieved(answer, CONFIRMATION.noTag)) return false;
    } catch (error) {
      if (isRefusedKey(error)) throw error;
      if (isThrottled(error)) {
        pauseMs = pauseAfter(error, pauseMs);
        if (clock.now() + pauseMs > deadlineMs) throw error;
      } else {
        failingSinceMs ??= clock.now();
        const failingMs = clock.now() - failingSinceMs;
        if (isOff && failingMs >= DOUBT_MS.unreadTagOfUnprotected) return false;
        if (failingMs >= DOUBT_MS.unreadTag) throw unreadTag(label, failingMs, outcome, error);
      }
    }
    // Rejects where the operation was aborted.
    await clock.sleep(pauseMs);
  }
}

function isRefusedKey(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "auth" || error.category === "forbidden");
}

function isThrottled(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "rate" || error.retryAfterMs !== undefined);
}

function unreadTag(label: string, failingMs: number, outcome: string, error: unknown): RefusedError {
  return new RefusedError(
    `${label}: for ${formatDuration(failingMs)} no read told whether the tag PROD protects it (${messageOf(error)}); ${outcome}`,
    "Run the same command again once the server answers. A service that nobody can read any more goes without its tag once the program says `deletionProtection: false` and `pulumi up` has saved that; a read replica set goes in the console, and then out of the state with `pulumi state delete`.",
  );
}
