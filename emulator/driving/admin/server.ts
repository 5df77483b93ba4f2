// The admin API over HTTP: guard, route, strict requests, then the function of the emulator. Its requests are not
// requests to the control plane: they are not recorded, and no fault applies to them.

import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { validated } from "../../controlPlane/actions/action";
import { Failure, invalid, missingRoute, noRoute, notStored, tooLarge } from "../../controlPlane/actions/failure";
import type { Emulator } from "../../emulator";
import { StorageError } from "../../errors";
import { profiles, type Profile } from "../../controlPlane/http/profiles";
import { findRoute, type Found } from "../../controlPlane/http/router";
import { parseQuery } from "../../controlPlane/http/requests";
import { didYouMean } from "../../unknownNames";
import { adminPath, type AdminHandler } from "../../controlPlane/http/server";
import { controlPlaneDocument } from "../openapi/controlPlane";
import { adminDocument } from "./document";
import { requireKey, requireLocal } from "./guard";
import type { AdminOperation } from "./operation";
import { adminOperations, recordsQuery } from "./operations";
import { streamRequests } from "./stream";

export interface Admin {
  readonly handle: AdminHandler;
  /** The emulator's address is unknown until it listens. */
  serve(emulator: Emulator): void;
}

interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Large enough for a snapshot of some ten thousand objects. */
const maxBodyBytes = 64 * 1024 * 1024;

export function createAdmin(adminKey: string, profile: Profile): Admin {
  let served: Emulator | undefined;
  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!served) return void response.destroy();
    try {
      requireLocal(message, served.adminUrl);
      const [path = "", query = ""] = (message.url ?? "").slice(adminPath.length).split("?");
      if (message.method === "GET" && isDocument(path)) {
        send(response, { status: 200, body: documentAt(path, served, profile) });
        return;
      }
      requireKey(message, adminKey);
      if (message.method === "GET" && path === "/requests/stream") {
        const { after } = validated(recordsQuery, parseQuery(query));
        streamRequests(served, after, response);
        return;
      }
      send(response, await answerOf(served, message, path, query));
    } catch (error) {
      sendFailure(response, error);
    }
  };
  return {
    handle: (message, response) => void handle(message, response),
    serve: (emulator) => void (served = emulator),
  };
}

const documents = {
  "/openapi.json": ({ adminUrl }: Emulator) => adminDocument(adminUrl, adminOperations),
  "/control-plane/openapi.json": ({ baseUrl, settings }: Emulator, profile: Profile) =>
    controlPlaneDocument({ baseUrl, offers: profiles[profile].offers, switches: settings.switches }),
};

const isDocument = (path: string): path is keyof typeof documents => Object.hasOwn(documents, path);

const documentAt = (path: keyof typeof documents, emulator: Emulator, profile: Profile): unknown =>
  documents[path](emulator, profile);

async function answerOf(emulator: Emulator, message: IncomingMessage, path: string, query: string): Promise<Answer> {
  const { route: operation, params } = find(message.method ?? "", path, emulator.adminUrl);
  const text = await bodyOf(message);
  const call = {
    emulator,
    params,
    query: validated(operation.query ?? z.strictObject({}), parseQuery(query)),
    body: requestOf(operation, text),
  };
  const body = refusing(() => operation.run(call));
  return { status: operation.status, ...(operation.answer && { body }) };
}

function requestOf(operation: AdminOperation, text: string): unknown {
  if (!operation.body) return validated(z.strictObject({}).optional(), text === "" ? undefined : parsed(text));
  if (text === "" && !operation.isBodyOptional) throw invalid("request body is missing");
  return validated(operation.body, text === "" ? {} : parsed(text));
}

/** Errors that the functions of the emulator throw are about their arguments: an unknown id, a wrong document. */
function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.message.startsWith("the emulator has no ")) throw new Failure(404, "NOT_FOUND", error.message);
    if (error instanceof StorageError) throw notStored(error);
    if (error instanceof TypeError || error instanceof RangeError) throw invalid(error.message);
    throw error;
  }
}

function find(method: string, path: string, adminUrl: string): Found<AdminOperation> {
  const all = Object.values(adminOperations);
  const found = findRoute(all, method, path);
  if (!Array.isArray(found)) return found;
  if (found.length > 0) throw missingRoute(found, 405, "");
  const hint = didYouMean(
    path,
    all.map((operation) => operation.path),
  );
  throw noRoute(`${adminUrl}/openapi.json says what there is${hint}`);
}

async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw tooLarge(maxBodyBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("request body is not valid JSON");
  }
}

function send(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  response.writeHead(status, { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers });
  response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`);
}

function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  if (error instanceof Failure) {
    const { status, apiCode: code, message, details, headers } = error;
    send(response, { status, headers, body: { code, message, ...(details !== undefined && { details }) } });
    return;
  }
  process.emitWarning(`emulator defect: ${error instanceof Error ? error.stack : String(error)}`);
  send(response, {
    status: 500,
    body: { code: "INTERNAL", message: "defect of the emulator; its standard error says more" },
  });
}
