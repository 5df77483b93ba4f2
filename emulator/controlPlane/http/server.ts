// The HTTP server: loopback only; limits what it reads, and tracks its sockets so that closing leaves none behind.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { defect } from "../actions/failure";
import { maxBodyBytes, respond, type Incoming, type RequestBody, type RequestHandler } from "./respond";

const basePath = "/api/v1";

/** API clients keep connections open; closing one early would look like a lost answer. */
const keepAliveMs = 75_000;

/** Beside the API, where no API path can be. */
export const adminPath = "/_emulator/v1";

export interface AdminHandler {
  readonly handle: (message: IncomingMessage, response: ServerResponse) => void;
}

/** More connections than this are refused, so that descriptors are left for files and processes. */
const maxConnections = 800;

/** A request must arrive within these times: its headers, and all of it. */
const [headersTimeout, requestTimeout] = [10_000, 60_000];

export async function startServer(handler: RequestHandler, admin: AdminHandler, port: number) {
  const sockets = new Set<Socket>();
  const answer = (message: IncomingMessage, response: ServerResponse): void => {
    response.setHeader("Date", new Date(handler.now()).toUTCString());
    if (isForAdmin(message)) admin.handle(message, response);
    else void serve(handler, message, response);
  };
  const server = createServer({ keepAliveTimeout: keepAliveMs, headersTimeout, requestTimeout }, answer);
  server.maxConnections = maxConnections;
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, port);
  const { port: actualPort } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${actualPort}`;
  handler.baseUrl = `${origin}${basePath}`;
  return {
    adminUrl: `${origin}${adminPath}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

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
  const body = await readBody(message, maxBodyBytes);
  if (body === undefined) return;
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
export async function readBody(message: IncomingMessage, mostBytes: number): Promise<RequestBody | undefined> {
  const chunks: Buffer[] = [];
  let isTooLarge = Number(message.headers["content-length"] ?? 0) > mostBytes;
  try {
    let bytes = 0;
    const arriving = isTooLarge ? [] : (message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>);
    for await (const chunk of arriving) {
      chunks.push(chunk);
      isTooLarge = (bytes += chunk.length) > mostBytes;
      if (isTooLarge) break;
    }
  } catch {
    return undefined;
  }
  message.resume();
  return isTooLarge ? { unread: "tooLarge" } : decoded(Buffer.concat(chunks));
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
