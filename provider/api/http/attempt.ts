// One attempt of a call: waits for the rate gate, sends, writes the debug line, decodes the answer.

import type { ApiError } from "../../domain/errors";
import { oneLine } from "../../domain/values/printable";
import type { Body } from "../operations/answer";
import { ExchangeFailure, type WireAnswer } from "./exchange";
import type { Turn } from "./rate";
import { excerpt, type Redact } from "./redaction";
import { isHtml, isMissing, isOfProject, refusal, refusalInSuccess, requestIdOf } from "./refusal";
import type { PendingCall, ClientState } from "./state";

export const BUSY = "too many requests at once";
const LIMIT_MS = 120_000;
const SHORTEST_LIMIT_MS = 10_000;

/** Rejects with an ExchangeFailure, an ApiError, a ContractError, or the reason of the signal. */
export async function attemptOnce<Input, Output>(
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
  const body = bodyOf(answer, operation.answer.needsBody, client.secrets.redact);
  const odd = refusalInSuccess(call, answer, body);
  if (odd !== undefined) throw odd;
  const output = operation.answer.decode(body, input, request.subject);
  for (const secret of operation.answer.secrets?.(output) ?? []) client.secrets.add(secret);
  return output;
}

/** Tells of a long wait before it begins. Throws if the server's pause lasts beyond the deadline. */
export function reportExpectedWait(
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
  const { redact } = client.secrets;
  const began = client.clock.now();
  const debug = (outcome: string, answer?: WireAnswer): void => {
    if (client.debug === undefined) return;
    const requestId = answer === undefined ? undefined : requestIdOf(answer, redact);
    const id = requestId === undefined ? "" : ` request-id ${requestId}`;
    const ms = Math.round(client.clock.now() - began);
    const line = `dbcloud ${operation.method} ${redact(request.shownPath)} ${outcome} ${ms} ms attempt ${attempt}${id}`;
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

function bodyOf(answer: WireAnswer, isNeeded: boolean, redact: Redact): Body {
  if (answer.incomplete !== undefined && isNeeded) throw answer.incomplete;
  if (answer.unreadable !== undefined)
    return { problem: `its coding cannot be read: ${excerpt(answer.unreadable, redact)}` };
  const text = answer.text.trim();
  if (text === "") return { problem: "it is empty", isEmpty: true };
  try {
    return {
      json: JSON.parse(text) as unknown,
      goesOn: /\brel\s*=\s*"?[^",;]*\bnext\b/i.test(answer.headers["link"] ?? ""),
    };
  } catch {
    // The parser's message quotes the text, which may contain secrets.
    if (/^[[{]/.test(text) && !/[\]}]$/.test(text) && isNeeded) {
      throw new ExchangeFailure("the answer ends in the middle", { sent: "maybe", passing: true });
    }
    return { problem: isHtml(text) ? "it is an HTML page" : "it is not JSON" };
  }
}
