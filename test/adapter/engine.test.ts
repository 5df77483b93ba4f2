// The connection to the engine, to a real gRPC server in its place.

import { connectivityState } from "@grpc/grpc-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectEngine, watchEngine } from "../../provider/adapter/engine";
import { startEngine } from "../process/engine";

function watched(address: string): { facts: string[]; ready: () => Promise<void> } {
  const client = connectEngine(address);
  const facts: string[] = [];
  const onGone = (): unknown => facts.push("gone");
  const onIdle = (): unknown => facts.push("idle");
  watchEngine(client, { connectivityState }, { onGone, isIdle: () => true, onIdle });
  const ready = (): Promise<void> =>
    new Promise((resolve, reject) => {
      client.waitForReady(Infinity, (error) => (error === undefined ? resolve() : reject(error)));
    });
  return { facts, ready };
}

test("it does not go through a proxy, whatever the environment says", async () => {
  vi.stubEnv("https_proxy", "http://127.0.0.1:1");
  vi.stubEnv("no_proxy", "");
  onTestFinished(() => void vi.unstubAllEnvs());
  const engine = await startEngine();
  const { facts, ready } = watched(engine.address);
  await ready();
  engine.kill();
  await expect.poll(() => facts, { timeout: 20_000 }).toEqual(["gone", "idle"]);
});

test("one that fails is tried again, and an engine that refuses each is gone", async () => {
  const before = await startEngine();
  before.kill();
  const { facts, ready } = watched(before.address);
  const engine = await startEngine(before.address);
  await ready();
  expect(facts).toEqual([]);
  engine.kill();
  await expect.poll(() => facts, { timeout: 20_000 }).toEqual(["gone", "idle"]);
});
