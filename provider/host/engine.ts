// The line to the engine that started this process: messages on a resource's own row, and whether it is still there.
// Nothing here may ever fail a handler.

import { createRequire } from "node:module";
import { connect } from "node:net";
import type * as Grpc from "@grpc/grpc-js";
import { EngineClient, type IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

export interface EngineLog {
  /** A line on the resource's row; gone when the operation ends. */
  progress(urn: unknown, text: string): void;
  /** A line that stays, on the row and under Diagnostics. */
  warn(urn: unknown, text: string): void;
  /** Resolves once what was said has arrived, or after a moment. */
  flush(): Promise<void>;
}

// Pulumi: a urn that is none makes the CLI panic, and an unknown one makes a phantom row.
const URN = /^urn:pulumi:[^:]+::[^:]+::.+::.+$/;
const FLUSH_LIMIT_MS = 1_000;
const WATCH_EVERY_MS = 5_000;
const MISSES_BEFORE_END = 3;

export function createEngineLog(address: string | undefined): EngineLog {
  const client = address === undefined ? undefined : connectEngine(address);
  let underWay = 0;
  let last: Promise<void> = Promise.resolve();

  function say(urn: unknown, text: string, severity: LogSeverity, isEphemeral: boolean): void {
    if (client === undefined) return;
    const request = new LogRequest();
    request.setMessage(text);
    request.setSeverity(severity);
    request.setUrn(typeof urn === "string" && URN.test(urn) ? urn : "");
    request.setEphemeral(isEphemeral);
    underWay += 1;
    // One after the other: calls on one connection may overtake each other, and the last line is the one that stays.
    last = after(last, client, request);
  }

  async function after(earlier: Promise<void>, engine: IEngineClient, request: LogRequest): Promise<void> {
    await earlier;
    await deliver(engine, request);
    underWay -= 1;
  }

  return {
    progress: (urn, text) => {
      say(urn, text, LogSeverity.INFO, true);
    },
    warn: (urn, text) => {
      say(urn, text, LogSeverity.WARNING, false);
    },
    async flush() {
      if (underWay === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FLUSH_LIMIT_MS);
      });
      await Promise.race([last, limit]);
      clearTimeout(timer);
    },
  };
}

/** Resolves in any case: a line that was not taken is no reason to fail. */
function deliver(client: IEngineClient, request: LogRequest): Promise<void> {
  return new Promise((resolve) => {
    client.log(request, () => {
      resolve();
    });
  });
}

// gRPC is a dependency of Pulumi's package, not of ours: it is found from there, the very copy that Pulumi uses.
function connectEngine(address: string): IEngineClient {
  const fromPulumi = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  const grpc = fromPulumi("@grpc/grpc-js") as typeof Grpc;
  return new EngineClient(address, grpc.credentials.createInsecure());
}

/**
 * Ends the process once the engine is gone and no handler is at work.
 * Pulumi: after a `kill -9` of the CLI its plugin finishes what it does and then lives on for ever.
 */
export function endWithEngine(address: string, isIdle: () => boolean): void {
  const separator = address.lastIndexOf(":");
  const host = address.slice(0, separator);
  const port = Number(address.slice(separator + 1));
  if (separator < 1 || !Number.isInteger(port) || port <= 0) return;
  let misses = 0;
  const timer = setInterval(() => {
    const socket = connect({ host, port });
    socket.unref();
    socket.once("connect", () => {
      misses = 0;
      socket.destroy();
    });
    socket.once("error", () => {
      misses += 1;
      socket.destroy();
      if (misses >= MISSES_BEFORE_END && isIdle()) process.exit(0);
    });
  }, WATCH_EVERY_MS);
  timer.unref();
}
