// The connection to the engine, and the lines on the rows of resources, to a real gRPC server in its place.

import { connectivityState } from "@grpc/grpc-js";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectEngine, watchEngine } from "../../provider/host/engine";
import { createEngineLog } from "../../provider/host/engineLog";
import { startEngine } from "../process/engine";

function watched(address: string): { facts: string[]; ready: () => Promise<void> } {
  const client = connectEngine(address);
  const facts: string[] = [];
  const onGone = (): unknown => facts.push("gone");
  const onIdle = (): unknown => facts.push("idle");
  watchEngine(client, { onGone, isIdle: () => true, onIdle }, { connectivityState });
  const ready = (): Promise<void> =>
    new Promise((resolve, reject) => {
      client.waitForReady(Infinity, (error) => (error === undefined ? resolve() : reject(error)));
    });
  return { facts, ready };
}

test("it does not go through a proxy, whatever the environment says", async () => {
  vi.stubEnv("https_proxy", "http://127.0.0.1:1");
  vi.stubEnv("no_proxy", "");
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

const urnOf = (name: string): string => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`;

test("a row ends once its own lines have arrived, whatever becomes of another's", async () => {
  const engine = await startEngine();
  onTestFinished(() => engine.kill());
  engine.silentFor.add(urnOf("slow"));
  const client = connectEngine(engine.address);
  onTestFinished(() => client.close());
  const openRow = createEngineLog(client);
  const [slow, quick] = [openRow(urnOf("slow"), 0), openRow(urnOf("quick"), 0)];
  slow.progress("createService: CONFIGURING");
  quick.progress("createService: CONFIGURING");
  quick.progress("createService: READY");

  const first = await Promise.race([slow.end().then(() => "slow"), quick.end().then(() => "quick")]);
  expect(first).toBe("quick");
  const told = engine.lines.filter(({ urn }) => urn === urnOf("quick")).map(({ text }) => text);
  expect(told).toEqual(["createService: CONFIGURING", "createService: READY"]);
});

test("a row ends on a Node.js that is too old for the provider, so that the error that says so is shown", async () => {
  vi.spyOn(Promise, "withResolvers").mockImplementation(() => {
    throw new TypeError("Promise.withResolvers is not a function");
  });
  await expect(createEngineLog(undefined)(urnOf("orders"), 0).end()).resolves.toBeUndefined();
});
