// A control plane of the whole contract in one process, for tests and for trying things out. Sealed: it shares no code
// with the provider, so that one misreading of the contract cannot hide in both.

import { randomBytes, randomInt } from "node:crypto";
import { createCallers, type CallerOptions } from "./callers";
import { createFaultBook, type Faults } from "./faults";
import { createMutate, type Mutate } from "./mutate";
import { createRateLimiter } from "./rateLimit";
import { createRequestLog, type RequestRecord } from "./requests";
import type { Responder } from "./responder";
import { createRouter, type Profile } from "./router";
import { startServer } from "./server";
import { defaultTimings, type Lag, type RateLimit, type Settings, type StaleLag, type Timings } from "./settings";
import { defaultSwitches, type Switches } from "./switches";
import { stateOf, type WorldState } from "./state";
import type { LedgerEntry } from "./entities";
import { advanceWorld, createWorld, settleWorld, type World } from "./world";

export { operations, documentedOperations, undocumentedOperations, type OperationName } from "./operations";
export { watchableTimings, defaultTimings } from "./settings";
export type { Duration, Lag, RateLimit, Settings, StaleLag, Timings } from "./settings";
export type { Switches } from "./switches";
export { defaultSwitches } from "./switches";
export type { CallerOptions } from "./callers";
export type { Fault, FaultHandle, FaultKind, Faults, FaultScope, RandomFaultKind, RandomFaults } from "./faults";
export type { LogLine } from "./logs";
export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./mutate";
export type { PeeringState, ReplicaSetState, ServiceState, VpcState, WorldState } from "./state";
export type { Profile } from "./router";
export type { RequestRecord } from "./requests";
export type { LedgerEntry } from "./entities";

export interface EmulatorOptions {
  /** TCP port on 127.0.0.1. Default 0: a free one. */
  port?: number;
  /** "documented": the contract alone. Default "full": with delete, start, rename and list replica sets. */
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
  /** The truth at this moment, passwords included. */
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
  demandUsable(options);
  const seed = options.seed ?? randomInt(2 ** 31);
  const apiKey = options.apiKey ?? randomBytes(24).toString("base64url");
  const projectId = options.projectId ?? options.projects?.[0]?.id ?? "proj000001";
  const projects = options.projects ?? [{ id: projectId, name: "default" }];
  const clock = options.now ?? Date.now;
  const world = createWorld({ settings: settingsOf(options), seed, projects });
  const faultBook = createFaultBook(clock, () => server.dropConnections());
  const requestLog = createRequestLog();
  const given: CallerOptions[] = [{ token: apiKey, kind: "pat" }, ...(options.callers ?? [])];
  const responder: Responder = {
    world,
    router: createRouter(options.profile ?? "full"),
    callers: createCallers(given, projects, projectId),
    now: clock,
    faultBook,
    requestLog,
    rateLimiter: createRateLimiter(world.settings),
    delays: new Set(),
    onRequest: options.onRequest ?? (() => undefined),
    requestCount: 0,
    baseUrl: "",
  };
  const server = await startServer(responder, options.port ?? 0);
  const close = memoized(() => server.close());
  return {
    baseUrl: responder.baseUrl,
    apiKey,
    projectId,
    seed,
    settings: world.settings,
    faults: faultBook.faults,
    mutate: createMutate(world, clock, projectId),
    state: () => stateAt(world, clock()),
    requests: () => requestLog.all(),
    clearRequests: () => requestLog.clear(),
    ledger: () => world.ledger.map((entry) => ({ ...entry })),
    settle: () => settleWorld(world, clock()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What could never be called, or not found in a path, is refused before anything listens. */
function demandUsable({ apiKey, callers = [], projectId, projects = [], port }: EmulatorOptions): void {
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

function stateAt(world: World, now: number): WorldState {
  advanceWorld(world, now);
  return stateOf(world, now);
}

function settingsOf(options: EmulatorOptions): Settings {
  return {
    timings: { ...defaultTimings, ...options.timings },
    stale: { ...options.stale },
    listLag: { ...options.listLag },
    notFoundAfterCreate: { ...options.notFoundAfterCreate },
    rateLimit: options.rateLimit,
    switches: { ...defaultSwitches, ...options.switches },
  };
}

function memoized<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
