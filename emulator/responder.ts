// Decides the fate of each request: rate limit, then the fault that strikes it, then the exchange; and what the socket
// gets to see of it.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure, tooManyRequests } from "./failure";
import type { Fault, FaultBook } from "./faults";
import {
  exchange,
  failureReply,
  labelOfCaller,
  page,
  routeOf,
  type ControlPlane,
  type Incoming,
  type Outcome,
  type Reply,
} from "./exchange";
import { redacted, type RequestLog, type RequestRecord } from "./requests";
import type { RateLimiter } from "./rateLimit";
import { watch } from "./changes";
import { advanceWorld } from "./world";

export interface Responder extends ControlPlane {
  readonly now: () => number;
  readonly faultBook: FaultBook;
  readonly requestLog: RequestLog;
  readonly rateLimiter: RateLimiter;
  /** Real timers of delayed answers, so that closing can drop them. */
  readonly delays: Set<NodeJS.Timeout>;
  requestCount: number;
}

export function respond(
  responder: Responder,
  incoming: Incoming,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const now = responder.now();
  advanceWorld(responder.world, now);
  const match = routeOf(responder, incoming);
  const record = recordOf(responder, incoming, message, now);
  if (!(match instanceof Failure)) Object.assign(record, { operation: match.action.operation, params: match.params });

  const retryAfter = responder.rateLimiter.refuses(now);
  const fault = retryAfter ? undefined : responder.faultBook.choose(record);
  record.fault = fault?.kind;
  let outcome: Outcome | undefined;
  if (!retryAfter && takesEffect(fault)) {
    const run = (): Outcome => exchange(responder, incoming, match, record);
    outcome = fault?.kind === "stuck" ? runStuck(responder, fault, run) : run();
    record.committed = outcome.committed;
    record.refusedAsBusy = outcome.refusedAsBusy;
  }
  const own = retryAfter
    ? failureReply(tooManyRequests(retryAfter), responder.world.settings.switches)
    : outcome?.reply;
  deliver(responder, record, response, fault, own);
  responder.requestLog.add(record);
}

function recordOf(responder: Responder, incoming: Incoming, message: IncomingMessage, now: number): RequestRecord {
  responder.requestCount += 1;
  return {
    id: `req-${responder.requestCount.toString().padStart(6, "0")}`,
    at: now,
    operation: undefined,
    method: incoming.method,
    path: incoming.path ?? message.url ?? "",
    params: {},
    query: incoming.query,
    body: bodyForRecord(incoming.bodyText),
    status: undefined,
    caller: labelOfCaller(responder, incoming),
    userAgent: message.headers["user-agent"],
    fault: undefined,
    committed: false,
    refusedAsBusy: false,
  };
}

/** Text that is not JSON may still hold a password: only its length is kept. */
function bodyForRecord(text: string): unknown {
  if (text === "") return undefined;
  try {
    return redacted(JSON.parse(text));
  } catch {
    return `[${text.length} characters that are not JSON]`;
  }
}

function takesEffect(fault: Fault | undefined): boolean {
  if (!fault) return true;
  if (fault.kind === "lostBefore" || fault.kind === "down") return false;
  if (fault.kind === "lostAfter" || fault.kind === "delay" || fault.kind === "stuck") return true;
  return fault.commit ?? fault.kind === "truncate";
}

/** Keeps the object in the fault's status from this request on. A read is answered anew, so that it shows it already. */
function runStuck(responder: Responder, fault: Fault & { kind: "stuck" }, run: () => Outcome): Outcome {
  const outcome = run();
  const { subject } = outcome;
  const isRead = !outcome.committed && outcome.reply.status === 200;
  if (!subject || (!outcome.committed && !isRead)) return outcome;
  const now = responder.now();
  const isEndless = fault.ms === undefined && fault.reads === undefined;
  const until = isEndless ? Infinity : now + (fault.ms ?? 0);
  subject.track.hold = { from: now, status: fault.status, until, reads: fault.reads ?? 0, lastReadAt: now };
  watch(responder.world, subject);
  return isRead ? run() : outcome;
}

function deliver(
  responder: Responder,
  record: RequestRecord,
  response: ServerResponse,
  fault: Fault | undefined,
  own: Reply | undefined,
): void {
  const sendNow = (reply: Reply): void => send(response, record, reply);
  switch (fault?.kind) {
    case "lostBefore":
    case "lostAfter":
    case "down":
      response.destroy();
      return;
    case "stall":
      return;
    case "truncate":
      cut(
        response,
        record,
        own ?? { status: 200, headers: { "Content-Type": "application/json" }, text: '{"message":"cut"}' },
      );
      return;
    case "delay":
      delay(responder, fault.ms, () => own && sendNow(own));
      return;
    case "status":
    case "html":
    case "garbage":
    case "redirect":
      sendNow(faultReply(fault));
      return;
    case "stuck":
    case undefined:
      if (own) sendNow(own);
  }
}

function faultReply(fault: Fault & { kind: "status" | "html" | "garbage" | "redirect" }): Reply {
  if (fault.kind === "redirect") {
    return { status: fault.status ?? 307, headers: { Location: fault.location }, text: undefined };
  }
  if (fault.kind === "html") return written(fault.status ?? 502, page(fault.status ?? 502), "text/html");
  if (fault.kind === "garbage") {
    const body = fault.body === undefined ? "<html><body>It works!</body></html>" : fault.body;
    return written(fault.status ?? 200, body, fault.contentType ?? "application/json");
  }
  const body = fault.body ?? { code: "INJECTED", message: `injected status ${fault.status}` };
  return written(fault.status, body, "application/json", fault.headers);
}

function written(status: number, body: unknown, contentType: string, headers: Record<string, string> = {}): Reply {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { "Content-Type": contentType, ...headers }, text };
}

function send(response: ServerResponse, record: RequestRecord, reply: Reply): void {
  record.status = reply.status;
  const headers: Record<string, string | number> = { "X-Request-Id": record.id, ...reply.headers };
  if (reply.status !== 204) headers["Content-Length"] = Buffer.byteLength(reply.text ?? "");
  response.writeHead(reply.status, headers);
  response.end(reply.text);
}

function cut(response: ServerResponse, record: RequestRecord, reply: Reply): void {
  const text = reply.text ?? '{"message":"cut"}';
  const status = reply.status === 204 ? 200 : reply.status;
  record.status = status;
  response.writeHead(status, {
    "X-Request-Id": record.id,
    ...reply.headers,
    "Content-Length": Buffer.byteLength(text),
  });
  response.write(text.slice(0, Math.ceil(text.length / 2)), () => response.destroy());
}

function delay(responder: Responder, ms: number, done: () => void): void {
  const timer = setTimeout(() => {
    responder.delays.delete(timer);
    done();
  }, ms);
  responder.delays.add(timer);
}
