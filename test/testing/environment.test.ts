// The environment of a test stack's program: whatever the program takes its client from, it reaches the emulator alone.

import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import { type Client, createClient, fromEnvironment } from "../../provider/client";
import { inEnvironment } from "../../testing/environment";

const REAL = { DBCLOUD_BASE_URL: "https://production.example/v1", DBCLOUD_API_KEY: "a-real-key" };
let emulator: Emulator;

beforeEach(async () => {
  emulator = await createEmulator();
  Object.assign(process.env, REAL);
});
afterEach(async () => {
  for (const name of Object.keys(REAL)) Reflect.deleteProperty(process.env, name);
  await emulator.close();
});

function inStack<T>(program: () => T): T {
  const { baseUrl, apiKey } = emulator;
  const own = { DBCLOUD_BASE_URL: baseUrl, DBCLOUD_API_KEY: apiKey, DBCLOUD_ONLY_BASE_URL: baseUrl };
  return inEnvironment(own, program);
}

test("fromEnvironment takes the address and the key of the stack, also after a wait of the program", async () => {
  const client = await inStack(async () => {
    await setImmediate();
    return fromEnvironment();
  });
  expect(await client.projects.list()).toMatchObject([{ id: emulator.projectId }]);
  await client.close();
});

test.each<[string, () => Client]>([
  ["createClient", () => createClient({ baseUrl: REAL.DBCLOUD_BASE_URL, apiKey: "k" })],
  [
    "createClient with an environment",
    () => createClient({ baseUrl: REAL.DBCLOUD_BASE_URL, apiKey: "k", environment: {} }),
  ],
  ["fromEnvironment with that of the process", () => fromEnvironment(process.env)],
])("%s makes no client for another server", (_name, make) => {
  expect(() => inStack(make)).toThrow(`baseUrl: given "${REAL.DBCLOUD_BASE_URL}"; allowed: only "${emulator.baseUrl}"`);
});

test("outside of the program the process's environment counts", async () => {
  const client = fromEnvironment();
  await client.close();
  expect(() => inStack(() => fromEnvironment(process.env))).toThrow("allowed: only");
  const other = { ...process.env, DBCLOUD_ONLY_BASE_URL: emulator.baseUrl };
  expect(() => fromEnvironment(other)).toThrow("allowed: only");
});
