// What most tests of the client need: a server that answers as told, a clock that jumps, and a client between them.

import { onTestFinished } from "vitest";
import { type Client, type ClientOptions, createClient } from "../../provider/client";
import { createVirtualClock, type VirtualClock } from "./virtualClock";
import { type Reply, startWireServer, type WireServer } from "./wireServer";

export const API_KEY = "key-for-tests-0123456789";

export interface World {
  server: WireServer;
  client: Client;
  clock: VirtualClock;
  debugLines: string[];
}

/** Delays are the longest there can be, as `random` is all but 1, unless the options say otherwise. */
export async function createWorld(replies: Reply[], options: Partial<ClientOptions> = {}): Promise<World> {
  const server = await startWireServer(...replies);
  const clock = createVirtualClock();
  const debugLines: string[] = [];
  const client = createClient({
    baseUrl: server.baseUrl,
    apiKey: API_KEY,
    clock,
    random: () => 1,
    maxRequestsPerSecond: 1_000_000,
    debug: (line) => debugLines.push(line),
    environment: {},
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await client.close();
  });
  return { server, client, clock, debugLines };
}

export const inProject = { projectId: "prj0000001" };
export const ofService = { ...inProject, serviceId: "svc1234567" };

/** What a promise was rejected with; a test fails when it was not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}
