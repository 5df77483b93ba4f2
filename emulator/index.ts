// A control plane with the whole contract in one process, for tests and experiments. Shares no code with the provider,
// so that one misreading of the contract cannot hide in both.

import { checkedFaults } from "./controlPlane/http/faults";
import { performed } from "./driving/admin/operations";
import { createAdmin } from "./driving/admin/server";
import { createConsole } from "./driving/console/console";
import { openDatabase, type Database, ownFolder } from "./driving/data/database";
import { openStore, storedIn, type Identity, type Store } from "./driving/data/store";
import { restoreSnapshot, takeSnapshot } from "./driving/data/worldDocument";
import { createMutate } from "./driving/mutate";
import type { Controls, Emulator, EmulatorOptions } from "./emulator";
import { actions, profiles } from "./controlPlane/actions/index";
import { createCallers, type CallerOptions } from "./controlPlane/http/auth";
import { createFaultRules } from "./controlPlane/http/faultRules";
import { createRateLimiter } from "./controlPlane/http/rateLimit";
import { createRequestLog, type RequestRecord } from "./controlPlane/http/requests";
import { callAside, type RequestHandler } from "./controlPlane/http/respond";
import { startServer } from "./controlPlane/http/server";
import { identityOf, projectsOf, requireUsable, settingsOf } from "./options";
import { openBackend } from "./databases/index";
import { createClock, type SettableClock } from "./controlPlane/settings/clock";
import { eventsFor, reconcileWholeBackend, resumeBackend } from "./controlPlane/world/reconcile";
import { worldStateOf } from "./controlPlane/world/state";
import { advanceWorld, createWorld, emptyWorld, settleWorld, type World } from "./controlPlane/world/world";

export type { Emulator, EmulatorOptions } from "./emulator";
export { operations, documentedOperations, type OperationName, type Profile } from "./controlPlane/actions/index";
export { watchableTimings, defaultTimings, type Duration, type Timings } from "./controlPlane/settings/settings";
export type { ClockState, EmulatorClock } from "./controlPlane/settings/clock";
export type { Lag, RateLimit, Settings, StaleLag } from "./controlPlane/settings/settings";
export { defaultSwitches, type Switches } from "./controlPlane/settings/settings";
export type { Snapshot } from "./driving/data/worldDocument";
export type { CallerOptions } from "./controlPlane/http/auth";
export type {
  Act,
  ActiveFault,
  Fault,
  FaultHandle,
  FaultKind,
  Faults,
  FaultScope,
  MemberForm,
  RandomFaults,
  RequestAtHand,
} from "./controlPlane/http/faults";
export type { LedgerEntry } from "./controlPlane/world/entities";
export type { LogLine } from "./controlPlane/world/logs";
export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./driving/mutate";
export type { PeeringState, ReplicaSetState, ServiceState, VpcState, WorldState } from "./controlPlane/world/state";
export type { PostgresState } from "./databases/backend";
export type { PostgresOption } from "./databases/index";
export type { RequestRecord } from "./controlPlane/http/requests";

/** Starts a control plane on 127.0.0.1. Rejects if the port is taken, or the folder of `data` is in use or damaged. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  requireUsable(options);
  const folder = options.data === undefined ? undefined : ownFolder(options.data);
  const database = folder === undefined ? undefined : openDatabase(folder);
  try {
    return await start(options, folder, database);
  } catch (error) {
    database?.close();
    throw error;
  }
}

async function start(
  options: EmulatorOptions,
  folder: string | undefined,
  database: Database | undefined,
): Promise<Emulator> {
  const kept = database && storedIn(database);
  const identity = identityOf(options, kept?.common.identity);
  database?.claim();
  const clock = createClock(options.now ?? Date.now);
  const settings = settingsOf(options);
  const events = eventsFor(() => world, clock.now);
  const place = { data: folder, certificate: identity.certificate };
  const backend = await openBackend(options.postgres ?? "off", place, events, () => settings.switches.maxServers);
  const { projectId, seed } = identity;
  const world = createWorld(seed, { settings, backend, clock, projects: projectsOf(options, projectId) });
  try {
    const store = database && openStore(database, identity, world, clock);
    if (database) await resumeBackend(world, clock.now(), kept === undefined);
    store?.save();
    return await serve({ options, identity, database, clock, world, store });
  } catch (error) {
    await backend.close();
    throw error;
  }
}

type Listeners = Set<(request: RequestRecord) => void>;

interface Parts {
  readonly options: EmulatorOptions;
  readonly identity: Identity;
  readonly database: Database | undefined;
  readonly clock: SettableClock;
  readonly world: World;
  readonly store: Store | undefined;
}

async function serve(parts: Parts): Promise<Emulator> {
  const { options, identity, database, clock, store } = parts;
  const { backend } = parts.world;
  const { apiKey, adminKey, projectId, seed } = identity;
  const profile = options.profile ?? "full";
  const listeners: Listeners = new Set();
  const handler = createHandler(parts, listeners, () => emulator);
  const controls = createControls(parts, handler, listeners);
  const itself = (): Emulator => emulator;
  const admin = createAdmin(itself, profile);
  const page = createConsole({ world: parts.world, now: clock.now, listeners, admin, emulator: itself, profile });
  const server = await startServer(handler, page, options.port ?? 0);
  const end = async (): Promise<void> => {
    page.close();
    await Promise.all([server.close(), backend.close()]);
    try {
      store?.close();
    } finally {
      database?.close();
    }
  };
  let ended: Promise<void> | undefined;
  const close = (): Promise<void> => (ended ??= end());
  const emulator: Emulator = {
    baseUrl: handler.baseUrl,
    adminUrl: server.adminUrl,
    consoleUrl: page.link(new URL(server.adminUrl).origin),
    apiKey,
    adminKey,
    projectId,
    seed,
    caFile: backend.state.kind === "processes" ? backend.state.caFile : undefined,
    ...controls,
    close,
    [Symbol.asyncDispose]: close,
  };
  return emulator;
}

function createHandler(
  { options, identity: { apiKey, projectId }, clock, world, store }: Parts,
  listeners: Listeners,
  emulator: () => Emulator,
): RequestHandler {
  const given: CallerOptions[] = [{ token: apiKey, kind: "pat" }, ...(options.callers ?? [])];
  const send = (method: string, path: string, body: unknown): void => callAside(handler, method, path, apiKey, body);
  const handler: RequestHandler = {
    world,
    operations: profiles[options.profile ?? "full"].map((operation) => ({ ...actions[operation], operation })),
    callers: createCallers(given, projectsOf(options, projectId), projectId),
    now: clock.now,
    faultRules: createFaultRules(),
    requestLog: createRequestLog(),
    rateLimiter: createRateLimiter(world.settings),
    performed: (act) => performed(act, { emulator, send }),
    onRequest: (record) => listeners.forEach((listener) => listener(record)),
    save: () => save(world, store),
    requestCount: 0,
    baseUrl: "",
  };
  return handler;
}

/**
 * Stores the changes of the world, and lets the servers begin with them. Throws a StorageError if the world cannot be
 * written: it is as before then, and the servers have not begun.
 */
function save(world: World, store: Store | undefined): void {
  const { afterStored } = world;
  world.afterStored = [];
  try {
    if (store) store.save();
    else world.touched.clear();
  } catch (error) {
    store?.undo();
    throw error;
  }
  for (const begin of afterStored) begin();
}

/** With a data folder, changes of the world are on the disk before the call returns. */
function createControls(
  { options, identity: { projectId, seed }, clock, world }: Parts,
  handler: RequestHandler,
  listeners: Listeners,
): Controls {
  const { faultRules, requestLog } = handler;
  const faults = checkedFaults(faultRules.faults, handler.performed);
  const addGivenFaults = (): void => options.faults?.forEach((fault) => faults.add(fault));
  addGivenFaults();
  const kept =
    <Args extends unknown[], Result>(work: (...args: Args) => Result) =>
    (...args: Args): Result => {
      const result = work(...args);
      handler.save();
      return result;
    };
  const replaced =
    <Args extends unknown[]>(work: (...args: Args) => void) =>
    (...args: Args): void => {
      try {
        kept(work)(...args);
      } finally {
        void reconcileWholeBackend(world, clock.now());
      }
    };
  return {
    settings: world.settings,
    faults,
    mutate: createMutate(world, clock.now, projectId, handler.save),
    clock: {
      now: clock.now,
      state: clock.state,
      advance: kept(clock.advance),
      freeze: kept(clock.freeze),
      resume: kept(clock.resume),
    },
    state() {
      advanceWorld(world, clock.now());
      return worldStateOf(world, clock.now());
    },
    requests: () => requestLog.all(),
    clearRequests: () => requestLog.clear(),
    watchRequests(listener) {
      const own = (record: RequestRecord): void => listener(record);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    ledger: () => world.ledger.map((entry) => ({ ...entry })),
    settle: kept(() => settleWorld(world, clock.now())),
    snapshot: () => takeSnapshot(world, clock),
    restore: replaced((snapshot) => restoreSnapshot(world, clock, snapshot)),
    reset: replaced(() => {
      emptyWorld(world, seed);
      faults.clear();
      addGivenFaults();
      requestLog.clear();
      handler.requestCount = 0;
      Object.assign(world.settings, settingsOf(options));
      clock.set({ now: (options.now ?? Date.now)(), isFrozen: false });
    }),
  };
}
