// Handles each request: rate limit, then its fault, then the exchange. `delivery.ts` sends the result over the socket.

import type { IncomingMessage, ServerResponse } from "node:http";
import { markActive } from "../world/changes";
import { ownerOf } from "../world/kinds";
import { deliver } from "./delivery";
import { Failure, foreignHost, notStored, tooManyRequests } from "../actions/failure";
import { StorageError } from "../../errors";
import type { FaultRules } from "./faultRules";
import type { Fault } from "./faults";
import {
  exchange,
  failureReply,
  isLoopback,
  callerName,
  routeOf,
  type ControlPlane,
  type Incoming,
  type Match,
  type Outcome,
  type Reply,
} from "./exchange";
import { newRecord, type RequestLog, type RequestRecord } from "./requests";
import type { RateLimiter } from "./rateLimit";
import { advanceWorld } from "../world/world";

export interface RequestHandler extends ControlPlane {
  readonly now: () => number;
  readonly faultRules: FaultRules;
  readonly requestLog: RequestLog;
  readonly rateLimiter: RateLimiter;
  /** Real timers of delayed answers, so that closing can cancel them. */
  readonly delays: Set<NodeJS.Timeout>;
  /** Called when the answer has been sent or the socket is closed. */
  readonly onRequest: (record: RequestRecord) => void;
  /** Writes the changes to the disk if the emulator has a data folder. */
  readonly save: () => void;
  requestCount: number;
  /** Known once the server listens. */
  baseUrl: string;
}

export function respond(
  handler: RequestHandler,
  incoming: Incoming,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const now = handler.now();
  advanceWorld(handler.world, now);
  const match = routeOf(handler, incoming);
  const record = recordOf(handler, incoming, message, now);
  if (!(match instanceof Failure)) Object.assign(record, { operation: match.action.operation, params: match.params });

  response.once("close", () => handler.onRequest(record));

  const refusal = earlyRefusal(handler, incoming, now);
  if (refusal) {
    record.refusal = refusalText(refusal);
    const own = failureReply(refusal, handler.world.settings.switches);
    deliver({ record, response, fault: undefined, own, delays: handler.delays });
    return;
  }
  const fault = handler.faultRules.choose(record);
  record.fault = fault?.kind;
  const outcome = takesEffect(fault) ? carryOut(handler, incoming, match, record, fault) : undefined;
  const own = record.committed ? unlessFull(handler, record, outcome?.reply) : outcome?.reply;
  const send = (): void => deliver({ record, response, fault, own, delays: handler.delays });
  if (outcome?.after) void outcome.after.then(send);
  else send();
}

/** The reply to a change, or the refusal if the disk does not accept the change. */
function unlessFull(handler: RequestHandler, record: RequestRecord, reply: Reply | undefined): Reply | undefined {
  try {
    handler.save();
    return reply;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    const failure = notStored(error);
    record.refusal = refusalText(failure);
    return failureReply(failure, handler.world.settings.switches);
  }
}

/** The request log stores the text of a refusal. */
const longestHost = 255;

/** Refusals without an operation: a request for another host, or one over the rate limit. */
function earlyRefusal(handler: RequestHandler, incoming: Incoming, now: number): Failure | undefined {
  if (!isLoopback(incoming.host)) return foreignHost(incoming.host?.slice(0, longestHost) ?? "", handler.baseUrl);
  const retryAfter = handler.rateLimiter.refuses(now);
  return retryAfter && tooManyRequests(retryAfter);
}

const refusalText = ({ apiCode, message }: Failure): string => `${apiCode}: ${message}`;

function carryOut(
  handler: RequestHandler,
  incoming: Incoming,
  match: Match | Failure,
  record: RequestRecord,
  fault: Fault | undefined,
): Outcome {
  const run = (): Outcome => exchange(handler, incoming, match, record);
  const outcome = fault?.kind === "stuck" ? runStuck(handler, fault, run) : run();
  if (fault?.kind === "refusing") refuseConnections(handler, outcome, fault.ms);
  record.committed = outcome.context?.committed ?? false;
  record.refusedAsBusy = outcome.context?.refusedAsBusy ?? false;
  record.refusal = outcome.failure && refusalText(outcome.failure);
  return outcome;
}

function recordOf(handler: RequestHandler, incoming: Incoming, message: IncomingMessage, now: number): RequestRecord {
  handler.requestCount += 1;
  const known = {
    id: `req-${handler.requestCount.toString().padStart(6, "0")}`,
    at: now,
    method: incoming.method,
    path: incoming.path ?? message.url?.split("?")[0] ?? "",
    caller: callerName(handler, incoming),
    userAgent: message.headers["user-agent"],
  };
  const texts = { query: incoming.query, body: "text" in incoming.body ? incoming.body.text : undefined };
  const record = newRecord(known, texts);
  handler.requestLog.add(record, texts);
  return record;
}

function takesEffect(fault: Fault | undefined): boolean {
  if (!fault) return true;
  if (fault.kind === "lostBefore" || fault.kind === "down") return false;
  if (fault.kind === "lostAfter" || fault.kind === "delay") return true;
  if (fault.kind === "stuck" || fault.kind === "refusing") return true;
  return fault.commit ?? fault.kind === "truncate";
}

function refuseConnections({ world }: RequestHandler, { context }: Outcome, ms: number): void {
  const owner = context?.subject && ownerOf(context.subject);
  if (context?.committed && owner?.kind === "service") world.backend.refuse(owner.id, ms);
}

/** Holds the object in the fault's status from this request on. A read is answered again, to show that status already. */
function runStuck(handler: RequestHandler, fault: Fault & { kind: "stuck" }, run: () => Outcome): Outcome {
  const outcome = run();
  const { subject, committed = false } = outcome.context ?? {};
  const isRead = !committed && outcome.reply.status === 200;
  if (!subject || (!committed && !isRead)) return outcome;
  const now = handler.now();
  const isEndless = fault.ms === undefined && fault.reads === undefined;
  const until = isEndless ? Infinity : now + (fault.ms ?? 0);
  subject.timeline.hold = { from: now, status: fault.status, until, reads: fault.reads ?? 0, lastReadAt: now };
  markActive(handler.world, subject);
  return isRead ? run() : outcome;
}
