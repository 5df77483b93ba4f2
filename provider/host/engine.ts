// The connection to the engine that started this process, and the end of the process: by a signal, or when the engine is gone.

import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { systemWallClock } from "../api/clock";

/** The pause between two checks for handlers that still run. */
const IDLE_CHECK_MS = 50;

/** Undefined if the arguments of the process name no engine. A port of 0 does not count. */
export function engineAddress(args: readonly string[]): string | undefined {
  // Pulumi: options for logging and tracing may stand before it.
  return args.findLast((word) => /^[^-].*:[1-9]\d*$/.test(word));
}

export function connectEngine(
  address: string,
  { credentials }: Pick<typeof Grpc, "credentials"> = loadGrpc(),
): EngineClient {
  return new EngineClient(address, credentials.createInsecure(), {
    "grpc.initial_reconnect_backoff_ms": 50,
    "grpc.max_reconnect_backoff_ms": 100,
    // grpc-js: connections to this machine go through the proxy of `https_proxy` too, unless `no_proxy` names it.
    ...(LOOPBACK.test(address) && { "grpc.enable_http_proxy": 0 }),
  });
}

const LOOPBACK = /^(?:127\.[\d.]+|localhost|\[::1\]):\d+$/;

/** How long the engine may refuse every connection. */
const PATIENCE_MS = 500;

// gRPC is a dependency of Pulumi's package, not of ours. It is resolved from there, so that it is the copy that Pulumi uses.
function loadGrpc(): typeof Grpc {
  const fromPulumi = createRequire(require.resolve("@pulumi/pulumi/package.json"));
  return fromPulumi("@grpc/grpc-js") as typeof Grpc;
}

/**
 * Reports once that the engine is gone, and then that none of our handlers runs any more.
 * Pulumi: after a `kill -9` of the CLI the plugin process never ends, because its server keeps it alive.
 */
export function watchEngine(
  client: EngineClient,
  { onGone, isIdle, onIdle }: { onGone: () => void; isIdle: () => boolean; onIdle: () => void },
  grpc: Pick<typeof Grpc, "connectivityState"> = loadGrpc(),
): void {
  const channel = client.getChannel();
  const watch = (): void => {
    // `true` makes an idle channel connect again.
    const state = channel.getConnectivityState(true);
    if (state !== grpc.connectivityState.TRANSIENT_FAILURE) {
      channel.watchConnectivityState(state, Infinity, watch);
      return;
    }
    // One connection may fail. On one machine only an engine that is gone refuses each.
    client.waitForReady(new Date(systemWallClock.epochMs() + PATIENCE_MS), (error) => {
      if (error === undefined) watch();
      else gone();
    });
  };
  const gone = (): void => {
    onGone();
    onceIdle(isIdle, () => {
      channel.close();
      onIdle();
    });
  };
  watch();
}

/**
 * A signal ends every wait, so that the handlers that run answer, with the ids that they have. Then the process ends.
 * Pulumi: the engine ends every command with a signal, and waits for the end of the process.
 */
export function endBySignal({ cancel, isIdle, end }: SignalEnd): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      cancel();
      onceIdle(isIdle, () => end(signal));
    });
  }
}

interface SignalEnd {
  cancel: () => void;
  isIdle: () => boolean;
  end: (signal: NodeJS.Signals) => unknown;
}

/** At two checks in a row, because the answer of the last handler is on its way at the first one. */
function onceIdle(isIdle: () => boolean, act: () => void): void {
  let wasIdle = false;
  const check = setInterval(() => {
    const isSettled = wasIdle && isIdle();
    wasIdle = isIdle();
    if (!isSettled) return;
    clearInterval(check);
    act();
  }, IDLE_CHECK_MS);
}

interface Handle {
  unref?: () => unknown;
  /** The server that a connection came in at. */
  server?: unknown;
}

/**
 * The gRPC server of the provider process, which listens before any resource is loaded. Other dynamic resources share the
 * process, so it is not ended, but its server released: Node ends the process when no work is left, theirs included. If
 * another resource has opened an HTTP/2 server too, the two cannot be distinguished, and neither is released.
 */
export function findServer(): () => void {
  const servers = handles().filter((handle) => handle.constructor.name === "Http2Server");
  const [server] = servers;
  if (server === undefined || servers.length > 1) return () => undefined;
  return () => {
    for (const handle of handles()) if (handle === server || handle.server === server) handle.unref?.();
  };
}

// Node: there is no other way to find a server that other code has opened. If it is not found, the process stays alive, as
// it would without this code.
function handles(): Handle[] {
  const list: unknown = Reflect.get(process, "_getActiveHandles");
  return typeof list === "function" ? (Reflect.apply(list, process, []) as Handle[]) : [];
}
