// The provider processes of one command, as the engine starts them: handlers and their memory. They can be killed at any
// request, and their memory is lost with them.

import { RefusedError } from "../../../provider/domain/errors";
import type { Transport } from "../../../provider/api/http/exchange";
import type { Clock, WallClock } from "../../../provider/domain/values/clock";
import type { Form } from "../../../provider/pulumi/stateNames";
import type { Notes } from "../../../provider/core/runView";
import { type Kind, openProviderProcess, PROCESS_AHEAD_MS } from "../../support/providerProcess";
import type { Random } from "../../support/random";
import { createRunBus } from "../../support/runBus";
import { dynamicCalls, type EngineCalls, nativeCalls } from "./calls";
import type { Wire } from "./wire";

/** When a command ends early, counted in requests, and by what. */
export interface Kill {
  atRequest: number;
  /** Whether that request still reaches the server. */
  reachesServer: boolean;
  /**
   * "provider": the provider stops at once. "engine": without its engine the provider sends nothing more, and its
   * results are lost. "user": a Ctrl-C, after which the provider sends nothing more, and its results are saved. The dynamic
   * form does not hear of it.
   */
  whose: "provider" | "engine" | "user";
}

export const KILLED = Symbol("killed");

export type ProviderProcesses = ReturnType<typeof startProcesses>;

export interface ProcessOptions {
  form: Form;
  baseUrl: string;
  apiKey: string;
  projectId: string;
  wire: Wire;
  clock: Clock;
  random: Random;
  /** Names and ids to adopt. */
  adopt: readonly string[];
  /** Whether the operator says that what is missing was deleted. */
  believesGone: boolean;
  /** Of this user, whose runs they outlive. */
  notes: Notes;
  kill: Kill | undefined;
  /** Share of the requests whose connection is refused. */
  refusedShare: number;
  /** Called with every line that a user would see. */
  say: (line: string) => void;
  warn: (line: string) => void;
  count: (what: string) => void;
  /** Called with a mark of the process before each request. */
  sending: (by: unknown) => void;
  /** Called with the path and the answer of each read. */
  shown: (path: string, text: string) => void;
}

/** One process for the default provider and one for each explicit one, which end together. */
export function startProcesses(options: ProcessOptions) {
  const { clock, random, say, warn } = options;
  const life = killable(clock);
  const { baseUrl, apiKey, projectId } = options;
  const next = (): number => random.next();
  const bus = createRunBus();
  const open = (): ReturnType<typeof openProviderProcess> =>
    openProviderProcess({
      log: bus.join(),
      settings: { baseUrl, apiKey, projectId, maxRequestsPerSecond: "100000" },
      transport: { send: connect(options, life), close: () => Promise.resolve() },
      clock: life.clock,
      wallClock: unsteady(clock),
      random: { retry: next, wait: next },
      adopt: options.adopt,
      believedGone: options.believesGone ? [projectId] : [],
      notes: options.notes,
      progress: say,
      warn,
      signal: life.orphaned,
    });
  const processes = new Map<number | undefined, Record<Kind, EngineCalls>>();
  const begin = (): Record<Kind, EngineCalls> => {
    const provider = open();
    const callsOf = (kind: Kind): EngineCalls =>
      options.form === "native" ? nativeCalls(provider.front(kind)) : dynamicCalls(provider[kind]);
    return {
      service: callsOf("service"),
      vpc: callsOf("vpc"),
      peering: callsOf("peering"),
      readReplicaSet: callsOf("readReplicaSet"),
    };
  };
  const atWork = new Set<Promise<unknown>>();
  const died = aborted(life.dead);
  const killed = aborted(life.over);
  return {
    /** That of an explicit provider, or of the default one. */
    of(provider: number | undefined): Record<Kind, EngineCalls> {
      const found = processes.get(provider) ?? begin();
      processes.set(provider, found);
      return found;
    },
    /** The engine begins nothing more. */
    get isOver(): boolean {
      return life.over.aborted || life.orphaned.aborted;
    },
    /** Whether it or its engine was killed. */
    get isKilled(): boolean {
      return life.over.aborted;
    },
    /** The result of a handler call; `KILLED` as soon as it or its engine is killed, because the effect is unknown then. */
    run<T>(call: Promise<T>): Promise<T | typeof KILLED> {
      const forget = (): void => void atWork.delete(call);
      atWork.add(call);
      call.then(forget, forget);
      return Promise.race([call, killed.then((): typeof KILLED => KILLED)]);
    },
    /** Resolves when no handler call is running; a killed process has none. */
    async idle(): Promise<void> {
      while (atWork.size > 0 && !life.dead.aborted) await Promise.race([Promise.allSettled(atWork), died]);
    },
  };
}

/** A machine whose clock is set every ten minutes: an hour behind, right, an hour ahead. */
const unsteady = (clock: Clock): WallClock => ({
  epochMs: () => clock.now() + ((Math.floor(clock.now() / 600_000) % 3) - 1) * 3_600_000,
});

/** The connection of this process to the server; a request on it can trigger the kill. */
function connect(
  { wire, random, kill, refusedShare, count, sending, shown }: ProcessOptions,
  life: Life,
): Transport["send"] {
  const end = (): void => life.end(kill?.whose ?? "provider");
  const mark = {};
  let requests = 0;
  return wire.connect({
    isCut: () => life.dead.aborted,
    beforeSend() {
      sending(mark);
      requests += 1;
      if (requests === kill?.atRequest && !kill.reachesServer) end();
    },
    afterAnswer({ method, url }, answer) {
      if (method === "GET" && answer?.status === 200) shown(url.pathname, answer.text);
      if (requests === kill?.atRequest) end();
    },
    isRefused() {
      const isRefused = random.isLucky(refusedShare);
      if (isRefused) count("fault refused");
      return isRefused;
    },
  });
}

type Life = ReturnType<typeof killable>;

/** A killed process never wakes from a sleep: its handlers stop where they are. */
function killable(clock: Clock) {
  const [dead, over, orphaned] = [new AbortController(), new AbortController(), new AbortController()];
  return {
    /** Aborted when the process is killed. */
    dead: dead.signal,
    /** Aborted when it or its engine is killed. */
    over: over.signal,
    /** Aborted when the engine is killed, and by the user. A killed provider process gets no signal. */
    orphaned: orphaned.signal,
    end(whose: Kill["whose"]): void {
      if (whose === "provider") dead.abort();
      if (whose !== "user") over.abort();
      if (whose !== "provider") orphaned.abort(new RefusedError("run-ended", "the engine is gone, or was told to end"));
    },
    clock: {
      now: () => clock.now() + PROCESS_AHEAD_MS,
      sleep: (ms: number, abort?: AbortSignal): Promise<void> =>
        new Promise((resolve) => {
          const slept = clock.sleep(ms, abort);
          const wake = (): void => {
            if (!dead.signal.aborted) resolve(slept);
          };
          slept.then(wake, wake);
        }),
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve());
  });
}
