// A transport with short limits, and a scripted server for it. Both are closed when the test ends.

import { onTestFinished } from "vitest";
import type { Transport, WireRequest } from "../../../provider/api/http/exchange";
import { createTransport } from "../../../provider/api/http/transport";
import { type Reply, startScriptedServer } from "../../support/scriptedServer";

const SHORT = { connectMs: 200, bytes: 2_000, asideBytes: 100, asideMs: 20, freshMs: 1 };

interface Wire {
  transport: Transport;
  ask: (request?: Partial<WireRequest>) => ReturnType<Transport["send"]>;
}

export function wireTo(baseUrl: string, limits = SHORT): Wire {
  const transport = createTransport({ baseUrl, connections: 4, environment: {}, limits });
  onTestFinished(() => transport.close());
  const usual = { method: "GET", headers: {}, needsBody: true, freshConnection: false, timeoutMs: 1_000 } as const;
  return { transport, ask: (request) => transport.send({ ...usual, url: new URL(`${baseUrl}/x`), ...request }) };
}

export async function answering(
  reply: Reply,
): Promise<Wire & { connections: () => number; release: () => Promise<void> }> {
  const server = await startScriptedServer(reply);
  onTestFinished(() => server.close());
  return { ...wireTo(server.baseUrl), connections: () => server.connections, release: () => server.close() };
}
