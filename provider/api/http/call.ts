// Runs one call, from the operation's row to the caller's answer or error: the attempts, and the waits between them.

import { formatDuration } from "../../domain/values/duration";
import { answerIn, ApiError, errorOf, ProviderError, RefusedError, TransportError } from "../../domain/errors";
import { anyOf, NOT_REACHED, onAbort } from "../../domain/values/abort";
import { oneLine } from "../../domain/values/printable";
import type { Body } from "../operations/answer";
import { backoffMs, ExchangeFailure, failureClassOf, type WireAnswer } from "./exchange";
import { isChange, type Operation } from "../operations/operation";
import { SHORT_PAUSE_MS, type Turn } from "./rate";
import { isLoopback } from "./origin";
import { CHECK_URL, isHtml, isMissing, isOfProject, refusal, refusalInSuccess, requestIdOf } from "./refusal";
import { certificateProblem } from "../systemCodes";
import { encodeRequest } from "../operations/request";
import type { PendingCall, CallOptions, ClientState } from "./state";

type Caller = <Input, Output>(
  operation: Operation<Input, Output>,
  input: Input,
  options?: CallOptions,
) => Promise<Output | undefined>;

const BUSY = "too many requests at once";
const WORTH_TELLING_MS = 2_000;
/** A turn that is not given for so long is told of. */
const LONG_QUEUE_MS = 10_000;
/** The time limits of one attempt. */
const LIMIT_MS = 120_000;
const SHORTEST_LIMIT_MS = 10_000;

export function createCaller(client: ClientState): Caller {
  return async (operation, input, options = {}) => {
    const request = encodeRequest(operation, input);
    if (client.readOnlyRemedy !== undefined && isChange(operation)) {
      const { label } = request.subject;
      const message = `${label}: refused, because read-only mode is on; nothing was sent`;
      throw new RefusedError("read-only", message, client.readOnlyRemedy);
    }
    for (const secret of request.secrets) client.secrets.add(secret);
    const call = {
      client,
      operation,
      input,
      request,
      url: new URL(client.baseUrl + request.path),
      options,
      waiting: anyOf(options.signal, options.until, client.until),
      tell: teller(request.subject, options.report),
    };
    return attemptAll(call);
  };
}

export interface TurnOptions extends Pick<CallOptions, "until" | "deadlineMs" | "report"> {
  /** What the turn is for, in reports and errors. */
  label: string;
}

/** Waits for a turn and works in it. Rejects with a TransportError if there is none in time. */
export async function takeTurn<T>(
  client: ClientState,
  { label, until, deadlineMs, report }: TurnOptions,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const { clock, gate } = client;
  const end = anyOf(until, client.until);
  const tell = teller({ label }, report);
  const queue = async (over: AbortController): Promise<void> => {
    const leftMs = (): number => (deadlineMs ?? Infinity) - clock.now();
    await clock.sleep(Math.min(LONG_QUEUE_MS, leftMs()), over.signal);
    tell(undefined, BUSY);
    if (deadlineMs === undefined) return;
    await clock.sleep(leftMs(), over.signal);
    over.abort(new ExchangeFailure("was still waiting for its turn at the deadline", { sent: "no", passing: false }));
  };
  const wait: { isOver: boolean; over?: AbortController; release?: (() => void) | undefined } = { isOver: false };
  // Most turns are free at once, and need none of this.
  const limit = (): AbortSignal => {
    if (wait.over === undefined) {
      const over = new AbortController();
      wait.over = over;
      wait.release = end && onAbort(end, () => over.abort(end.reason));
      queue(over).catch(() => undefined);
    }
    return wait.over.signal;
  };
  const finish = (): void => {
    wait.isOver = true;
    wait.over?.abort(NOT_REACHED);
    wait.release?.();
  };
  try {
    end?.throwIfAborted();
    reportExpectedWait(client, deadlineMs, tell);
    return await gate.inTurn((turn) => {
      end?.throwIfAborted();
      finish();
      return work(turn);
    }, limit);
  } catch (error) {
    if (wait.isOver) throw error;
    const cause = abortedOr(error, wait.over?.signal ?? end);
    throw new TransportError(label, "no", `${label}: ${cause.message}.`, { cause });
  } finally {
    finish();
  }
}

/** Tells once of a wait before a call, whose length may be unknown. */
function teller(
  subject: { readonly label: string },
  report: CallOptions["report"],
): (waitMs: number | undefined, why: string) => void {
  let told = false;
  return (waitMs, why) => {
    if (told || (waitMs !== undefined && waitMs <= WORTH_TELLING_MS)) return;
    told = true;
    report?.(
      `${subject.label}: ${why}; waiting ${waitMs === undefined ? "" : `${formatDuration(waitMs)} `}before sending`,
    );
  };
}

/** The history of a call: its attempts and its first failure. */
interface AttemptLog {
  attempts: number;
  firstFailureMs?: number;
}

async function attemptAll<Input, Output>(call: PendingCall<Input, Output>): Promise<Output | undefined> {
  const { client } = call;
  const log: AttemptLog = { attempts: 0 };
  for (;;) {
    try {
      log.attempts += 1;
      return await attemptOnce(call, log.attempts);
    } catch (error) {
      const failure = abortedOr(error, call.waiting);
      const delayMs = nextDelayMs(call, failure, log);
      if (delayMs === undefined) throw surfaced(call, failure, log);
      call.tell(delayMs, answerIn(failure) ?? failure.message);
      await client.clock.sleep(delayMs, call.waiting).catch((reason: unknown) => {
        throw surfaced(call, abortedOr(reason, call.waiting), log);
      });
    }
  }
}

/**
 * Milliseconds until the next attempt; undefined if there is none. A change is never sent again here. A read in a long turn
 * is repeated in it after a refusal for its rate with a short pause: who reads many objects would else begin with the first again,
 * and at some rates never come to the last.
 */
function nextDelayMs<Input, Output>(
  call: PendingCall<Input, Output>,
  error: Error,
  log: AttemptLog,
): number | undefined {
  const { client, operation, options } = call;
  const now = client.clock.now();
  log.firstFailureMs ??= now;
  const failureClass = failureClassOf(error);
  const isInTurn = options.turn !== undefined;
  const isKept = failureClass === "rate" && options.turn?.isLong() === true;
  const isOnce = isChange(operation) || (isInTurn ? !isKept : options.attempts === "once");
  if (isOnce || failureClass === "final") return undefined;
  const asked = error instanceof ApiError && [429, 503].includes(error.status) ? (error.retryAfterMs ?? 0) : 0;
  const delayMs = Math.max(asked, backoffMs(log.attempts, client.random));
  // The time that an unanswered attempt took is not available for retries.
  const spentMs = (error instanceof ExchangeFailure && error.spentMs) || 0;
  const untilMs = options.deadlineMs ?? log.firstFailureMs + client.readTimeoutMs - spentMs;
  const isNeverReached = failureClass === "unsent" && !client.reached;
  const lastMs = isNeverReached ? Math.min(untilMs, log.firstFailureMs + client.connectRetryMs) : untilMs;
  return now + delayMs > lastMs || (isInTurn && delayMs > SHORT_PAUSE_MS) ? undefined : delayMs;
}

/** An aborted wait rejects with the signal's reason, which can be any value, including an error of this package. */
function abortedOr(error: unknown, waiting: AbortSignal | undefined): Error {
  if (waiting?.aborted === true && error === waiting.reason && !(error instanceof ExchangeFailure)) {
    const why = error instanceof ProviderError ? error.message : "was aborted";
    return new ExchangeFailure(why, { sent: "no", passing: false });
  }
  return errorOf(error);
}

/** The error that the caller gets for a failure. */
function surfaced<Input, Output>(
  { client, operation, request, url }: PendingCall<Input, Output>,
  error: Error,
  log: AttemptLog,
): Error {
  if (!(error instanceof ExchangeFailure)) return error;
  const times = log.attempts > 1 ? ` (attempt ${log.attempts})` : "";
  return new TransportError(operation.name, error.sent, `${request.subject.label}: ${error.message}${times}.`, {
    cause: error,
    hint: hintFor(error, url, client),
  });
}

function hintFor(failure: ExchangeFailure, url: URL, { proxy, reached }: ClientState): string | undefined {
  const { sent, systemCode, timeout } = failure;
  if (sent === "maybe" && timeout === true && !reached) {
    return `${url.origin} accepts connections but does not answer: ${CHECK_URL}`;
  }
  if (sent === "maybe" || systemCode === undefined) return undefined;
  const certificate = certificateProblem(systemCode);
  if (certificate !== undefined) return certificate[2];
  const way = proxy === undefined ? "" : ` The proxy of ${proxy} may be the cause: NO_PROXY excludes hosts from it.`;
  const emulator = isLoopback(url) ? " If that is the emulator, start it, and set the variables that it prints." : "";
  return `${url.origin} cannot be reached: ${CHECK_URL}${way}${emulator}`;
}

/** One attempt: waits for the rate gate, sends, writes the debug line, decodes the answer. Rejects with an ExchangeFailure, an ApiError, a ContractError, or the reason of the signal. */
async function attemptOnce<Input, Output>(
  call: PendingCall<Input, Output>,
  attempt: number,
): Promise<Output | undefined> {
  const { client, options, waiting } = call;
  const given = options.turn;
  if (given !== undefined) return given.request(() => attemptIn(given, call, attempt));
  waiting?.throwIfAborted();
  reportExpectedWait(client, options.deadlineMs, call.tell);
  const turn = await client.gate.enter(() => waiting);
  try {
    return await turn.request(() => attemptIn(turn, call, attempt));
  } finally {
    turn.leave();
  }
}

async function attemptIn<Input, Output>(
  turn: Turn,
  call: PendingCall<Input, Output>,
  attempt: number,
): Promise<Output | undefined> {
  const { client, operation, input, options, request, waiting } = call;
  waiting?.throwIfAborted();
  client.until?.throwIfAborted();
  const heard = client.serverTime.asked();
  const answer = await send(call, attempt);
  client.reached = true;
  // Proxies on the way answer with pages and 5xx, and may have another clock.
  if (answer.status < 500 && !isHtml(answer.text)) heard(answer.headers["date"]);
  if (answer.status !== 429) turn.answered();
  if (answer.status < 200 || answer.status > 299) {
    if (options.orNone === true && isMissing(call.url, answer)) return undefined;
    throw refused(call, answer, turn);
  }
  const body = bodyOf(answer, operation.answer.needsBody);
  const odd = refusalInSuccess(call, answer, body);
  if (odd !== undefined) throw odd;
  const output = operation.answer.decode(body, input, request.subject);
  for (const secret of operation.answer.secrets?.(output) ?? []) client.secrets.add(secret);
  return output;
}

/** Tells of a long wait before it begins. Throws if the server's pause lasts beyond the deadline. */
function reportExpectedWait(
  { gate, clock }: Pick<ClientState, "gate" | "clock">,
  deadlineMs: number | undefined,
  tell: PendingCall<unknown, unknown>["tell"],
): void {
  const pausedMs = gate.pausedMs();
  if (pausedMs > 0 && deadlineMs !== undefined && clock.now() + pausedMs > deadlineMs) {
    throw new ExchangeFailure("the server asked us to pause for longer than the time that is left", {
      sent: "no",
      passing: false,
    });
  }
  tell(gate.expectedWaitMs(), pausedMs > 0 ? "the server asked us to pause" : BUSY);
}

async function send<Input, Output>(call: PendingCall<Input, Output>, attempt: number): Promise<WireAnswer> {
  const { client, operation, request, url } = call;
  const { secrets } = client;
  const began = client.clock.now();
  const debug = (outcome: string, answer?: WireAnswer): void => {
    if (client.debug === undefined) return;
    const requestId = answer && requestIdOf(answer, secrets);
    const id = requestId === undefined ? "" : ` request-id ${requestId}`;
    const ms = Math.round(client.clock.now() - began);
    const line = `dbcloud ${operation.method} ${secrets.redact(request.shownPath)} ${outcome} ${ms} ms attempt ${attempt}${id}`;
    client.debug(oneLine(line));
  };
  try {
    const answer = await client.transport.send({
      method: operation.method,
      url,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${client.apiKey}`,
        "user-agent": client.userAgent,
        ...(request.body !== undefined && { "content-type": "application/json" }),
      },
      body: request.body,
      needsBody: operation.answer.needsBody,
      maxBytes: operation.answer.maxBytes,
      freshConnection: operation.repeat !== "idempotent",
      timeoutMs: timeLimitMs(call),
      // A change that was sent gets its answer.
      signal: operation.method === "GET" ? call.waiting : call.options.signal,
    });
    debug(String(answer.status), answer);
    return answer;
  } catch (error) {
    debug(error instanceof ExchangeFailure ? (error.systemCode ?? error.message) : "failed");
    throw error;
  }
}

/** A read ends at its caller's deadline. A change does not, because its outcome would be unknown. */
function timeLimitMs<Input, Output>({ client, operation, options }: PendingCall<Input, Output>): number {
  const { deadlineMs, timeoutMs = LIMIT_MS } = options;
  const limitMs = Math.min(LIMIT_MS, timeoutMs);
  if (operation.method !== "GET") return limitMs;
  if (deadlineMs === undefined) return Math.min(limitMs, client.readTimeoutMs);
  return Math.min(limitMs, Math.max(SHORTEST_LIMIT_MS, deadlineMs - client.clock.now()));
}

function refused<Input, Output>(call: PendingCall<Input, Output>, answer: WireAnswer, turn: Turn): ApiError {
  const error = refusal(call, answer);
  const pauseMs = error.retryAfterMs ?? 0;
  if (error.category === "rate") turn.refused(pauseMs);
  // API: a 503 for the read of one object says nothing about other objects. The reader of that object pauses by itself.
  else if (answer.status === 503 && (call.operation.method !== "GET" || isOfProject(call.url))) turn.paused(pauseMs);
  return error;
}

function bodyOf(answer: WireAnswer, isNeeded: boolean): Body {
  if (answer.incomplete !== undefined && isNeeded) throw answer.incomplete;
  const text = answer.text.trim();
  if (text === "" && answer.incomplete === undefined) return { problem: "it is empty", isEmpty: true };
  try {
    return { json: JSON.parse(text) as unknown, goesOn: isPart(answer) };
  } catch {
    // The parser's message quotes the text, which may contain secrets.
    if (/^[[{]/.test(text) && !/[\]}]$/.test(text) && isNeeded) {
      throw new ExchangeFailure("the answer ends in the middle", { sent: "maybe", passing: true });
    }
    return { problem: isHtml(text) ? "it is an HTML page" : "it is not JSON" };
  }
}

/** API: a gateway may give a list in parts, and say so in a header or by the status alone. */
function isPart({ status, headers }: WireAnswer): boolean {
  const { link = "", "x-next-page": nextPage = "" } = headers;
  return status === 206 || nextPage.trim() !== "" || /\brel\s*=\s*"?[^",;]*\bnext\b/i.test(link);
}
