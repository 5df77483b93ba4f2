// Decides the fate of each request: rate limit, then the fault that strikes it, then the exchange. What the socket gets
// to see of it is the delivery's.

import type { IncomingMessage, ServerResponse } from "node:http";
import { watch } from "./changes";
import { deliver } from "./delivery";
import { Failure, tooManyRequests } from "./failure";
import type { Fault, FaultBook } from "./faults";
import {
  exchange,
  failureReply,
  labelOfCaller,
  routeOf,
  type ControlPlane,
  type Incoming,
  type Outcome,
} from "./exchange";
import { redacted, type RequestLog, type RequestRecord } from "./requests";
import type { Match } from "./router";
import type { RateLimiter } from "./rateLimit";
import { advanceWorld } from "./world";

export interface Responder extends ControlPlane {
  readonly now: () => number;
  readonly faultBook: FaultBook;
  readonly requestLog: RequestLog;
  readonly rateLimiter: RateLimiter;
  /** Real timers of delayed answers, so that closing can drop them. */
  readonly delays: Set<NodeJS.Timeout>;
  /** Called once the answer is out, or the socket gone. */
  readonly onRequest: (record: RequestRecord) => void;
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

  responder.requestLog.add(record);
  response.once("close", () => responder.onRequest(record));

  const retryAfter = responder.rateLimiter.refuses(now);
  if (retryAfter) {
    const refusal = failureReply(tooManyRequests(retryAfter), responder.world.settings.switches);
    deliver({ record, response, fault: undefined, own: refusal, delays: responder.delays });
    return;
  }
  const fault = responder.faultBook.choose(record);
  record.fault = fault?.kind;
  const outcome = takesEffect(fault) ? carryOut(responder, incoming, match, record, fault) : undefined;
  deliver({ record, response, fault, own: outcome?.reply, delays: responder.delays });
}

function carryOut(
  responder: Responder,
  incoming: Incoming,
  match: Match | Failure,
  record: RequestRecord,
  fault: Fault | undefined,
): Outcome {
  const run = (): Outcome => exchange(responder, incoming, match, record);
  const outcome = fault?.kind === "stuck" ? runStuck(responder, fault, run) : run();
  record.committed = outcome.committed;
  record.refusedAsBusy = outcome.refusedAsBusy;
  return outcome;
}

function recordOf(responder: Responder, incoming: Incoming, message: IncomingMessage, now: number): RequestRecord {
  responder.requestCount += 1;
  return {
    id: `req-${responder.requestCount.toString().padStart(6, "0")}`,
    at: now,
    operation: undefined,
    method: incoming.method,
    path: incoming.path ?? message.url?.split("?")[0] ?? "",
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
