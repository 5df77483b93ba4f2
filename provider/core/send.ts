// Sends a call that changes something, and decides by its answer what follows. What takes several reads is gathered first.
// Then, in one turn of the client, comes the last look and right after it the call, which is sent once for each look.

import type { Turn } from "../api/http/rate";
import { backoffMs, failureClassOf } from "../api/http/exchange";
import {
  answerIn,
  ApiError,
  ContractError,
  errorOf,
  messageOf,
  RefusedError,
  TransportError,
  WaitError,
} from "../domain/errors";
import { formatDuration } from "../domain/values/duration";
import type { Context, Opened, Target } from "./operation";
import type { CallLimits } from "./kind";
import { doubtMs } from "./patience";
import { pauseAfter } from "./pace";
import type { Session } from "./session";

/** The next move, by what was read or answered. `seen` is what the reads have shown. */
export type Move<Seen, Result> =
  | { is: "go"; seen: Seen }
  | { is: "done"; result: Result }
  /** A change under way does not let the call through, by the server's words or by a read. */
  | { is: "busy"; error: Error }
  | Again;

/**
 * Everything is read again after a pause. After an error the pause grows, and the deadline ends it. `mayRun`: the call may have
 * reached the server, and no read shows that it is over.
 */
type Again =
  | { is: "again"; afterMs: number; error?: undefined; mayRun?: undefined }
  | { is: "again"; error: Error; mayRun?: true };

export type End<Result> = Exclude<Move<never, Result>, { is: "go" }>;

/** One call that changes something. */
export interface Change<Seen, Answer, Result> {
  readonly operation: string;
  /** The object in messages. */
  readonly label: string;
  /** Reads what takes more than one answer, without a turn. */
  gather(): Promise<Move<Seen, Result>>;
  /** The last look. It must agree with what was gathered, and reads in this turn only. */
  look(gathered: Seen, turn: Turn): Promise<Move<Seen, Result>>;
  send(limits: CallLimits, seen: Seen): Promise<Answer>;
  answered(answer: Answer): Promise<Result>;
  /** The server refused the call, or it can never be sent. Throws, unless the effect shows. */
  refused(error: Error): Promise<End<Result>>;
  /** Waits until the change under way is over. Throws if there is no use in waiting. */
  waitWhileBusy(error: Error): Promise<void>;
  /** No answer, or one that proves nothing: whether the call took effect, as far as reads show. */
  after(error: Error, seen: Seen): Promise<End<Result>>;
  /** Works with the lock of the object, from the last look on. */
  hold<T>(work: () => Promise<T>): Promise<T>;
}

/** What the sender needs of an operation. */
interface Sending extends Pick<Opened, "deadlineMs"> {
  readonly session: Pick<Session, "clock" | "pace" | "timeScale" | "inTurn">;
  readonly context: Pick<Context, "progress" | "signal">;
}

const WORTH_TELLING_MS = 2_000;

export async function sendChange<Seen, Answer, Result>(
  run: Sending,
  change: Change<Seen, Answer, Result>,
): Promise<Result> {
  const { clock, pace } = run.session;
  const startedMs = clock.now();
  let failures = 0;
  let heldUntilMs: number | undefined;

  for (;;) {
    const gathered = await change.gather();
    const move = gathered.is === "go" ? await change.hold(() => untilKnown(gathered.seen)) : gathered;
    if (move.is === "done") return move.result;
    if (move.is === "busy") {
      failures = 0;
      await change.waitWhileBusy(move.error);
    } else await pause(move);
  }

  /**
   * What the server may have begun keeps the lock of the object through the repeats: nobody else may change it meanwhile. A server
   * that never gives an answer does so once, for a limited time.
   */
  async function untilKnown(seen: Seen): Promise<End<Result>> {
    const end = await lookAndSend(run, change, seen);
    if (end.is !== "again" || !(heldUntilMs !== undefined || end.mayRun === true)) return end;
    heldUntilMs ??= clock.now() + doubtMs(run.session, "gone");
    if (clock.now() >= heldUntilMs) return end;
    await pause(end);
    const gathered = await change.gather();
    return gathered.is === "go" ? untilKnown(gathered.seen) : gathered;
  }

  async function pause(move: Again): Promise<void> {
    const { error } = move;
    if (error !== undefined) failures += 1;
    // Half of the pause is random, so that it is never none.
    const jitter = (): number => (1 + pace.random()) / 2;
    const pauseMs = error === undefined ? move.afterMs : pauseAfter(error, backoffMs(failures, jitter));
    if (clock.now() + pauseMs > run.deadlineMs) throw error ?? neverClear();
    if (error !== undefined && pauseMs > WORTH_TELLING_MS) {
      const why = serverMessageOf(error);
      run.context.progress(`${change.operation}: ${why}; waiting ${formatDuration(pauseMs)} before sending`);
    }
    await clock.sleep(pauseMs);
  }

  function neverClear(): WaitError {
    const sent = heldUntilMs === undefined ? "nothing was sent" : "an earlier attempt got no answer";
    const elapsed = formatDuration(clock.now() - startedMs);
    return new WaitError(
      "timed-out",
      "timeout",
      `${change.operation} of ${change.label}: not done after ${elapsed}, because the reads before it never agreed; ${sent}`,
      "Give it more time with `timeouts`.",
    );
  }
}

/** One turn, and what its answer means. */
async function lookAndSend<Seen, Answer, Result>(
  { session, context, deadlineMs }: Sending,
  change: Change<Seen, Answer, Result>,
  gathered: Seen,
): Promise<End<Result>> {
  const until = context.signal;
  const options = { label: `${change.operation} of ${change.label}`, deadlineMs, until, report: context.progress };
  // Undefined if the look failed, or there was no turn in time.
  let sent = undefined as { seen: Seen } | undefined;
  let answer: Answer;
  try {
    const move = await session.inTurn(options, async (turn) => {
      const seen = await change.look(gathered, turn);
      if (seen.is !== "go") return seen;
      sent = seen;
      return { is: "answered", answer: await change.send({ deadlineMs, until, turn }, seen.seen) } as const;
    });
    if (move.is !== "answered") return move;
    answer = move.answer;
  } catch (thrown) {
    const error = errorOf(thrown);
    const failureClass = failureClassOf(error);
    // It never reached the server, or the server wants fewer and did nothing; a later one can succeed.
    if (failureClass === "rate" || failureClass === "unsent") return { is: "again", error };
    const outcome = outcomeOf(error);
    if (sent === undefined) {
      if (outcome === "refused") throw error;
      return { is: "again", error };
    }
    if (outcome === "busy") return { is: "busy", error };
    return outcome === "unknown" ? change.after(error, sent.seen) : change.refused(error);
  }
  return { is: "done", result: await change.answered(answer) };
}

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

/** The server's own words with the status, else the message. */
export function serverMessageOf(error: unknown): string {
  return answerIn(error) ?? messageOf(error);
}

// Operations that the contract does not document, so that a server may lack them. In that case nothing is changed, and the
// error names a remedy.

/** The error of a failed call, reworded if it most likely means that the server has no such route. */
export async function explainAbsence(
  { resource, session, id, scope, label }: Target,
  operation: string,
  error: unknown,
): Promise<unknown> {
  const remedy = resource.undocumented?.[operation];
  if (remedy === undefined || !(error instanceof ApiError)) return error;
  if (error.category === "forbidden") {
    // API: an account plan without the operation gets the same answer as a key without the permission.
    return new RefusedError(
      "not-offered",
      `${operation} of ${label}: ${error.message}`,
      `${error.hint ?? ""} If the key is right, this server or plan does not offer it: ${remedy}`.trim(),
    );
  }
  const isRouteMissing =
    error.category === "absentRoute" ||
    (error.category === "notFound" && (await resource.reader(session, scope).get(id)) !== undefined);
  if (!isRouteMissing) return error;
  return new RefusedError(
    "not-offered",
    `${operation} of ${label}: this server does not offer it (${error.status}); nothing was changed`,
    remedy,
  );
}
