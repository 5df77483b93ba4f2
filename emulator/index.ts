// A control plane of the whole contract in one process, for tests and for trying things out. Sealed: it shares no code
// with the provider, so that one misreading of the contract cannot hide in both.

import { randomBytes, randomInt } from "node:crypto";
import { isOperation, type OperationName } from "./actions/index";
import { createCallers, type CallerOptions } from "./http/auth";
import { createFaultRules } from "./http/faultRules";
import type { Faults } from "./http/faults";
import { createMutate, type Mutate } from "./mutate/index";
import { createRateLimiter } from "./http/rateLimit";
import { createRequestLog, type RequestRecord } from "./http/requests";
import type { RequestHandler } from "./http/respond";
import { profiles, type Profile } from "./http/profiles";
import { createRouter } from "./http/router";
import { startServer } from "./http/server";
import type { Lag, RateLimit, Settings, StaleLag } from "./settings/settings";
import { defaultSwitches, type Switches } from "./settings/switches";
import { defaultTimings, type Timings } from "./settings/timings";
import { stateOf, type WorldState } from "./world/state";
import type { LedgerEntry as WorldLedgerEntry } from "./world/entities";
import { advanceWorld, createWorld, settleWorld, type World } from "./world/world";

export {
  operations,
  documentedOperations,
  undocumentedOperations,
  publicOperations,
  type OperationName,
} from "./actions/index";
export { watchableTimings, defaultTimings } from "./settings/timings";
export type { Duration, Timings } from "./settings/timings";
export type { Lag, RateLimit, Settings, StaleLag } from "./settings/settings";
export type { Switches } from "./settings/switches";
export { defaultSwitches } from "./settings/switches";
export type { CallerOptions } from "./http/auth";
export type { Fault, FaultHandle, FaultKind, Faults, FaultScope, RandomFaultKind, RandomFaults } from "./http/faults";
export type { LogLine } from "./world/logs";
export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./mutate/index";
export type { PeeringState, ReplicaSetState, ServiceState, VpcState, WorldState } from "./world/state";
export type { Profile } from "./http/profiles";
export type { RequestRecord } from "./http/requests";

export interface LedgerEntry extends WorldLedgerEntry {
  operation: OperationName | undefined;
}

export interface EmulatorOptions {
  /** TCP port on 127.0.0.1. Default 0: a free one. */
  port?: number;
  /**
   * "documented": the contract alone. Default "full": with delete, start, rename and list replica sets. "public": as the
   * published sibling of this API answers its own clients, with Basic authentication and its account operations.
   */
  profile?: Profile;
  /** Bearer value of the default caller, a PAT of the default project. Default: made up. */
  apiKey?: string;
  /** The default project. Default: the first of `projects`, else "proj000001". */
  projectId?: string;
  /** Default: the default project alone. */
  projects?: { id: string; name: string }[];
  /** Callers besides the default one. */
  callers?: CallerOptions[];
  /** Epoch milliseconds. Default `Date.now`. Where an object stands is computed from it at each request; nothing ticks. */
  now?: () => number;
  /** Durations of changes, milliseconds of that clock. Default: tens of milliseconds. */
  timings?: Partial<Timings>;
  /**
   * After every change, answers keep showing the old status and values of that object for so long, and only then the
   * status of the change and the new values. The server itself is ahead of what it shows. Default: not at all.
   */
  stale?: StaleLag;
  /** New objects are missing from lists for so long. Default: not at all. */
  listLag?: Lag;
  /** GET of a new object answers 404 for so long. Default: not at all. */
  notFoundAfterCreate?: Lag;
  /** Default: none. */
  rateLimit?: RateLimit;
  /** Points on which deployments differ. */
  switches?: Partial<Switches>;
  /** Ids, hosts and passwords follow from it. Default: random, see `Emulator.seed`. */
  seed?: number;
  /** Called with each request once its answer is out or its socket is gone. */
  onRequest?: (request: RequestRecord) => void;
}

export interface Emulator {
  /** `http://127.0.0.1:PORT/api/v1` */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly seed: number;
  /** Timings, lags, rate limit and switches; may be changed at any time and count from the next request on. */
  readonly settings: Settings;
  readonly faults: Faults;
  /** Changes behind the program's back: at once and without transition. */
  readonly mutate: Mutate;
  /** What the objects are at this moment, whatever answers show; passwords included. */
  state(): WorldState;
  /** Every request since the start or the last `clearRequests()`, without passwords and tokens. */
  requests(): RequestRecord[];
  clearRequests(): void;
  /** Every creation, change and deletion that took effect, in order. */
  ledger(): LedgerEntry[];
  /** Finishes all running changes and drops all lag and stuck statuses. */
  settle(): void;
  /** Ends every connection; leaves no timer behind. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a control plane on 127.0.0.1. Rejects when the port is taken. */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  requireUsable(options);
  const seed = options.seed ?? randomInt(2 ** 31);
  // Begins with a letter: a command line takes what begins with "-" for an option.
  const apiKey = options.apiKey ?? `key_${randomBytes(24).toString("base64url")}`;
  const profile = options.profile ?? "full";
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? "proj000001";
  const projects = options.projects ?? [{ id: projectId, name: "default" }];
  const clock = options.now ?? Date.now;
  const world = createWorld({ settings: settingsOf(options, profile), seed, projects });
  const faultRules = createFaultRules(clock, () => server.dropConnections());
  const requestLog = createRequestLog();
  const given: CallerOptions[] = [{ token: apiKey, kind: "pat" }, ...(options.callers ?? [])];
  const handler: RequestHandler = {
    world,
    router: createRouter(profiles[profile].offers),
    callers: createCallers(given, projects, projectId),
    now: clock,
    faultRules,
    requestLog,
    rateLimiter: createRateLimiter(world.settings),
    delays: new Set(),
    onRequest: options.onRequest ?? (() => undefined),
    requestCount: 0,
    baseUrl: "",
  };
  const server = await startServer(handler, options.port ?? 0);
  const close = memoized(() => server.close());
  return {
    baseUrl: handler.baseUrl,
    apiKey,
    projectId,
    seed,
    settings: world.settings,
    faults: faultRules.faults,
    mutate: createMutate(world, clock, projectId),
    state: () => stateAt(world, clock()),
    requests: () => requestLog.all(),
    clearRequests: () => requestLog.clear(),
    ledger: () => world.ledger.map((entry) => ({ ...entry, operation: operationNamed(entry.operation) })),
    settle: () => settleWorld(world, clock()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What could never be called, or not found in a path, is refused before anything listens. */
function requireUsable({ apiKey, callers = [], projectId, projects = [], port }: EmulatorOptions): void {
  for (const token of [apiKey, ...callers.map((caller) => caller.token)]) {
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

const operationNamed = (name: string | undefined): OperationName | undefined =>
  name !== undefined && isOperation(name) ? name : undefined;

function stateAt(world: World, now: number): WorldState {
  advanceWorld(world, now);
  return stateOf(world, now);
}

function settingsOf(options: EmulatorOptions, profile: Profile): Settings {
  return {
    timings: { ...defaultTimings, ...options.timings },
    stale: { ...options.stale },
    listLag: { ...options.listLag },
    notFoundAfterCreate: { ...options.notFoundAfterCreate },
    rateLimit: options.rateLimit,
    switches: { ...defaultSwitches, ...profiles[profile].switches, ...options.switches },
  };
}

function memoized<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
