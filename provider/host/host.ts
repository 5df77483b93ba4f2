// One host: the data that all calls of one provider process share, and its handlers. Hosts share nothing, so that several can
// exist in one process.

import type * as pulumi from "@pulumi/pulumi";
import type { IEngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { ProcessEnvironment, ProviderConfig } from "../domain/config/config";
import { RefusedError } from "../domain/errors";
import type { Kind } from "../domain/kinds";
import { resources } from "../kinds/index";
import { type ClientSession, createLocks } from "../core/createSession";
import { Memory } from "../core/runView";
import { openNotes, openRunFiles, readOnce } from "./runFiles";
import type { ProcessState } from "./calls";
import { connectEngine, endBySignal, engineAddress, findServer, watchEngine } from "./engine";
import { createEngineLog } from "./engineLog";
import { createHandlers } from "./handlers";
import { createSessions } from "./sessions";
import { quietConsole } from "./shapes";
import { createTrace } from "./trace";

export interface Host {
  /** The handlers of one kind of resource, with their own configuration. */
  provider(kind: Kind): pulumi.dynamic.ResourceProvider;
  /** The session for a configuration; the same one for the same account. Throws a ConfigError when something is missing. */
  openSession(config: ProviderConfig): ClientSession;
}

interface HostOptions {
  environment: ProcessEnvironment;
  /** The command line of the process. It shows whether this is the provider process, and the address of its engine. */
  argv: readonly string[];
  /** The console to which the provider process prints errors that the engine shows anyway. The host drops them. */
  console: { error: (...parts: unknown[]) => void };
}

export function createHost({ environment, argv, console }: HostOptions): Host {
  const isProviderProcess = /[\\/]cmd[\\/]dynamic-provider([\\/]|$)/.test(argv[1] ?? "");
  if (isProviderProcess) quietConsole(console);
  const address = isProviderProcess ? engineAddress(argv.slice(2)) : undefined;
  const engine = address === undefined ? undefined : { address, client: connectEngine(address) };
  const over = new AbortController();
  const state = createProcessState(environment, engine, over.signal);
  const isIdle = (): boolean => state.calls.underWay === 0;
  if (engine !== undefined) {
    watchEngine(engine.client, {
      onGone: () => over.abort(runEnded("the Pulumi engine has ended")),
      isIdle,
      onIdle: findServer(),
    });
  }
  if (isProviderProcess) {
    // Others share the process: the signal comes again, without this listener, and does what it would have done.
    const end = (signal: NodeJS.Signals): boolean => process.kill(process.pid, signal);
    endBySignal({ cancel: () => over.abort(runEnded("the command was canceled")), isIdle, end });
  }
  return { provider: (kind) => createHandlers(resources[kind], state), openSession: state.openSession };
}

export function runEnded(why: "the Pulumi engine has ended" | "the command was canceled"): RefusedError {
  return new RefusedError("run-ended", `${why}, so nothing more is sent`);
}

/** What all calls of one process share. `signal`: aborted when nothing more is to be sent. */
export function createProcessState(
  environment: ProcessEnvironment,
  engine: { address: string; client: IEngineClient } | undefined,
  signal: AbortSignal,
): ProcessState {
  const memory =
    engine === undefined
      ? new Memory()
      : new Memory(readOnce(openRunFiles(engine.address, environment)), openNotes(environment));
  const trace = createTrace(environment["DBCLOUD_TRACE"], createEngineLog(engine?.client));
  return {
    environment,
    memory,
    openSession: createSessions({ locks: createLocks(), environment, signal, trace: trace.request }),
    openRow: trace.rows,
    calls: { underWay: 0 },
    signal,
    adopt: wordsIn(environment["DBCLOUD_ADOPT"]),
    believedGone: wordsIn(environment["DBCLOUD_BELIEVE_GONE"]),
    warnings: new Set(),
  };
}

/** Words with commas between them. */
function wordsIn(text = ""): string[] {
  return text.split(",").flatMap((word) => word.trim() || []);
}
