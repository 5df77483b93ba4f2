// The process that the engine starts: `pulumi-resource-dbcloud ADDRESS`. It writes its port, and serves until it is ended.
// `pulumi-resource-dbcloud explain NAME` explains an error, where nobody has npm.

import { readFileSync } from "node:fs";
import path from "node:path";
import type * as sea from "node:sea";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { explain } from "../provider/domain/explain";
import { endBySignal, engineAddress } from "../provider/host/engine";
import { createPlugin } from "./server";

/** Pulumi: states and schemas are one message each. */
const LARGEST_MESSAGE = 400 * 1024 * 1024;

const [command, name] = process.argv.slice(2);
if (command === "explain") {
  const { text, isFound } = explain(readAsset("errors.md"), name);
  process[isFound ? "stdout" : "stderr"].write(text);
  process.exitCode = isFound ? 0 : 1;
} else {
  serve();
}

function serve(): void {
  const plugin = createPlugin({
    environment: process.env,
    schema: readAsset("schema.json"),
    engineAddress: engineAddress(process.argv.slice(2)),
    onEnd: () => process.exit(0),
  });
  endBySignal({ ...plugin, end: () => process.exit(0) });

  const server = new Server({
    "grpc.max_receive_message_length": LARGEST_MESSAGE,
    "grpc.max_send_message_length": LARGEST_MESSAGE,
  });
  server.addService(ResourceProviderService, plugin.methods);
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    process.stdout.write(`${port}\n`);
  });
}

/** From the file beside this one, or from the executable that holds all of them. */
function readAsset(file: string): string {
  // Bun has no such module; it is refused once the engine configures the plugin.
  const here = process.getBuiltinModule("node:sea") as typeof sea | undefined;
  if (here?.isSea() === true) return here.getAsset(file, "utf8");
  return readFileSync(path.join(__dirname, file), "utf8");
}
