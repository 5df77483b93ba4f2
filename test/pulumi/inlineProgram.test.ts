// The connection of an inline program to the engine: a program that does not reach it counts as one without resources.

import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import { runtime } from "@pulumi/pulumi";
import { EngineClient, EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { beforeAll, expect, onTestFinished, test } from "vitest";

beforeAll(() => import("../../provider/index.js"));

const insecure = grpc.credentials.createInsecure();

async function serve(port: number): Promise<{ server: grpc.Server; port: number }> {
  const server = new grpc.Server();
  server.addService(EngineService, {
    log: (_call: unknown, answer: grpc.sendUnaryData<Empty>) => answer(null, new Empty()),
  });
  const bind = promisify(server.bindAsync.bind(server));
  return { server, port: await bind(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure()) };
}

/** A new connection, as each run of an inline program opens one. */
async function ask(port: number, options: grpc.ClientOptions): Promise<string> {
  const client = new EngineClient(`127.0.0.1:${port}`, insecure, options);
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
  const earlier = await serve(0);
  earlier.server.forceShutdown();
  expect(await ask(earlier.port, options())).toBe("unreachable");
  const { server } = await serve(earlier.port);
  onTestFinished(() => server.forceShutdown());
  expect(await ask(earlier.port, options())).toBe(expected);
});
