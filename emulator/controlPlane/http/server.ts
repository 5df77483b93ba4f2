// The HTTP server: loopback only; limits what it reads, and tracks its sockets so that closing leaves none behind.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { defect } from "../actions/failure";
import { serverHeader } from "../../databases/backend";
import { createStrangers } from "../../strangers";
import { callerOf } from "./auth";
import { maxBodyBytes, respond, type Incoming, type RequestBody, type RequestHandler } from "./respond";

const basePath = "/api/v1";

/** API clients keep connections open; closing one early would look like a lost answer. */
const keepAliveMs = 75_000;

/** Beside the API, where no API path can be. */
export const adminPath = "/_emulator/v1";

export interface AdminHandler {
  readonly handle: (message: IncomingMessage, response: ServerResponse) => void;
  readonly hasKey: (message: IncomingMessage) => boolean;
}

/** More connections than this are refused, so that descriptors are left for files and processes. */
const maxConnections = 800;

/** A connection with more requests that wait for their turn ends. */
const mostWaiting = 100;

/** A request must arrive within these times: its headers, and all of it. */
const [headersTimeout, requestTimeout] = [10_000, 60_000];

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

export async function startServer(handler: RequestHandler, admin: AdminHandler, port: number) {
  const sockets = new Set<Socket>();
  const strangers = createStrangers();
  const adminSockets = new Set<Socket>();
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    response.setHeader("Server", serverHeader(handler.world.backend.state));
    response.setHeader("Date", new Date(handler.now()).toUTCString());
    if (isForAdmin(message) ? admin.hasKey(message) : hasKey(handler, message)) strangers.accept(message.socket);
    if (!isForAdmin(message)) return void serve(handler, message, response);
    adminSockets.add(message.socket);
    response.once("close", () => adminSockets.delete(message.socket));
    admin.handle(message, response);
  };
  const take = inTurn(answer);
  const server = createServer({ keepAliveTimeout: keepAliveMs, headersTimeout, requestTimeout }, take);
  server.maxConnections = maxConnections;
  // With `Expect: 100-continue`, a client learns of a refusal before it sends a body that nobody would read.
  server.on("checkContinue", take);
  server.on("connection", (socket) => {
    sockets.add(socket);
    strangers.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, port);
  const { port: actualPort } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${actualPort}`;
  handler.baseUrl = `${origin}${basePath}`;
  return {
    adminUrl: `${origin}${adminPath}`,
    /** Destroys all connections except those on which the admin API is answering. */
    dropConnections(): void {
      for (const socket of sockets) if (!adminSockets.has(socket)) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const timer of handler.delays) clearTimeout(timer);
        handler.delays.clear();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Listener = (message: IncomingMessage, response: ServerResponse) => void;

/**
 * Takes a request when the answers before it on its connection have left: whoever sends many and reads none would fill the
 * memory with answers.
 */
function inTurn(answer: Listener): Listener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  return (message, response) => {
    const { socket } = message;
    const queue = waiting.get(socket);
    const next = (): void => {
      const begin = socket.destroyed ? undefined : waiting.get(socket)?.shift();
      if (begin) begin();
      else waiting.delete(socket);
    };
    const begin = (): void => {
      response.once("close", next);
      answer(message, response);
    };
    if (!queue) {
      waiting.set(socket, []);
      begin();
    } else if (queue.push(begin) > mostWaiting) socket.destroy();
  };
}

const hasKey = ({ callers }: RequestHandler, { headers }: IncomingMessage): boolean =>
  callerOf(callers, headers.authorization) !== undefined;

/** Everything below `/_emulator` belongs to the admin API, also paths that it does not have. */
const isForAdmin = ({ url = "" }: IncomingMessage): boolean => /^\/_emulator(?:[/?]|$)/.test(url);

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

async function serve(handler: RequestHandler, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(message, response, maxBodyBytes);
  if (body === undefined) return;
  if (handler.faultRules.isDown(handler.now())) {
    response.destroy();
    return;
  }
  try {
    respond(handler, incomingOf(message, body), response);
  } catch (error) {
    if (response.headersSent) throw error;
    const { status, apiCode: code, message: text } = defect(error);
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ code, message: text }));
  }
}

/**
 * The body up to the limit, or undefined if the client disconnected. A longer body is answered before all of it has
 * arrived; the rest is read and dropped, because closing the connection on a client that is still sending would lose
 * the answer.
 */
export function readBody(
  message: IncomingMessage,
  response: ServerResponse,
  mostBytes: number,
): Promise<RequestBody | undefined> {
  if (Number(message.headers["content-length"] ?? 0) > mostBytes) {
    message.resume();
    return Promise.resolve({ unread: "tooLarge" });
  }
  if (message.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve) => {
    let chunks: Buffer[] = [];
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      resolve({ unread: "tooLarge" });
    });
    message.once("end", () => resolve(decoded(Buffer.concat(chunks))));
    message.once("close", () => resolve(undefined));
  });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded(bytes: Buffer): RequestBody {
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { unread: "notUtf8" };
  }
}

function incomingOf(message: IncomingMessage, body: RequestBody): Incoming {
  const [fullPath = "", ...query] = (message.url ?? "").split("?");
  return {
    method: message.method ?? "",
    fullPath,
    path: fullPath.startsWith(`${basePath}/`) ? fullPath.slice(basePath.length) : undefined,
    query: query.join("?"),
    headers: message.headers,
    body,
  };
}
