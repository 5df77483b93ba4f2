// A client for tests: the real one, with a scripted server and a clock that jumps.

import { onTestFinished } from "vitest";
import { createTransport } from "../../provider/api/http/transport";
import { type ClientOptions, createClient } from "../../provider/client";
import { REQUEST_BOUNDS } from "../../provider/domain/config/config";
import { createTestClock } from "./clock";
import { type Reply, startScriptedServer } from "./scriptedServer";

export const API_KEY = "key-for-tests-0123456789";

/** By default `random` is almost 1, so that delays are as long as they can be. */
export async function openClient(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const server = await startScriptedServer(...replies);
  const clock = createTestClock();
  const debugLines: string[] = [];
  const { environment = {}, maxConcurrency = REQUEST_BOUNDS.maxConcurrency } = options;
  const transport = createTransport({ baseUrl: server.baseUrl, connections: maxConcurrency, environment });
  const client = createClient({
    baseUrl: server.baseUrl,
    apiKey: API_KEY,
    clock,
    wallClock: clock,
    transport: clock.track(transport),
    random: () => 1,
    maxRequestsPerSecond: 1_000_000,
    debug: (line) => debugLines.push(line),
    environment,
    ...options,
  });
  onTestFinished(async () => {
    await server.close();
    await client.close();
  });
  return { server, client, clock, debugLines };
}

export const TWO_PROJECTS = [
  { id: "proj000001", name: "first" },
  { id: "proj000002", name: "second" },
];

export const inProject = { projectId: "prj0000001" };
export const ofService = { ...inProject, serviceId: "svc1234567" };

/** The error that a promise was rejected with; fails the test if it was not rejected. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}
