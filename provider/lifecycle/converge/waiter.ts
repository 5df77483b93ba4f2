// Waiting for an effect: look, judge, look again, until it is there or the deadline has passed. One failed look never
// ends a wait; a wait never returns quietly at its deadline, and says what it saw, how often and for how long.

import type { Clock } from "../../domain/values/clock";
import { formatDuration } from "../../domain/values/duration";
import { ApiError, ContractError, ProviderError, TransportError, WaitError } from "../../domain/errors";
import type { Reader } from "../session/sharedReader";
import { nextPauseMs, SILENCE_MS, type WaitPace } from "../session/pace";

/** What one look means for the wait. */
export type Acceptance =
  /** `seen` ends the progress on the row, where there was one. */
  | { is: "done"; seen?: string }
  /**
   * `seen` is counted for what a timeout reports; a change of it is progress, unless it is nothing to talk about. The
   * next look comes after a pause, or at once and for this object alone where it is to confirm this one. `why` is what a
   * timeout tells of a look that got no answer, `unreadable` that the answer is not what the contract says.
   */
  | { is: "pending"; seen: string; isQuiet?: true; again?: "own"; why?: string; unreadable?: ContractError }
  | { is: "failed"; why: string };

/** The first look of a wait; all others are shared. */
export type FirstRead =
  /** Nothing was sent yet: what was seen a moment ago will do. */
  | "recent"
  /** What is awaited is most likely there: at once, for this object alone. */
  | "own"
  /** It will take a while: together with everybody else's. */
  | "shared";

export interface Wait<O> {
  /** What is awaited, in the API's own word: "resize". */
  what: string;
  /** What people call the object, "service orders (svc1)": said in errors, for progress shows on its own row. */
  label: string;
  id: string;
  acceptor(item: O): Acceptance;
  deadlineMs: number;
  /** How the wait begins. Default: "shared". */
  first?: FirstRead;
  /** A 404 before this moment is a list that lags behind our own create, not a loss. */
  isNewUntilMs?: number | undefined;
  /** Absent objects are what is awaited (a delete). */
  isGoneDone?: boolean;
  /** Asked when a look does not find it: is it really gone? Default: one look is enough. */
  isReallyGone?: () => Promise<boolean>;
  report: (line: string) => void;
}

/** So long an object may show what cannot be read: a field may be odd for a moment, and not for good. */
const UNREADABLE_MS = 5 * 60_000;

/** What to do when there is nothing to wait for any more. */
const AFTER_LOSS = {
  vanished: "Run `pulumi refresh` to see what became of it.",
  terminal: "Look into the console for the cause. The next `pulumi up` looks again, and goes on where it can.",
};

/** The object as it was when the acceptor answered "done"; undefined when being gone was what was awaited. */
export async function waitFor<O>(reader: Reader<O>, wait: Wait<O>, pace: WaitPace): Promise<O | undefined> {
  const { clock } = pace;
  const history = createStatusHistory(wait, clock.now());
  let how: FirstRead | undefined = wait.first ?? "shared";
  let readableMs = clock.now();
  for (;;) {
    const [acceptance, item]: [Acceptance, O | undefined] = await accepted(
      lookNow(reader, wait, pace, history, how),
      wait,
      clock,
    );
    const nowMs = clock.now();
    const unreadable = acceptance.is === "pending" ? acceptance.unreadable : undefined;
    if (unreadable === undefined) readableMs = nowMs;
    else if (nowMs - readableMs >= UNREADABLE_MS) throw unreadable;
    if (acceptance.is === "done") {
      history.end(acceptance.seen, nowMs);
      return item;
    }
    if (acceptance.is === "failed") {
      const reason = item === undefined ? "vanished" : "terminal";
      throw new WaitError(reason, `${wait.what} of ${wait.label}: ${acceptance.why}`, AFTER_LOSS[reason]);
    }
    history.go(acceptance, nowMs);
    if (nowMs >= wait.deadlineMs) throw history.timeout(acceptance, nowMs);
    how = acceptance.again;
  }
}

/** What a wait has seen so far, and what it says of that on the way. */
interface StatusHistory {
  /** Since when nothing has changed. */
  readonly changedMs: number;
  go(acceptance: Acceptance & { is: "pending" }, nowMs: number): void;
  end(seen: string | undefined, nowMs: number): void;
  timeout(last: Acceptance & { is: "pending" }, nowMs: number): WaitError;
}

function createStatusHistory<O>({ what, label, report }: Wait<O>, startedMs: number): StatusHistory {
  const seen = new Map<string, number>();
  let last: string | undefined;
  let changedMs = startedMs;
  let saidMs = startedMs;
  const say = (status: string, nowMs: number): void => {
    report(`${what}: ${status}${nowMs === startedMs ? "" : `, ${formatDuration(nowMs - startedMs)}`}`);
    saidMs = nowMs;
  };
  return {
    get changedMs() {
      return changedMs;
    },
    go(acceptance, nowMs) {
      seen.set(acceptance.seen, (seen.get(acceptance.seen) ?? 0) + 1);
      const isSilent = nowMs - saidMs >= SILENCE_MS;
      if (acceptance.isQuiet === true && !isSilent) return;
      if (acceptance.seen !== last) changedMs = nowMs;
      if (acceptance.seen !== last || isSilent) say(acceptance.seen, nowMs);
      last = acceptance.seen;
    },
    end(status, nowMs) {
      if (last !== undefined && status !== undefined) say(status, nowMs);
    },
    timeout: (acceptance, nowMs) => timeout(`${what} of ${label}`, seen, acceptance, nowMs - startedMs),
  };
}

function lookNow<O>(
  reader: Reader<O>,
  { id, deadlineMs }: Wait<O>,
  pace: WaitPace,
  { changedMs }: StatusHistory,
  how: FirstRead | undefined,
): Promise<O | undefined> {
  const nowMs = pace.clock.now();
  switch (how) {
    case "recent":
      return reader.get(id, { maxAgeMs: pace.intervalMs, deadlineMs, isOnce: true });
    case "own":
      return reader.fetch(id, deadlineMs);
    case "shared":
      return reader.nextPoll(id, 0, deadlineMs);
    default:
      return reader.nextPoll(
        id,
        Math.min(nextPauseMs(nowMs - changedMs, pace), Math.max(0, deadlineMs - nowMs)),
        deadlineMs,
      );
  }
}

async function accepted<O>(
  look: Promise<O | undefined>,
  wait: Wait<O>,
  clock: Clock,
): Promise<[Acceptance, O | undefined]> {
  try {
    const item = await look;
    return item === undefined ? [await acceptAbsence(wait, clock), undefined] : [wait.acceptor(item), item];
  } catch (error) {
    if (!isPassing(error)) throw error;
    const why = error instanceof ProviderError ? error.fullMessage : String(error);
    if (error instanceof ContractError)
      return [{ is: "pending", seen: error.message, why, unreadable: error }, undefined];
    return [{ is: "pending", seen: `no answer (${shorten(error)})`, isQuiet: true, why }, undefined];
  }
}

async function acceptAbsence<O>(wait: Wait<O>, clock: Clock): Promise<Acceptance> {
  if (clock.now() < (wait.isNewUntilMs ?? 0)) return { is: "pending", seen: "not visible yet" };
  if (wait.isReallyGone !== undefined && !(await wait.isReallyGone())) return { is: "pending", seen: "not found" };
  if (wait.isGoneDone === true) return { is: "done", seen: "gone" };
  return { is: "failed", why: "it is no longer there (404)" };
}

/** Trouble that a later look may not meet again. Missing rights are not: they fail at once. */
export function isPassing(error: unknown): boolean {
  if (error instanceof TransportError || error instanceof ContractError) return true;
  return error instanceof ApiError && ["server", "rate", "conflict", "tooEarly"].includes(error.category);
}

/** One look, where a later one will be made anyway: undefined when it met passing trouble. */
export async function readOrNothing<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!isPassing(error)) throw error;
    return undefined;
  }
}

function shorten(error: unknown): string {
  if (error instanceof ApiError) return String(error.status);
  return error instanceof ProviderError ? error.code.toLowerCase() : "error";
}

function timeout(
  what: string,
  seen: ReadonlyMap<string, number>,
  { seen: last, why }: Acceptance & { is: "pending" },
  elapsedMs: number,
): WaitError {
  const counts = [...seen].toSorted((a, b) => b[1] - a[1]).map(([status, count]) => `${status} ×${count}`);
  return new WaitError(
    "timeout",
    `${what}: still not there after ${formatDuration(elapsedMs)} (last seen ${last}; seen: ${counts.join(", ")})${why === undefined ? "" : `. The last look: ${why}`}`,
    "What was reached is recorded. Run `pulumi up` again to go on from there, with a longer `timeouts` if it is only slow.",
  );
}
