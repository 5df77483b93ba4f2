// A server on this machine that answers from a test's script, and records its requests. It knows nothing of the API:
// each test spells out every answer.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server } from "node:net";

export interface Asked {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

/** How to answer a request: with JSON, or by any use of the bare response. */
export type Reply =
  | { status?: number; json?: unknown; text?: string; headers?: Record<string, string | string[]> }
  | ((response: ServerResponse, request: IncomingMessage) => void);

export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;

/** `replies`: for the next requests, in order; the last one stays. */
export async function startScriptedServer(...replies: Reply[]) {
  const asked: Asked[] = [];
  const counts = { now: 0, most: 0, connections: 0 };
  const server = createServer((request, response) => {
    counts.now += 1;
    counts.most = Math.max(counts.most, counts.now);
    response.once("close", () => (counts.now -= 1));
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 500 };
      answer(reply, request, response);
    });
  });
  server.on("connection", () => (counts.connections += 1));
  const port = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    asked,
    replies,
    /** The largest number of requests in flight at once. */
    get mostAtOnce(): number {
      return counts.most;
    },
    /** TCP connections so far. */
    get connections(): number {
      return counts.connections;
    },
    close: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on a free port of this machine, and resolves with the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

function answer(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (typeof reply === "function") {
    reply(response, request);
    return;
  }
  const { status = 200, json, text, headers } = reply;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text ?? (json === undefined ? undefined : JSON.stringify(json)));
}
