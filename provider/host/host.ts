// One host: the data that all calls of one provider process share, and its handlers. Hosts share nothing, so that several can
// exist in one process.

import type * as pulumi from "@pulumi/pulumi";
import type { ProcessEnvironment, ProviderConfig } from "../domain/config/config";
import { RefusedError } from "../domain/errors";
import type { Kind } from "../domain/kinds";
import { resources } from "../lifecycle/resources/index";
import { type ClientSession, createLocks } from "../lifecycle/session/createSession";
import { Memory } from "../lifecycle/view/runView";
import { objectOf } from "../lifecycle/state/objects";
import { createOtherProcesses, runsFolder } from "./otherProcesses";
import { connectEngine, createEngineLog, endWithEngine, engineAddress } from "./engine";
import { createHandlers } from "./handlers";
import { createSessions } from "./sessions";
import { quietConsole } from "./shapes";

export interface Host {
  /** The handlers of one kind of resource, with their own configuration. */
  provider(kind: Kind): pulumi.dynamic.ResourceProvider;
  /** The session for a configuration; the same one for the same account. Throws a ConfigError when something is missing. */
  openSession(config: ProviderConfig): ClientSession;
}

export interface HostOptions {
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
  const engine = address === undefined ? undefined : connectEngine(address);
  const calls = { underWay: 0 };
  const over = new AbortController();
  if (engine !== undefined) {
    endWithEngine(engine, {
      onGone: () => over.abort(new RefusedError("the engine is gone, and nothing more is sent")),
      isIdle: () => calls.underWay === 0,
    });
  }
  const others = { folder: runsFolder(environment), isGlobal: isGlobalObject };
  const memory = new Memory(address === undefined ? undefined : createOtherProcesses({ engine: address, ...others }));
  const openSession = createSessions({ memory, locks: createLocks(), environment, signal: over.signal });
  const state = {
    environment,
    memory,
    openSession,
    log: createEngineLog(engine),
    calls,
    signal: over.signal,
    adopt: adoptedIn(environment["DBCLOUD_ADOPT"]),
    warnings: { ofMissingKey: false, ofSettings: new Set<string>() },
  };
  return { provider: (kind) => createHandlers(resources[kind], state), openSession };
}

function isGlobalObject(object: string): boolean {
  return Object.values(resources).some((one) => one.hasGlobalIds === true && object.startsWith(objectOf(one, "")));
}

/** What this run may adopt. */
function adoptedIn(text = ""): string[] {
  return text.split(",").flatMap((word) => word.trim() || []);
}
