// A control plane of the whole contract in one process, for tests and for trying things out. Sealed: it shares no code
// with the provider, so that one misreading of the contract cannot hide in both.

import { randomBytes, randomInt } from "node:crypto";
import { createAdmin } from "./admin/server";
import { openFolder, type DataFolder, type Identity } from "./data/folder";
import { openJournal, type Journal } from "./data/journal";
import type { Emulator, EmulatorOptions } from "./emulator";
import { createControls } from "./controls";
import { createCallers, type CallerOptions } from "./http/auth";
import { createFaultRules } from "./http/faultRules";
import { createRateLimiter } from "./http/rateLimit";
import { createRequestLog } from "./http/requests";
import type { RequestHandler } from "./http/respond";
import { profiles } from "./http/profiles";
import { createRouter } from "./http/router";
import { startServer } from "./http/server";
import { createClock } from "./settings/clock";
import { settingsOf } from "./settings/initial";
import { openBackend } from "./postgres/index";
import { eventsFor } from "./world/behind";
import { createWorld } from "./world/world";

export type { Emulator, EmulatorOptions, LedgerEntry } from "./emulator";
export {
  operations,
  documentedOperations,
  undocumentedOperations,
  publicOperations,
  type OperationName,
} from "./actions/index";
export { watchableTimings, defaultTimings } from "./settings/timings";
export type { Duration, Timings } from "./settings/timings";
export type { ClockState, EmulatorClock } from "./settings/clock";
export type { Lag, RateLimit, Settings, StaleLag } from "./settings/settings";
export type { Switches } from "./settings/switches";
export { defaultSwitches } from "./settings/switches";
export type { Snapshot } from "./data/snapshot";
export type { CallerOptions } from "./http/auth";
export type {
  ActiveFault,
  Fault,
  FaultHandle,
  FaultKind,
  Faults,
  FaultScope,
  RandomFaultKind,
  RandomFaults,
} from "./http/faults";
export type { LogLine } from "./world/logs";
export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./mutate/index";
export type { PeeringState, ReplicaSetState, ServiceState, VpcState, WorldState } from "./world/state";
export type { PostgresState } from "./postgres/backend";
export type { PostgresOption } from "./postgres/index";
export type { Profile } from "./http/profiles";
export type { RequestRecord } from "./http/requests";

/** Starts a control plane on 127.0.0.1. Rejects when the port is taken, or the folder of `data` is in use or damaged. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  requireUsable(options);
  const folder = options.data === undefined ? undefined : openFolder(options.data);
  try {
    const identity = identityOf(options, folder);
    folder?.keepIdentity(identity);
    return await start(options, identity, folder);
  } catch (error) {
    folder?.release();
    throw error;
  }
}

async function start(options: EmulatorOptions, identity: Identity, folder: DataFolder | undefined): Promise<Emulator> {
  const { apiKey, adminKey, projectId, seed } = identity;
  const profile = options.profile ?? "full";
  const projects = options.projects ?? [{ id: projectId, name: "default" }];
  const clock = createClock(options.now ?? Date.now);
  const settings = settingsOf(options, profile);
  const events = eventsFor(() => world, clock.now);
  const backend = await openBackend(
    options.postgres ?? "off",
    folder !== undefined,
    events,
    () => settings.switches.maxServers,
  );
  const world = createWorld({ settings, backend, seed, projects });
  const journal: Journal | undefined = folder && openJournal(folder.path, world, clock);
  const faultRules = createFaultRules(clock.now, () => server.dropConnections());
  const listeners = new Set(options.onRequest === undefined ? [] : [options.onRequest]);
  const given: CallerOptions[] = [{ token: apiKey, kind: "pat" }, ...(options.callers ?? [])];
  const handler: RequestHandler = {
    world,
    router: createRouter(profiles[profile].offers),
    callers: createCallers(given, projects, projectId),
    now: clock.now,
    faultRules,
    requestLog: createRequestLog(),
    rateLimiter: createRateLimiter(world.settings),
    delays: new Set(),
    onRequest: (record) => listeners.forEach((listener) => listener(record)),
    save: () => journal?.save(),
    requestCount: 0,
    baseUrl: "",
  };
  const admin = createAdmin(adminKey, profile);
  const server = await startServer(handler, admin.handle, options.port ?? 0).catch(async (error: unknown) => {
    await backend.close();
    throw error;
  });
  const close = memoized(async () => {
    await Promise.all([server.close(), backend.close()]);
    journal?.close();
    folder?.release();
  });
  const controls = createControls({
    handler,
    clock,
    journal,
    listeners,
    projectId,
    seed,
    initial: () => settingsOf(options, profile),
  });
  const emulator: Emulator = {
    baseUrl: handler.baseUrl,
    adminUrl: server.adminUrl,
    apiKey,
    adminKey,
    projectId,
    seed,
    caFile: backend.state.kind === "processes" ? backend.state.caFile : undefined,
    ...controls,
    close,
    [Symbol.asyncDispose]: close,
  };
  admin.serve(emulator);
  return emulator;
}

/** What is given wins over what a folder keeps, and that over what is made up. */
function identityOf(options: EmulatorOptions, folder: DataFolder | undefined): Identity {
  const kept = folder?.identity;
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? kept?.projectId ?? "proj000001";
  if (folder !== undefined && kept !== undefined && kept.projectId !== projectId) {
    throw new Error(
      `${folder.path} keeps project ${kept.projectId}, not ${projectId}: leave the project out, or take another folder`,
    );
  }
  return {
    format: 1,
    // They begin with a letter: a command line takes what begins with "-" for an option.
    apiKey: options.apiKey ?? kept?.apiKey ?? `key_${randomBytes(24).toString("base64url")}`,
    adminKey: options.adminKey ?? kept?.adminKey ?? `admin_${randomBytes(24).toString("base64url")}`,
    projectId,
    seed: options.seed ?? kept?.seed ?? randomInt(2 ** 31),
  };
}

/** What could never be called, or not found in a path, is refused before anything listens. */
function requireUsable({ apiKey, adminKey, callers = [], projectId, projects = [], port }: EmulatorOptions): void {
  for (const token of [apiKey, adminKey, ...callers.map((caller) => caller.token)]) {
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new RangeError("an API key has at least one character, all of them visible ASCII: a header carries it");
  }
  for (const id of [projectId, ...projects.map((project) => project.id)]) {
    if (id !== undefined && !/^[^\s/?#]+$/.test(id))
      throw new RangeError(`a project id has no spaces and none of / ? #, not ${JSON.stringify(id)}`);
  }
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new RangeError(`a port is a whole number from 0 (a free one) to 65535, not ${port}`);
}

function memoized<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
