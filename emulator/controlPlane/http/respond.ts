// Turns each request into a reply: rate limit, then its fault, then authentication, route, permission, strict checks and
// the action. `delivery.ts` sends the reply over the socket.

import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { StorageError } from "../../errors";
import { bodyFor, nothing, validated, type Action, type Answer, type Caller, type Context } from "../actions/action";
import {
  defect,
  Failure,
  foreignHost,
  invalid,
  missingRoute,
  notStored,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from "../actions/failure";
import type { OperationName } from "../actions/index";
import { markActive } from "../world/changes";
import { advanceWorld, type World } from "../world/world";
import { callerOf, requireProject, type Callers } from "./auth";
import { altered, deliver, json, type Reply } from "./delivery";
import type { FaultRules } from "./faultRules";
import type { Act, FaultBeside, MainFault, RequestAtHand } from "./faults";
import type { RateLimiter } from "./rateLimit";
import { bodyToKeep, newRecord, parseQuery, type RequestLog, type RequestRecord } from "./requests";
import { findRoute, type RouteMatch } from "./router";

export interface RequestHandler {
  readonly world: World;
  readonly operations: readonly NamedAction[];
  readonly callers: Callers;
  readonly now: () => number;
  readonly faultRules: FaultRules;
  readonly requestLog: RequestLog;
  readonly rateLimiter: RateLimiter;
  /** Called when the answer has been sent or the socket is closed. */
  readonly onRequest: (record: RequestRecord) => void;
  /** Throws a TypeError for an act that cannot be. */
  readonly performed: (act: Act) => (request: RequestAtHand) => void;
  /** Stores the changes if the emulator has a data folder. Throws a StorageError if it cannot. */
  readonly save: () => void;
  requestCount: number;
  /** `http://127.0.0.1:PORT/api/v1`, known once the server listens. */
  baseUrl: string;
}

export interface Incoming {
  readonly method: string;
  /** The path as sent, and below the base URL; the latter is undefined if it is outside. */
  readonly fullPath: string;
  readonly path: string | undefined;
  /** The query string as sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
}

/**
 * Whether a host names this machine. A web page can resolve its own host name to it and send requests under that, but it
 * cannot take over an address or `localhost`. The port is not checked: it may be forwarded.
 */
export const isLoopback = (host: string | undefined): boolean =>
  host === undefined || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

/** The text of the body, "" if there is none; or why it was not read. */
export type RequestBody = { readonly text: string } | { readonly unread: "tooLarge" | "notUtf8" };

/** An operation that this deployment offers. */
interface NamedAction extends Action {
  readonly operation: OperationName;
}

type Match = RouteMatch<NamedAction>;

/** Longer bodies get a 413. */
export const maxBodyBytes = 16 * 1024;

interface Received {
  readonly handler: RequestHandler;
  readonly incoming: Incoming;
  readonly match: Match | Failure;
  readonly caller: Caller | undefined;
  readonly record: RequestRecord;
}

type Admitted = Received & { readonly caller: Caller };

interface Outcome {
  readonly reply: Reply;
  /** What the operation has recorded; undefined if there was none to call. */
  readonly context: Context | undefined;
  /** The reply waits for this work. */
  readonly after?: Promise<void> | undefined;
}

export function respond(handler: RequestHandler, incoming: Incoming, response: ServerResponse): void {
  advanceWorld(handler.world, handler.now());
  const request = received(handler, incoming);
  const { record } = request;
  response.once("close", () => handler.onRequest(record));
  const send = (reply: Reply | undefined, fault?: MainFault): void => deliver({ record, response, fault, own: reply });

  const admitted = admit(request);
  if (admitted instanceof Failure) return send(refused(request, admitted));
  const { main: fault, beside } = handler.faultRules.choose(record);
  record.fault = [...beside, ...(fault ? [fault] : [])].map(({ kind }) => kind).join("+") || undefined;
  letOthersAct(request, beside, "before", undefined);
  const outcome = takesEffect(fault) ? carryOut(admitted, fault) : undefined;
  letOthersAct(request, beside, "after", outcome?.context?.subject?.id);
  const shown = outcome && altered(outcome.reply, record, beside);
  const own = shown instanceof Failure ? failureReply(shown) : shown;
  if (!outcome?.after) return send(own, fault);
  outcome.after.then(
    () => send(own, fault),
    (error: unknown) => send(stored(request, { context: undefined, reply: refused(request, error) }).reply, fault),
  );
}

/** A request of another client in the middle of one; it meets no fault and no limit. */
export function callAside(handler: RequestHandler, method: string, path: string, token: string, body: unknown): void {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "user-agent": "meanwhile" };
  const text = body === undefined ? "" : JSON.stringify(body);
  const request = received(handler, { method, fullPath: path, path, query: "", headers, body: { text } });
  const { caller, record } = request;
  if (!caller) return;
  const { reply } = carryOut({ ...request, caller });
  record.status = reply.status;
  handler.onRequest(record);
}

function received(handler: RequestHandler, incoming: Incoming): Received {
  const caller = callerOf(handler.callers, incoming.headers.authorization);
  if (caller) handler.requestCount += 1;
  const known = {
    id: caller ? `req-${handler.requestCount.toString().padStart(6, "0")}` : "req-without-key",
    at: handler.now(),
    method: incoming.method,
    path: incoming.path ?? incoming.fullPath,
    query: parseQuery(incoming.query),
    body: bodyToKeep("text" in incoming.body ? incoming.body.text : undefined),
    caller: caller?.label ?? (incoming.headers.authorization === undefined ? "none" : "unknown"),
    userAgent: incoming.headers["user-agent"],
  };
  const record = newRecord(known);
  if (caller) handler.requestLog.add(record);
  const match = routeOf(handler, incoming);
  if (!(match instanceof Failure)) Object.assign(record, { operation: match.route.operation, params: match.params });
  return { handler, incoming, match, caller, record };
}

/**
 * The request of a caller, or a refusal without an operation. Who has no key uses up neither the rate limit nor a fault,
 * and is not recorded. Paths outside the API need no key: a wrong base URL must not look like a wrong key.
 */
function admit(request: Received): Admitted | Failure {
  const { handler, incoming, match, caller, record } = request;
  const { host } = incoming.headers;
  if (!isLoopback(host)) return foreignHost(host ?? "", handler.baseUrl);
  if (!caller) return match instanceof Failure && incoming.path === undefined ? match : unauthorized();
  const retryAfter = handler.rateLimiter.refuses(record.at);
  return retryAfter ? tooManyRequests(retryAfter) : { ...request, caller };
}

/** Throws what is no Failure. */
function refused({ record }: Received, error: unknown): Reply {
  if (!(error instanceof Failure)) throw error;
  record.refusal = `${error.apiCode}: ${error.message}`;
  return failureReply(error);
}

function letOthersAct(
  { handler, record }: Received,
  faults: readonly FaultBeside[],
  moment: "before" | "after",
  subjectId: string | undefined,
): void {
  for (const fault of faults) {
    if (fault.kind !== "meanwhile" || (fault.when ?? "before") !== moment) continue;
    const act = typeof fault.act === "function" ? fault.act : handler.performed(fault.act);
    act({ ...record, subjectId });
  }
}

function carryOut(request: Admitted, fault?: MainFault): Outcome {
  const { handler, record } = request;
  const run = (): Outcome => exchange(request);
  const outcome = fault?.kind === "stuck" ? runStuck(handler, fault, run) : run();
  record.committed = outcome.context?.committed ?? false;
  record.refusedAsBusy = outcome.context?.refusedAsBusy ?? false;
  return stored(request, outcome);
}

/** A change that cannot be stored is undone, and the answer is the refusal. */
function stored(request: Received, outcome: Outcome): Outcome {
  const { handler, record } = request;
  try {
    if (record.committed) handler.save();
    return outcome;
  } catch (error) {
    record.committed = false;
    const failure = error instanceof StorageError ? notStored(error) : defect(error);
    return { context: outcome.context, reply: refused(request, failure) };
  }
}

function takesEffect(fault: MainFault | undefined): boolean {
  if (!fault) return true;
  if (["lostAfter", "delay", "stuck"].includes(fault.kind)) return true;
  return ("commit" in fault ? fault.commit : undefined) ?? fault.kind === "truncate";
}

/** Holds the object in the fault's status from this request on. A read is answered again, to show that status already. */
function runStuck(handler: RequestHandler, fault: MainFault & { kind: "stuck" }, run: () => Outcome): Outcome {
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

/** The route of a request, if it has one: known before the request is handled, so that faults can select operations. */
function routeOf(handler: RequestHandler, incoming: Incoming): Match | Failure {
  const { baseUrl, operations } = handler;
  const { path, method } = incoming;
  if (path === undefined) return missingRoute([], `the API is at ${baseUrl}, for example GET ${baseUrl}/projects`);
  const found = findRoute(operations, method, path);
  if (!Array.isArray(found)) return found;
  const hint = path.endsWith("/") ? "leave out the slash at the end of the path" : `the API is at ${baseUrl}`;
  return missingRoute(found, hint);
}

function exchange(request: Admitted): Outcome {
  const { handler, incoming, match, caller, record } = request;
  const { world } = handler;
  let context: Context | undefined;
  try {
    if (match instanceof Failure) throw match;
    const { route, params } = match;
    context = {
      world,
      now: record.at,
      operation: route.operation,
      requestId: record.id,
      caller,
      project: requireProject(caller, world.projects, params["project_id"], incoming.method),
      params,
      query: record.query,
      committed: false,
      overlapped: false,
      refusedAsBusy: false,
    };
    const answer = route.handle(context, requireStrict(route, incoming, record));
    return { reply: replyOf(answer), context, after: answer.after };
  } catch (error) {
    return { reply: refused(request, error), context };
  }
}

/** Refuses every input that the operation does not take; returns the parsed body. */
function requireStrict(action: Action, { headers, body }: Incoming, { query }: RequestRecord): unknown {
  if (!action.query) validated(nothing, query);
  const text = textOf(body, maxBodyBytes);
  if (action.body && text !== "" && !/^application\/json\s*(;|$)/i.test(headers["content-type"] ?? ""))
    throw invalid("Content-Type must be application/json");
  return bodyFor(action, text);
}

export function textOf(body: RequestBody, mostBytes: number): string {
  if ("text" in body) return body.text;
  throw body.unread === "tooLarge" ? tooLarge(mostBytes) : invalid("request body is not valid UTF-8");
}

function replyOf({ status, body, bodyLater = body === undefined ? undefined : () => body }: Answer): Reply {
  const text = bodyLater && (() => JSON.stringify(bodyLater()));
  return { status, headers: text ? json : {}, text };
}

function failureReply({ status, apiCode: code, message, details, headers }: Failure): Reply {
  return { status, headers: { ...json, ...headers }, text: () => JSON.stringify({ code, message, details }) };
}
