// The engine's side of the line as a provider process sees it: a real gRPC server that takes log messages.

import { promisify } from "node:util";
import { Server, ServerCredentials, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity, type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

export interface Line {
  urn: string;
  text: string;
  severity: "info" | "warning" | "other";
  isEphemeral: boolean;
}

export interface Engine {
  readonly address: string;
  readonly lines: Line[];
  /** Lines for these resources are taken and never answered. */
  readonly silentFor: Set<string>;
  /** What `kill -9` does: nobody listens any more, and open connections end. */
  kill(): void;
}

const severities = new Map<number, Line["severity"]>([
  [LogSeverity.INFO, "info"],
  [LogSeverity.WARNING, "warning"],
]);

export async function startEngine(at = "127.0.0.1:0"): Promise<Engine> {
  const lines: Line[] = [];
  const silentFor = new Set<string>();
  const server = new Server();
  server.addService(EngineService, {
    log(call: ServerUnaryCall<LogRequest, Empty>, callback: sendUnaryData<Empty>) {
      const { request } = call;
      lines.push({
        urn: request.getUrn(),
        text: request.getMessage(),
        severity: severities.get(request.getSeverity()) ?? "other",
        isEphemeral: request.getEphemeral(),
      });
      if (!silentFor.has(request.getUrn())) callback(null, new Empty());
    },
  });
  const port = await promisify(server.bindAsync.bind(server))(at, ServerCredentials.createInsecure());
  return { address: `127.0.0.1:${port}`, lines, silentFor, kill: () => server.forceShutdown() };
}
