// The waiter: reads and asks the acceptor until success, failure or the deadline. A read that may pass next time ends no wait;
// a refusal of the key does, and so do five minutes of answers that break the contract. At the deadline a wait always throws, with the observed statuses, their counts and the time that passed.

import { ApiError, ContractError, ProviderError, WaitError, isPassing } from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import { DOUBT_MS } from "./patience";
import { nextPauseMs, pauseAfter, SILENCE_MS } from "./pace";
import type { Reader, WaitPace } from "./session";

/** What one read means for the wait: success, retry or failure. */
export type Acceptance =
  /** Success. `seen` is the last progress on the row, if there was any. */
  | { is: "success"; seen?: string }
  /**
   * Retry. `seen` is counted for the report of a timeout; a change of it is progress, unless `isQuiet`. The next read
   * comes after a pause, or with `again` at once and for this object alone, to confirm this one. `error` is that of a read
   * without an answer: a timeout reports it, and the pause that it asks for is kept.
   */
  | { is: "retry"; seen: string; isQuiet?: true; again?: "own" | undefined; error?: Error }
  /** Failure. */
  | { is: "failure"; why: string };

type Retry = Acceptance & { is: "retry" };

/** A single 404 proves nothing. */
export const NOT_FOUND: Retry = { is: "retry", seen: "not found" };

/** The first read of a wait; all others are shared. */
export type FirstRead =
  /** Nothing was sent yet: an object read a moment ago is enough. */
  | "recent"
  /** The effect most likely shows: reads this object alone, at once. */
  | "own"
  /** Joins the shared poll. */
  | "shared"
  /** The answer of the call, or a read a moment ago, shows that it takes a while: joins the shared poll after a pause. */
  | "later"
  /** The effect did not show at once: reads after a pause, which the distance of lists does not prolong. */
  | "soon";

export interface Wait<O> {
  /** What the wait is for, by the API's own name: "resize". */
  what: string;
  /** The object in errors, "service orders (svc1)"; progress needs no label, because it shows on the object's own row. */
  label: string;
  id: string;
  acceptor(item: O): Acceptance;
  /** What a read that does not find the object means. */
  absent(): Promise<Acceptance>;
  deadlineMs: number;
  /** The kind of the first read. Default: "shared". */
  first?: FirstRead;
  report: (line: string) => void;
}

/** The hint of a wait that failed. */
const HINTS = {
  vanished: "Run `pulumi refresh` to see what happened to it.",
  terminal: "Check the console for the cause. The next `pulumi up` reads it again, and continues if it can.",
};

/** The object with which the acceptor answered "success"; undefined when the wait was for the object to be gone. */
export async function waitFor<O>(reader: Reader<O>, wait: Wait<O>, pace: WaitPace): Promise<O | undefined> {
  const { clock } = pace;
  const startedMs = clock.now();
  const history = createStatusHistory(wait, startedMs);
  let how: FirstRead = wait.first ?? "shared";
  let readableMs = startedMs;
  let leastMs = 0;
  for (;;) {
    const answer: Promise<O | undefined> = readNext(reader, wait, pace, { how, startedMs, leastMs });
    const [acceptance, item]: [Acceptance, O | undefined] = await accepted(answer, wait);
    const nowMs = clock.now();
    const error = acceptance.is === "retry" ? acceptance.error : undefined;
    if (!(error instanceof ContractError)) readableMs = nowMs;
    else if (nowMs - readableMs >= DOUBT_MS.unreadable) throw error;
    if (acceptance.is === "success") {
      history.end(acceptance.seen, nowMs);
      return item;
    }
    if (acceptance.is === "failure") {
      const reason = item === undefined ? "vanished" : "terminal";
      throw new WaitError(
        reason === "vanished" ? reason : "object-failed",
        reason,
        `${wait.what} of ${wait.label}: ${acceptance.why}`,
        HINTS[reason],
      );
    }
    history.go(acceptance, nowMs);
    if (nowMs >= wait.deadlineMs) throw history.timeout(acceptance, nowMs);
    how = acceptance.again ?? (how === "own" ? "soon" : "later");
    leastMs = pauseAfter(error, 0);
  }
}

/** The statuses that a wait has observed so far, and the progress that it reports. */
function createStatusHistory<O>({ what, label, report }: Wait<O>, startedMs: number) {
  const counts = new Map<string, number>();
  let last: string | undefined;
  let reportedMs = startedMs;
  const reportStatus = (status: string, nowMs: number): void => {
    report(`${what}: ${status}${nowMs === startedMs ? "" : `, ${formatDuration(nowMs - startedMs)}`}`);
    reportedMs = nowMs;
  };
  return {
    go(acceptance: Retry, nowMs: number): void {
      counts.set(acceptance.seen, (counts.get(acceptance.seen) ?? 0) + 1);
      const isSilent = nowMs - reportedMs >= SILENCE_MS;
      if (acceptance.isQuiet === true && !isSilent) return;
      if (acceptance.seen !== last || isSilent) reportStatus(acceptance.seen, nowMs);
      last = acceptance.seen;
    },
    end(status: string | undefined, nowMs: number): void {
      if (last !== undefined && status !== undefined) reportStatus(status, nowMs);
    },
    timeout({ seen, error }: Retry, nowMs: number): WaitError {
      const why = error instanceof ProviderError ? `. The last read: ${error.withRemedy}` : "";
      const all = `(last seen ${seen}; seen: ${tally(counts)})`;
      return new WaitError(
        "timed-out",
        "timeout",
        `${what} of ${label}: not done after ${formatDuration(nowMs - startedMs)} ${all}${why}`,
        "If it is only slow, give it a longer time with `timeouts`.",
      );
    },
  };
}

function readNext<O>(
  reader: Reader<O>,
  { id, deadlineMs }: Wait<O>,
  pace: WaitPace,
  { how, startedMs, leastMs }: { how: FirstRead; startedMs: number; leastMs: number },
): Promise<O | undefined> {
  const nowMs = pace.clock.now();
  switch (how) {
    case "recent":
      return reader.get(id, { maxAgeMs: pace.intervalMs / 2, deadlineMs, isOnce: true });
    case "own":
      return reader.fetch(id, deadlineMs);
    case "shared":
      return reader.nextPoll(id, { deadlineMs });
    default: {
      const pauseMs = Math.max(nextPauseMs(nowMs - startedMs, pace), leastMs);
      const inMs = Math.min(pauseMs, Math.max(0, deadlineMs - nowMs));
      return reader.nextPoll(id, { inMs, isAtOnce: how === "soon" && leastMs === 0, deadlineMs });
    }
  }
}

async function accepted<O>(answer: Promise<O | undefined>, wait: Wait<O>): Promise<[Acceptance, O | undefined]> {
  try {
    const item = await answer;
    return item === undefined ? [await wait.absent(), undefined] : [wait.acceptor(item), item];
  } catch (error) {
    if (!isPassing(error)) throw error;
    if (error instanceof ContractError) return [{ is: "retry", seen: error.message, error }, undefined];
    return [{ is: "retry", seen: `no answer (${shorten(error)})`, isQuiet: true, error }, undefined];
  }
}

function shorten(error: unknown): string {
  if (error instanceof ApiError) return String(error.status);
  return error instanceof ProviderError ? error.code.toLowerCase() : "error";
}

/** How often each status was observed, the most frequent first. */
export function tally(counts: ReadonlyMap<string, number>): string {
  const seen = [...counts].toSorted((a, b) => b[1] - a[1]);
  return seen.map(([words, count]) => `${words} ×${count}`).join(", ");
}
