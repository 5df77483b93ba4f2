// The test world for the handlers: the real emulator over real HTTP, the real client and handlers, and one clock for
// all of them. The clock jumps over every wait, so that 45 minutes take milliseconds.

import { vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type RequestRecord } from "../../emulator/index";
import type { Front } from "../../plugin/front";
import type { Transport } from "../../provider/api/http/exchange";
import { createTransport } from "../../provider/api/http/transport";
import type { Probe } from "../../provider/api/postgres/probe";
import { RefusedError } from "../../provider/domain/errors";
import type { ClientSession } from "../../provider/lifecycle/session/createSession";
import type { OtherProcesses } from "../../provider/lifecycle/view/runView";
import { createTestClock, type TestClock } from "./clock";
import { engineFor, type Handlers } from "./handlers";
import { type Kind, openProviderProcess, PROCESS_AHEAD_MS, type ProviderProcess } from "./providerProcess";

// Hours on the world's clock take milliseconds of real time; many hours still take seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

export type { Handlers, Kept } from "./handlers";

export interface ToldTimes {
  /** How far the clock of the provider's machine is ahead of the server's; negative if it is behind. */
  machineAheadMs: number;
  /** Whether answers carry a `Date`. */
  isDated: boolean;
}

export interface World extends Record<Kind, Handlers> {
  emulator: Emulator;
  clock: TestClock;
  session: ClientSession;
  progress: string[];
  warnings: string[];
  adopt: string[];
  /** The times of day that the provider sees; a test may change them while it runs. */
  told: ToldTimes;
  /** Like `kill -9` of the CLI: nothing receives the results any more. */
  endEngine(): void;
  /** The handlers of a kind as the plugin offers them, in the same process. */
  front(kind: Kind): Front;
  /** Called before each request and each sleep of the provider. */
  onEffect(listener: (what: "request" | "sleep") => void): void;
  /** Probes whether an address accepts connections. Default: a probe that fails if it is called. */
  probe: Probe;
  /** Operations called since the last time, except GETs. */
  calls(): string[];
  /** Operations called on one object, by its id, since the world began, except GETs. */
  callsOn(id: string): string[];
  /** The requests of one operation. */
  requestsOf(operation: string): RequestRecord[];
  /** Called with every request to the emulator from now on. */
  onRequest(listener: (request: RequestRecord) => void): void;
  /** Steps that the server saw at the same time. */
  overlaps(): unknown[];
  /** The result of some work, and how many seconds it took. */
  timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }>;
  secondsOf(work: () => Promise<unknown>): Promise<number>;
  /** Another provider process: same clock, same emulator, empty memory. `others`: those of the same run. */
  restart(others?: OtherProcesses): void;
  /** Another provider process, whose calls are counted from here. */
  nextRun(): void;
  /** Another provider process with other settings: another address, key or project. Ends with this world. */
  elsewhere(settings: Record<string, string | undefined>): World;
  close(): Promise<void>;
}

export async function openWorld(options: EmulatorOptions = {}, settings: Record<string, string> = {}): Promise<World> {
  const clock = createTestClock();
  const ears: Shared["ears"] = { heard: () => undefined };
  const onRequest = (request: RequestRecord): void => ears.heard(request);
  const emulator = await createEmulator({ seed: 1, onRequest, ...options, now: () => clock.now() });
  const transport = clock.track(createTransport({ baseUrl: emulator.baseUrl, connections: 16, environment: {} }));
  return worldOn({ emulator, clock, transport, ears }, settings);
}

/** What the processes at one emulator share. */
interface Shared {
  emulator: Emulator;
  clock: TestClock;
  transport: Transport;
  ears: { heard(request: RequestRecord): void };
}

function worldOn(shared: Shared, settings: Record<string, string | undefined>): World {
  const { emulator, clock, transport, ears } = shared;
  const { baseUrl, apiKey, projectId } = emulator;
  const progress: string[] = [];
  const warnings: string[] = [];
  const adopt: string[] = [];
  const told: ToldTimes = { machineAheadMs: 0, isDated: true };
  let engine = new AbortController();
  let effect = (_what: "request" | "sleep"): void => undefined;
  let probe: Probe = ({ host }) => Promise.reject(new Error(`nothing in this test asks ${host}`));
  const start = (others?: OtherProcesses): ProviderProcess => {
    engine = new AbortController();
    return openProviderProcess({
      settings: { baseUrl, apiKey, projectId, maxRequestsPerSecond: "100000", ...settings },
      transport: {
        ...transport,
        async send(request) {
          effect("request");
          const answer = await transport.send(request);
          return told.isDated ? answer : { ...answer, headers: { ...answer.headers, date: undefined } };
        },
      },
      clock: {
        now: () => clock.now() + PROCESS_AHEAD_MS,
        sleep(ms, signal) {
          effect("sleep");
          return clock.sleep(ms, signal);
        },
      },
      wallClock: { epochMs: () => clock.now() + told.machineAheadMs },
      probe: (address, timeoutMs) => probe(address, timeoutMs),
      random: { retry: () => 0.5, wait: () => 0 },
      adopt,
      others,
      progress: (line) => progress.push(line),
      warn: (line) => warnings.push(line),
      signal: engine.signal,
    });
  };
  let provider = start();
  let reported = 0;
  const changes = () => emulator.requests().filter((request) => request.method !== "GET");
  const calls = (): string[] => {
    const all = changes();
    const fresh = all.slice(reported).map((request) => request.operation ?? request.path);
    reported = all.length;
    return fresh;
  };
  const timed: World["timed"] = async (work) => {
    const startedMs = clock.now();
    const result = await work();
    return { seconds: (clock.now() - startedMs) / 1_000, result };
  };
  return {
    emulator,
    clock,
    get session() {
      return provider.session;
    },
    progress,
    warnings,
    adopt,
    told,
    get probe() {
      return probe;
    },
    set probe(given) {
      probe = given;
    },
    onEffect(listener) {
      effect = listener;
    },
    front: (kind) => provider.front(kind),
    endEngine: () => engine.abort(new RefusedError("the engine is gone")),
    service: engineFor(() => provider, "service"),
    vpc: engineFor(() => provider, "vpc"),
    peering: engineFor(() => provider, "peering"),
    readReplicaSet: engineFor(() => provider, "readReplicaSet"),
    calls,
    callsOn: (id) =>
      changes()
        .filter((request) => Object.values(request.params).includes(id))
        .map((request) => request.operation ?? request.path),
    requestsOf: (operation) => emulator.requests().filter((request) => request.operation === operation),
    onRequest(listener) {
      ears.heard = listener;
    },
    overlaps: () => emulator.ledger().filter(({ overlapped }) => overlapped),
    timed,
    secondsOf: async (work) => (await timed(work)).seconds,
    restart(others) {
      provider = start(others);
    },
    nextRun() {
      provider = start();
      calls();
    },
    elsewhere: (others) => worldOn(shared, others),
    async close() {
      await transport.close();
      await emulator.close();
      clock.close();
    },
  };
}
