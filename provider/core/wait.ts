// The waiter: `ask` puts one question until it is answered. Beside the sender and the observer, no other code of the core
// sleeps. A wait ends with the answer ("yes"), with an error of who judges the reads ("never", or thrown by it), with the run
// (its clock and its reads are aborted), or when the time is up ("late"): a wait for the effect of a call with an error of the
// observed statuses, their counts and the time that passed, others with what they know by then. A read that may pass next time ends no wait; a refusal of the key does, and
// so do five minutes of answers that break the contract. How a wait for an object judges what it shows: `waitForObject.ts`.

import { ApiError, ContractError, ProviderError, WaitError, isPassing } from "../domain/errors";
import type { Clock } from "../domain/values/clock";
import { formatDuration } from "../domain/values/duration";
import { DOUBT_MS } from "./patience";
import { nextPauseMs, pauseAfter, SILENCE_MS } from "./pace";
import type { Reader, WaitPace } from "./session";

/** What one look means for the question. */
export type Verdict<A> =
  /** `seen` is the last progress on the row, if there was any. */
  { is: "yes"; answer: A; seen?: string } | NotYet | { is: "never"; error: Error };

interface NotYet {
  is: "notYet";
  /** Counted for the report of a timeout; a change of it is progress, unless `isQuiet`. */
  seen: string;
  isQuiet?: true;
  /** The pause before the next look. Default: that of the question. */
  inMs?: number;
  /** The next read of an object comes at once and for this object alone, to confirm this one. */
  next?: "own" | undefined;
  /** Of a read without an answer: a timeout reports it, and the pause that it asks for is kept. */
  error?: Error;
}

/** What has been seen until the time was up. */
interface Seen {
  looks: number;
  seen: string;
  error: Error | undefined;
  /** In words: how often each status was observed. */
  tally: string;
  elapsedMs: number;
}

export interface Question<A> {
  /** The last look comes just then. */
  untilMs: number;
  /** The pause before the first look. Default: none. */
  firstMs?: number;
  /** The pause after so many looks. */
  pauseMs(ageMs: number, looks: number): number;
  /** Shows progress. Default: there is none. */
  report?(seen: string, elapsedMs: number): void;
  /** The answer when the time is up. */
  late(last: Seen): A;
  /** Looks once, after this pause. `failed`: the error of the look before, if it had no answer. */
  look(inMs: number, failed: Error | undefined): Promise<Verdict<A>>;
}

/** Looks until there is an answer, or the time is up. */
export async function ask<A>(clock: Clock, question: Question<A>): Promise<A> {
  const { untilMs, firstMs = 0 } = question;
  const startedMs = clock.now();
  const counts = new Map<string, number>();
  let [reportedMs, readableMs, nextMs] = [startedMs, startedMs, firstMs];
  let reported: string | undefined;
  let failed: Error | undefined;
  for (let looks = 1; ; looks += 1) {
    const inMs = Math.max(0, Math.min(nextMs, untilMs - clock.now()));
    const verdict = await question.look(inMs, failed);
    if (verdict.is === "never") throw verdict.error;
    const nowMs = clock.now();
    const elapsedMs = nowMs - startedMs;
    if (verdict.is === "yes") {
      if (reported !== undefined && verdict.seen !== undefined) question.report?.(verdict.seen, elapsedMs);
      return verdict.answer;
    }
    const { seen, isQuiet = false, error } = verdict;
    if (!(error instanceof ContractError)) readableMs = nowMs;
    else if (nowMs - readableMs >= DOUBT_MS.endsByItself) throw error;
    counts.set(seen, (counts.get(seen) ?? 0) + 1);
    const isSilent = nowMs - reportedMs >= SILENCE_MS;
    if (isSilent || (!isQuiet && seen !== reported)) {
      question.report?.(seen, elapsedMs);
      [reported, reportedMs] = [seen, nowMs];
    }
    if (nowMs >= untilMs) return question.late({ seen, error, tally: inWords(counts), looks, elapsedMs });
    failed = error;
    nextMs = pauseAfter(error, verdict.inMs ?? question.pauseMs(elapsedMs, looks));
  }
}

/** A look that takes the whole pause. A shared read may come sooner. */
export function afterPause<A>(clock: Clock, look: () => Promise<Verdict<A>>): Question<A>["look"] {
  return async (inMs) => {
    if (inMs > 0) await clock.sleep(inMs);
    return look();
  };
}

/** Waits until something is so. The end of the time is no failure. */
export function until(
  clock: Clock,
  times: Pick<Question<void>, "untilMs" | "firstMs" | "pauseMs">,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const look = afterPause<void>(clock, async () =>
    (await isSo()) ? { is: "yes", answer: undefined } : { is: "notYet", seen: "not so" },
  );
  return ask(clock, { ...times, look, late: () => undefined });
}

/** A read without an answer, which may pass next time. Throws what does not pass. */
export function unanswered(error: unknown): NotYet {
  if (!isPassing(error)) throw error;
  if (error instanceof ContractError) return { is: "notYet", seen: error.message, error };
  const word = error instanceof ApiError ? error.status : error.code.toLowerCase();
  return { is: "notYet", seen: `no answer (${word})`, isQuiet: true, error };
}

/** How often each status was observed, the most frequent first. */
function inWords(counts: ReadonlyMap<string, number>): string {
  const seen = [...counts].toSorted((a, b) => b[1] - a[1]);
  return seen.map(([words, count]) => `${words} ×${count}`).join(", ");
}

/** The first read of a wait for an object; all others are shared. */
export type FirstRead =
  /** Nothing was sent yet: an object read a moment ago is enough. */
  | "recent"
  /** The effect most likely shows: reads this object alone, at once. */
  | "own"
  /** Joins the shared poll. */
  | "shared"
  /** The answer of the call, or a read a moment ago, shows that it takes a while: joins the shared poll after a pause. */
  | "later";

/** A wait for an object, or until it is gone. */
export interface Wait<O, A> {
  /** What the wait is for, by the API's own name: "resize". */
  what: string;
  /** The object in errors, "service orders (svc1)"; progress needs no label, because it shows on the object's own row. */
  label: string;
  id: string;
  judge(item: O): Verdict<A>;
  /** What a read that does not find the object means. */
  absent(): Promise<Verdict<A>>;
  deadlineMs: number;
  /** The kind of the first read. Default: "shared". */
  first?: FirstRead;
  report: (line: string) => void;
}

export function waitFor<O, A>(reader: Reader<O>, wait: Wait<O, A>, pace: WaitPace): Promise<A> {
  const { what, label, id, deadlineMs, first = "shared" } = wait;
  /** After a read of its own that did not show the effect, the distance of lists does not prolong the pause. */
  let next: FirstRead | "soon" = first;
  return ask(pace.clock, {
    untilMs: deadlineMs,
    firstMs: first === "later" ? nextPauseMs(0, pace) : 0,
    pauseMs: (ageMs) => nextPauseMs(ageMs, pace),
    look: (inMs, failed) => poll(inMs, failed).catch(unanswered),
    report: (seen, elapsedMs) =>
      wait.report(`${what}: ${seen}${elapsedMs === 0 ? "" : `, ${formatDuration(elapsedMs)}`}`),
    late({ seen, error, tally, elapsedMs }) {
      const why = error instanceof ProviderError ? `. The last read: ${error.withRemedy}` : "";
      throw new WaitError(
        "timed-out",
        "timeout",
        `${what} of ${label}: not done after ${formatDuration(elapsedMs)} (last seen ${seen}; seen: ${tally})${why}`,
        "If it is only slow, give it a longer time with `timeouts`.",
      );
    },
  });

  async function poll(inMs: number, failed: Error | undefined): Promise<Verdict<A>> {
    const how = next === "soon" && pauseAfter(failed, 0) > 0 ? "later" : next;
    next = how === "own" ? "soon" : "later";
    const item = await read(how, inMs);
    const verdict = item === undefined ? await wait.absent() : wait.judge(item);
    if (verdict.is === "notYet" && verdict.next !== undefined) next = verdict.next;
    return verdict;
  }

  function read(how: FirstRead | "soon", inMs: number): Promise<O | undefined> {
    if (how === "recent") return reader.get(id, { maxAgeMs: pace.intervalMs / 2, deadlineMs, isOnce: true });
    if (how === "own") return reader.fetch(id, deadlineMs);
    return reader.nextPoll(id, { inMs, isAtOnce: how === "soon", deadlineMs });
  }
}
