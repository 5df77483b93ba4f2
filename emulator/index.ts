// A control plane with the whole contract in one process, for tests and experiments. Shares no code with the provider,
// so that one misreading of the contract cannot hide in both.

import { createAdmin } from "./driving/admin/server";
import { openFolder, type DataFolder, type Identity } from "./driving/data/folder";
import { openStore, type Store } from "./driving/data/store";
import type { Emulator, EmulatorOptions } from "./emulator";
import { createControls } from "./controls";
import { actions, operationsOf, profiles } from "./controlPlane/actions/index";
import { createCallers, type CallerOptions } from "./controlPlane/http/auth";
import { createFaultRules, type FaultRules } from "./controlPlane/http/faultRules";
import { createRateLimiter } from "./controlPlane/http/rateLimit";
import { createRequestLog, type RequestRecord } from "./controlPlane/http/requests";
import type { RequestHandler } from "./controlPlane/http/respond";
import { startServer } from "./controlPlane/http/server";
import { identityOf, projectsOf, requireUsable, settingsOf } from "./options";
import { openBackend } from "./databases/index";
import { createClock, type SettableClock } from "./controlPlane/settings/clock";
import { eventsFor, resumeBackend } from "./controlPlane/world/reconcile";
import { createWorld, type World } from "./controlPlane/world/world";

export type { Emulator, EmulatorOptions, LedgerEntry } from "./emulator";
export {
  operations,
  documentedOperations,
  undocumentedOperations,
  publicOperations,
  type OperationName,
  type Profile,
} from "./controlPlane/actions/index";
export { watchableTimings, defaultTimings } from "./controlPlane/settings/timings";
export type { Duration, Timings } from "./controlPlane/settings/timings";
export type { ClockState, EmulatorClock } from "./controlPlane/settings/clock";
export type { Lag, RateLimit, Settings, StaleLag } from "./controlPlane/settings/settings";
export type { Switches } from "./controlPlane/settings/switches";
export { defaultSwitches } from "./controlPlane/settings/switches";
export type { Snapshot } from "./driving/data/worldDocument";
export type { CallerOptions } from "./controlPlane/http/auth";
export type {
  ActiveFault,
  Fault,
  FaultHandle,
  FaultKind,
  Faults,
  FaultScope,
  RandomFaultKind,
  RandomFaults,
} from "./controlPlane/http/faults";
export type { LogLine } from "./controlPlane/world/logs";
export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./driving/mutate";
export type { UnstableService } from "./controlPlane/world/reconcile";
export type { PeeringState, ReplicaSetState, ServiceState, VpcState, WorldState } from "./controlPlane/world/state";
export type { PostgresState } from "./databases/backend";
export type { PostgresOption } from "./databases/index";
export type { RequestRecord } from "./controlPlane/http/requests";

/** Starts a control plane on 127.0.0.1. Rejects if the port is taken, or the folder of `data` is in use or damaged. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  requireUsable(options);
  const folder = options.data === undefined ? undefined : openFolder(options.data);
  try {
    const identity = identityOf(options, folder);
    return await start(options, identity, folder);
  } catch (error) {
    folder?.release();
    throw error;
  }
}

async function start(options: EmulatorOptions, identity: Identity, folder: DataFolder | undefined): Promise<Emulator> {
  const clock = createClock(options.now ?? Date.now);
  const settings = settingsOf(options);
  const events = eventsFor(() => world, clock.now, options.onUnstable);
  const { postgres = "off" } = options;
  const backend = await openBackend(postgres, folder?.path, events, () => settings.switches.maxServers);
  const { projectId, seed } = identity;
  const world = createWorld({ settings, backend, seed, projects: projectsOf(options, projectId) });
  try {
    const store = folder && openStore(folder, world, clock);
    if (folder) await resumeBackend(world, clock.now(), folder.identity === undefined);
    store?.save();
    folder?.keepIdentity(identity);
    return await serve({ options, identity, folder, clock, world, store });
  } catch (error) {
    await backend.close();
    throw error;
  }
}

interface Parts {
  readonly options: EmulatorOptions;
  readonly identity: Identity;
  readonly folder: DataFolder | undefined;
  readonly clock: SettableClock;
  readonly world: World;
  readonly store: Store | undefined;
}

async function serve(parts: Parts): Promise<Emulator> {
  const { options, identity, folder, clock, store } = parts;
  const { backend } = parts.world;
  const { apiKey, adminKey, projectId, seed } = identity;
  const profile = options.profile ?? "full";
  const listeners = new Set(options.onRequest === undefined ? [] : [options.onRequest]);
  const faultRules = createFaultRules(clock.now, () => server.dropConnections());
  const handler = createHandler(parts, faultRules, listeners);
  const admin = createAdmin(adminKey, profile);
  const server = await startServer(handler, admin.handle, options.port ?? 0);
  const close = memoized(async () => {
    await Promise.all([server.close(), backend.close()]);
    try {
      store?.close();
    } finally {
      folder?.release();
    }
  });
  const emulator: Emulator = {
    baseUrl: handler.baseUrl,
    adminUrl: server.adminUrl,
    apiKey,
    adminKey,
    projectId,
    seed,
    caFile: backend.state.kind === "processes" ? backend.state.caFile : undefined,
    ...createControls({ handler, clock, store, listeners, projectId, seed, initial: () => settingsOf(options) }),
    close,
    [Symbol.asyncDispose]: close,
  };
  admin.serve(emulator);
  return emulator;
}

function createHandler(
  { options, identity: { apiKey, projectId }, clock, world, store }: Parts,
  faultRules: FaultRules,
  listeners: ReadonlySet<(record: RequestRecord) => void>,
): RequestHandler {
  const given: CallerOptions[] = [{ token: apiKey, kind: "pat" }, ...(options.callers ?? [])];
  return {
    world,
    operations: operationsOf(profiles[options.profile ?? "full"].offers).map((operation) => ({
      ...actions[operation],
      operation,
    })),
    callers: createCallers(given, projectsOf(options, projectId), projectId),
    now: clock.now,
    faultRules,
    requestLog: createRequestLog(),
    rateLimiter: createRateLimiter(world.settings),
    delays: new Set(),
    onRequest: (record) => listeners.forEach((listener) => listener(record)),
    save: () => store?.save(),
    requestCount: 0,
    baseUrl: "",
  };
}

function memoized<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
