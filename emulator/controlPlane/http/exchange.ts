// Turns one request into one reply: authentication, route, permission, strict checks, then the action. Uses no sockets;
// `respond.ts` handles faults and delivery.

import { validated, type Action, type Answer, type Caller, type Context } from "../actions/action";
import { callerOf, requireCaller, requireProject, type Callers } from "./auth";
import { Failure, invalid, missingRoute, noRoute, tooLarge } from "../actions/failure";
import type { OperationName } from "../actions/index";
import { parseQuery, type RequestRecord } from "./requests";
import { findRoute } from "./router";
import type { Switches } from "../settings/switches";
import type { Project } from "../world/entities";
import type { World } from "../world/world";
import { z } from "zod";

/** A request as it came in. */
export interface Incoming {
  readonly method: string;
  /** Path below the base URL, or undefined if it is outside. */
  readonly path: string | undefined;
  /** The query string as sent, without the question mark. */
  readonly query: string;
  readonly host: string | undefined;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
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

export interface Reply {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Undefined: no body at all. A function writes the text when it is sent. */
  readonly text: string | Buffer | (() => string) | undefined;
}

export interface Outcome {
  readonly reply: Reply;
  readonly failure?: Failure;
  /** What the operation has recorded; undefined if there was none to call. */
  readonly context: Context | undefined;
  /** The reply waits for this work. */
  readonly after?: Promise<void> | undefined;
}

/** An operation that this deployment offers. */
export interface NamedAction extends Action {
  readonly operation: OperationName;
}

/** The operation that a request is for. */
export interface Match {
  readonly action: NamedAction;
  readonly params: Record<string, string>;
}

export interface ControlPlane {
  readonly world: World;
  readonly operations: readonly NamedAction[];
  readonly callers: Callers;
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
}

/** Longer bodies get a 413. */
export const maxBodyBytes = 16 * 1024;

/** The route of a request, if it has one: known before the request is handled, so that faults can select operations. */
export function routeOf(plane: ControlPlane, incoming: Incoming): Match | Failure {
  const { baseUrl, operations, world } = plane;
  const { path, method } = incoming;
  if (path === undefined) return noRoute(`the API is at ${baseUrl}, for example GET ${baseUrl}/projects`);
  const found = findRoute(operations, method === "HEAD" ? "GET" : method, path);
  if (!Array.isArray(found)) return { action: found.route, params: found.params };
  const hint = path.endsWith("/") ? "leave out the slash at the end of the path" : `the API is at ${baseUrl}`;
  return missingRoute(found, world.settings.switches.missingRoutes, hint);
}

export function callerName(plane: ControlPlane, incoming: Incoming): string {
  return (
    callerOf(plane.callers, incoming.authorization, plane.world.settings.switches)?.label ??
    (incoming.authorization === undefined ? "none" : "unknown")
  );
}

/** Handles the request and returns the reply. */
export function exchange(
  plane: ControlPlane,
  incoming: Incoming,
  match: Match | Failure,
  record: RequestRecord,
): Outcome {
  const { switches } = plane.world.settings;
  let context: Context | undefined;
  try {
    // Paths outside the API need no key, and a wrong base URL must not look like a wrong key.
    if (match instanceof Failure && incoming.path === undefined) throw match;
    const caller = requireCaller(plane.callers, incoming.authorization, switches);
    if (match instanceof Failure) throw match;
    context = contextOf(plane, incoming, match, caller, record);
    const answer = match.action.handle(context, requireStrict(match, incoming));
    return { reply: replyOf(answer), context, after: answer.after };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { reply: failureReply(error, switches), failure: error, context };
  }
}

function contextOf(
  plane: ControlPlane,
  incoming: Incoming,
  match: Match,
  caller: Caller,
  record: RequestRecord,
): Context {
  return {
    world: plane.world,
    now: record.at,
    operation: match.action.operation,
    requestId: record.id,
    caller,
    project: projectOf(plane.world, match, caller, incoming.method),
    params: match.params,
    query: parseQuery(incoming.query),
    committed: false,
    overlapped: false,
    refusedAsBusy: false,
  };
}

function projectOf(world: World, match: Match, caller: Caller, method: string): Project {
  const projectId = match.params["project_id"];
  if (projectId !== undefined) return requireProject(caller, world.projects, projectId, method);
  return world.projects.find(({ id }) => id === caller.projectIds[0]) ?? { id: "", name: "" };
}

/** Refuses every input that the operation does not take; returns the parsed body. */
function requireStrict(match: Match, incoming: Incoming): unknown {
  const { action } = match;
  if (!action.query) validated(noQuery, parseQuery(incoming.query));
  const text = bodyTextOf(incoming.body);
  if (!action.body) {
    if (text !== "") requireEmpty(text);
    return undefined;
  }
  if (text === "" && action.isBodyOptional) return undefined;
  if (text === "") throw invalid("request body is missing");
  if (!/^application\/json\s*(;|$)/i.test(incoming.contentType ?? ""))
    throw invalid("Content-Type must be application/json");
  return parsedBody(text);
}

function bodyTextOf(body: RequestBody): string {
  if ("text" in body) return body.text;
  if (body.unread === "tooLarge") throw tooLarge(maxBodyBytes);
  throw invalid("request body is not valid UTF-8");
}

/** Many clients send `{}` to operations that take no body. */
function requireEmpty(text: string): void {
  const isEmpty = z.strictObject({}).safeParse(parsedBody(text)).success;
  if (!isEmpty) throw invalid("this operation takes no request body but {}");
}

const noQuery = z.strictObject({});

export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("request body is not valid JSON");
  }
}

const json = { "Content-Type": "application/json" };

function replyOf(answer: Answer): Reply {
  const { status, body, bodyLater, text } = answer;
  if (bodyLater) return { status, headers: json, text: () => JSON.stringify(bodyLater()) };
  if (text === undefined && body === undefined) return { status, headers: {}, text: undefined };
  return { status, headers: json, text: text ?? JSON.stringify(body) };
}

export function failureReply(failure: Failure, { errorBody }: Switches): Reply {
  const { status, apiCode: code, message, details, headers } = failure;
  if (errorBody === "empty") return { status, headers, text: undefined };
  if (errorBody === "html") return { status, headers: { "Content-Type": "text/html", ...headers }, text: page(status) };
  const bodies = {
    full: { code, message, details },
    message: { message },
    other: { error: { reason: code, text: message } },
  };
  return { status, headers: { ...json, ...headers }, text: JSON.stringify(bodies[errorBody]) };
}

/** The page that a gateway in front of the control plane would send. */
export const page = (status: number): string =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr></body></html>\n`;
