// An inline program for any command of the CLI. The Automation API serves one to four commands, and knows only some of
// their flags.

import { promisify } from "node:util";
import * as grpc from "@grpc/grpc-js";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as language from "@pulumi/pulumi/automation/server";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";

// Pulumi: these are there, but their types are left out.
const LanguageServer = Reflect.get(language, "LanguageServer") as new (
  program: PulumiFn,
) => grpc.UntypedServiceImplementation;

/** Runs the work with the argument that makes the CLI run this program. */
export async function servingProgram<T>(program: PulumiFn, work: (argument: string) => Promise<T>): Promise<T> {
  const server = new grpc.Server();
  server.addService(LanguageRuntimeService, new LanguageServer(program));
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", grpc.ServerCredentials.createInsecure());
  try {
    return await work(`--client=127.0.0.1:${port}`);
  } finally {
    server.forceShutdown();
  }
}
