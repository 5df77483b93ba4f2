// The HTTP server: loopback only, reads requests within bounds, keeps track of its sockets so that closing leaves
// nothing behind.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { maxBodyBytes, type Incoming } from "./exchange";
import { respond, type Responder } from "./responder";

export const basePath = "/api/v1";

/** API clients keep connections; ending them early would look like a lost answer. */
const keepAliveMs = 75_000;

export interface RunningServer {
  readonly port: number;
  dropConnections(): void;
  close(): Promise<void>;
}

export async function startServer(responder: Responder, port: number): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  const server = createServer(
    { keepAliveTimeout: keepAliveMs },
    (message, response) => void serve(responder, message, response),
  );
  server.on("connection", (socket) => {
    if (responder.faultBook.isDown(responder.now())) socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listen(server, port);
  const dropConnections = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        for (const timer of responder.delays) clearTimeout(timer);
        responder.delays.clear();
        server.close(() => resolve());
        dropConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

async function serve(responder: Responder, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(message);
  if (body === undefined) return;
  if (responder.faultBook.isDown(responder.now())) {
    response.destroy();
    return;
  }
  if (body.isTooLarge) response.setHeader("Connection", "close");
  try {
    respond(responder, incomingOf(message, body), message, response);
  } catch (error) {
    // A defect of the emulator must not look like one of the network.
    if (response.headersSent) throw error;
    response.writeHead(500, { "Content-Type": "text/plain" });
    response.end(`emulator defect: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
}

interface Body {
  readonly text: string;
  readonly isTooLarge: boolean;
}

/** The body up to the limit, or undefined where the client went away. */
async function readBody(message: IncomingMessage): Promise<Body | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= maxBodyBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return { text: bytes > maxBodyBytes ? "" : Buffer.concat(chunks).toString(), isTooLarge: bytes > maxBodyBytes };
}

function incomingOf(message: IncomingMessage, body: Body): Incoming {
  const [fullPath = "", queryText = ""] = (message.url ?? "").split("?", 2);
  const query: Record<string, string[]> = {};
  for (const [key, value] of new URLSearchParams(queryText)) (query[key] ??= []).push(value);
  return {
    method: message.method ?? "",
    path: fullPath.startsWith(`${basePath}/`) ? fullPath.slice(basePath.length) : undefined,
    query,
    authorization: message.headers.authorization,
    contentType: message.headers["content-type"],
    bodyText: body.text,
    isBodyTooLarge: body.isTooLarge,
  };
}
