// The admin API over HTTP: guard, route, strict requests, then the function of the emulator. Its requests are not
// requests to the control plane: they are not recorded, and no fault applies to them.

import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyFor, nothing, validated } from "../../controlPlane/actions/action";
import { defect, Failure, foreignHost, invalid, missingRoute, notStored } from "../../controlPlane/actions/failure";
import { isKey } from "../../controlPlane/http/auth";
import { isLoopback, textOf } from "../../controlPlane/http/respond";
import type { Profile } from "../../controlPlane/actions/index";
import { parseQuery } from "../../controlPlane/http/requests";
import { findRoute, type RouteMatch } from "../../controlPlane/http/router";
import { adminPath, readBody, type AdminHandler } from "../../controlPlane/http/server";
import type { Emulator } from "../../emulator";
import { Missing, StorageError } from "../../errors";
import { adminOperations, type AdminOperation } from "./operations";

/** Large enough for a snapshot of some ten thousand objects. */
const maxBodyBytes = 64 * 1024 * 1024;

/** `emulator`: known once it listens. */
export function createAdmin(emulator: () => Emulator, profile: Profile): AdminHandler {
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { adminUrl, adminKey } = emulator();
      requireLocal(message, adminUrl);
      const [path = "", query = ""] = (message.url ?? "").slice(adminPath.length).split("?");
      const { route, params } = found(message, path, adminKey, adminUrl);
      validated(nothing, parseQuery(query));
      const call = { emulator: emulator(), profile, params, body: await bodyOf(message, route) };
      const body = refusing(() => route.run(call));
      send(response, body === undefined ? 204 : route.statuses[0], body);
    } catch (error) {
      sendFailure(response, error);
    }
  };
  return { handle: (message, response) => void handle(message, response) };
}

/**
 * A browser sends the origin of a page in `Origin`; for a page that the emulator itself served, that is the address
 * that the request goes to. Throws the Failure to answer with.
 */
export function requireLocal({ headers }: IncomingMessage, adminUrl: string): void {
  const { host, origin } = headers;
  if (!isLoopback(host)) throw foreignHost(host ?? "", adminUrl);
  const isForeign = origin !== undefined && origin.toLowerCase() !== `http://${host ?? ""}`.toLowerCase();
  if (isForeign) throw new Failure(403, "FOREIGN_ORIGIN", "the admin API answers no page of another origin");
}

/** The operation that the request may call. Without the key, nobody learns which operations there are but by the documents. */
function found(message: IncomingMessage, path: string, adminKey: string, adminUrl: string): RouteMatch<AdminOperation> {
  const one = findRoute(Object.values(adminOperations), message.method ?? "", path);
  if (Array.isArray(one) || !one.route.isOpen) requireKey(message, adminKey);
  if (!Array.isArray(one)) return one;
  throw missingRoute(one, `${adminUrl}/openapi.json says what there is`);
}

function requireKey(message: IncomingMessage, adminKey: string): void {
  if (isKey(message.headers.authorization, adminKey)) return;
  throw new Failure(401, "UNAUTHORIZED", "missing or wrong admin key; the API key is not accepted here", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

async function bodyOf(message: IncomingMessage, route: AdminOperation): Promise<unknown> {
  const read = (await readBody(message, maxBodyBytes)) ?? { text: "" };
  const body = bodyFor(route, textOf(read, maxBodyBytes));
  return route.body && validated(route.body, body ?? {});
}

/** Errors that the functions of the emulator throw are about their arguments: an unknown id, a wrong document. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Missing) throw new Failure(404, "NOT_FOUND", error.message);
    if (error instanceof StorageError) throw notStored(error);
    if (error instanceof TypeError || error instanceof RangeError) throw invalid(error.message);
    throw error;
  }
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers });
  response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`);
}

export function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, apiCode: code, message, details, headers } = error instanceof Failure ? error : defect(error);
  send(response, status, { code, message, details }, headers);
}
