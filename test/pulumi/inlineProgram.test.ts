// The connection of an inline program to the engine: a program that does not reach it counts as one without resources.

import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { log, runtime } from "@pulumi/pulumi";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceMonitorClient, ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { startEngine } from "../process/engine";

beforeAll(() => import("../../provider/index.js"));

const insecure = grpc.credentials.createInsecure();

/** A new connection, as each run of an inline program opens one. */
async function ask(address: string, options: grpc.ClientOptions): Promise<string> {
  const client = new EngineClient(address, insecure, options);
  onTestFinished(() => client.close());
  return new Promise((resolve) => {
    client.log(new LogRequest(), (error) => resolve(error === null ? "answered" : "unreachable"));
  });
}

const ofPulumi = (): grpc.ClientOptions => Reflect.get(runtime, "grpcClientOptions") as grpc.ClientOptions;

test.each([
  ["as Pulumi sets it, with what this package adds", ofPulumi, "answered"],
  ["without that", () => ({}), "unreachable"],
])("an engine that listens where an earlier one did: %s", async (_, options, expected) => {
  const earlier = await startEngine();
  earlier.kill();
  expect(await ask(earlier.address, options())).toBe("unreachable");
  const engine = await startEngine(earlier.address);
  onTestFinished(() => engine.kill());
  expect(await ask(earlier.address, options())).toBe(expected);
});

test("a program that has failed does not tell the engine that it has ended well, whatever it passes", async () => {
  const heard: string[] = [];
  const server = new grpc.Server();
  const signalAndWaitForShutdown = (_call: unknown, answer: grpc.sendUnaryData<Empty>): void => {
    heard.push("ended");
    answer(null, new Empty());
  };
  const { signalAndWaitForShutdown: definition } = ResourceMonitorService;
  server.addService({ signalAndWaitForShutdown: definition }, { signalAndWaitForShutdown });
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  const client = new ResourceMonitorClient(`127.0.0.1:${port}`, insecure);
  onTestFinished(() => {
    client.close();
    server.forceShutdown();
  });
  const plain = (): Promise<unknown> =>
    new Promise((resolve) => client.signalAndWaitForShutdown(new Empty(), (error) => resolve(error)));
  const [metadata, options] = [new grpc.Metadata(), { deadline: Infinity }];
  const full = (): Promise<unknown> =>
    new Promise((resolve) =>
      client.signalAndWaitForShutdown(new Empty(), metadata, options, (error) => resolve(error)),
    );
  expect([await plain(), await full(), heard]).toEqual([null, null, ["ended", "ended"]]);
  vi.spyOn(console, "error").mockReturnValue();
  await log.error("an Output has failed");
  for (const end of [plain, full])
    expect(String(await end())).toContain("the program has failed, so nothing is deleted");
  expect(heard).toHaveLength(2);
});
