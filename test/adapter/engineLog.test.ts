// The lines on the rows of resources, to a real gRPC server in the engine's place.

import { expect, onTestFinished, test, vi } from "vitest";
import { connectEngine } from "../../provider/adapter/engine";
import { createEngineLog } from "../../provider/adapter/engineLog";
import { startEngine } from "../process/engine";

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
  const spy = vi.spyOn(Promise, "withResolvers").mockImplementation(() => {
    throw new TypeError("Promise.withResolvers is not a function");
  });
  onTestFinished(() => spy.mockRestore());
  await expect(createEngineLog(undefined)(urnOf("orders"), 0).end()).resolves.toBeUndefined();
});
