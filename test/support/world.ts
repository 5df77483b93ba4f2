// The test world for the handlers: the real emulator over real HTTP, the real client and handlers, and one clock for
// all of them. The clock jumps over every wait, so that 45 minutes take milliseconds.

import { vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type RequestRecord } from "../../emulator/index";
import type { Transport } from "../../provider/api/http/exchange";
import { createTransport } from "../../provider/api/http/transport";
import type { Probe } from "../../provider/api/postgres/probe";
import { RefusedError } from "../../provider/domain/errors";
import type { RunLog } from "../../provider/core/runLog";
import { createNotes, type Notes } from "../../provider/core/runView";
import { createTestClock, type TestClock } from "./clock";
import { engineFor } from "./handlers";
import { type Kind, openProviderProcess, PROCESS_AHEAD_MS, type ProviderProcess } from "./providerProcess";

// Hours on the world's clock take milliseconds of real time; many hours still take seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

export type { Handlers, Kept } from "./handlers";

export interface World extends ReturnType<typeof processAt> {
  /** Another provider process with other settings: another address, key or project. Ends with this world. */
  elsewhere(settings: Record<string, string | undefined>): World;
}

export async function openWorld(options: EmulatorOptions = {}, settings: Record<string, string> = {}): Promise<World> {
  const clock = createTestClock();
  const ears: Shared["ears"] = { heard: () => undefined };
  const emulator = await createEmulator({ seed: 1, ...options, now: () => clock.now() });
  emulator.watchRequests((request) => ears.heard(request));
  const transport = clock.track(createTransport({ baseUrl: emulator.baseUrl, connections: 16, environment: {} }));
  return worldOn({ emulator, clock, transport, ears, notes: createNotes() }, settings);
}

/** What the processes at one emulator share. */
interface Shared {
  emulator: Emulator;
  clock: TestClock;
  transport: Transport;
  ears: { heard(request: RequestRecord): void };
  /** Of one user, whose runs they outlive. */
  notes: Notes;
}

function worldOn(shared: Shared, settings: Record<string, string | undefined>): World {
  return Object.assign(processAt(shared, settings), {
    elsewhere: (others: typeof settings) => worldOn(shared, others),
  });
}

function processAt({ emulator, clock, transport, ears, notes }: Shared, settings: Record<string, string | undefined>) {
  const { baseUrl, apiKey, projectId } = emulator;
  const progress: string[] = [];
  const warnings: string[] = [];
  const adopt: string[] = [];
  const believedGone: string[] = [];
  const told = {
    /** How far the clock of the provider's machine is ahead of the server's; negative if it is behind. */
    machineAheadMs: 0,
    /** Whether answers carry a `Date`. */
    isDated: true,
    /** How long each answer is on its way, on the world's clock. */
    answerMs: 0,
  };
  let engine = new AbortController();
  let effect = (_what: "request" | "sleep"): void => undefined;
  let probe: Probe = ({ host }) => Promise.reject(new Error(`nothing in this test asks ${host}`));
  const start = (log?: RunLog): ProviderProcess => {
    engine = new AbortController();
    return openProviderProcess({
      settings: { baseUrl, apiKey, projectId, maxRequestsPerSecond: "100000", ...settings },
      transport: {
        ...transport,
        async send(request) {
          effect("request");
          const answer = await transport.send(request);
          if (told.answerMs > 0) await clock.sleep(told.answerMs);
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
      believedGone,
      log,
      notes,
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
  const timed = async <T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> => {
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
    believedGone,
    /** The times of day that the provider sees; a test may change them while it runs. */
    told,
    /** Probes whether an address accepts connections. Default: a probe that fails if it is called. */
    get probe() {
      return probe;
    },
    set probe(given) {
      probe = given;
    },
    /** Called before each request and each sleep of the provider. */
    onEffect(listener: (what: "request" | "sleep") => void): void {
      effect = listener;
    },
    /** The handlers of a kind as the dynamic form's host calls them, without the engine's part. */
    bare: (kind: Kind) => provider[kind],
    /** The handlers of a kind as the plugin offers them, in the same process. */
    front: (kind: Kind) => provider.front(kind),
    /** Like `kill -9` of the CLI: nothing receives the results any more. */
    endEngine: () => engine.abort(new RefusedError("run-ended", "the engine is gone")),
    service: engineFor(() => provider, "service"),
    vpc: engineFor(() => provider, "vpc"),
    peering: engineFor(() => provider, "peering"),
    readReplicaSet: engineFor(() => provider, "readReplicaSet"),
    /** Operations called since the last time, except GETs. */
    calls,
    /** Operations called on one object, by its id, since the world began, except GETs. */
    callsOn: (id: string) =>
      changes()
        .filter((request) => Object.values(request.params).includes(id))
        .map((request) => request.operation ?? request.path),
    requestsOf: (operation: string) => emulator.requests().filter((request) => request.operation === operation),
    /** Called with every request to the emulator from now on. */
    onRequest(listener: (request: RequestRecord) => void): void {
      ears.heard = listener;
    },
    /** Steps that the server saw at the same time. */
    overlaps: () => emulator.ledger().filter(({ overlapped }) => overlapped),
    /** The result of some work, and how many seconds it took. */
    timed,
    secondsOf: async (work: () => Promise<unknown>) => (await timed(work)).seconds,
    /** Another provider process: same clock, same emulator, empty memory. `log`: that of its run. */
    restart(log?: RunLog): void {
      provider = start(log);
    },
    /** Another provider process, whose calls are counted from here. */
    nextRun(): void {
      provider = start();
      calls();
    },
    async close(): Promise<void> {
      await transport.close();
      await emulator.close();
      clock.close();
    },
  };
}
