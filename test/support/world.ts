// The test world for the handlers: the real emulator over real HTTP, the real client and handlers, and one clock for
// all of them. The clock jumps over every wait, so that 45 minutes take milliseconds.

import { vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
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
  /** Another provider process: same clock, same emulator, empty memory. `others`: those of the same run. */
  restart(others?: OtherProcesses): void;
  /** Another provider process with other settings: another address, key or project. Ends with this world. */
  elsewhere(settings: Record<string, string | undefined>): World;
  close(): Promise<void>;
}

export async function openWorld(options: EmulatorOptions = {}, settings: Record<string, string> = {}): Promise<World> {
  const clock = createTestClock();
  const emulator = await createEmulator({ seed: 1, ...options, now: () => clock.now() });
  const transport = clock.track(createTransport({ baseUrl: emulator.baseUrl, connections: 16, environment: {} }));
  return worldOn(emulator, clock, transport, settings);
}

function worldOn(
  emulator: Emulator,
  clock: TestClock,
  transport: Transport,
  settings: Record<string, string | undefined>,
): World {
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
    calls() {
      const all = changes();
      const fresh = all.slice(reported).map((request) => request.operation ?? request.path);
      reported = all.length;
      return fresh;
    },
    callsOn: (id) =>
      changes()
        .filter((request) => Object.values(request.params).includes(id))
        .map((request) => request.operation ?? request.path),
    restart(others) {
      provider = start(others);
    },
    elsewhere: (others) => worldOn(emulator, clock, transport, others),
    async close() {
      await transport.close();
      await emulator.close();
      clock.close();
    },
  };
}
