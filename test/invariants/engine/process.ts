// One provider process, as the engine starts it for one command: handlers and their memory. It can be killed at any
// request, and its memory is lost with it.

import { RefusedError } from "../../../provider/domain/errors";
import type { Transport } from "../../../provider/api/http/exchange";
import type { Clock, WallClock } from "../../../provider/domain/values/clock";
import { type Kind, openProviderProcess, PROCESS_AHEAD_MS, type ResourceHandlers } from "../../support/providerProcess";
import type { Random } from "../../support/random";
import type { Wire } from "./wire";

/** When to kill, counted in requests, and which process. */
export interface Kill {
  atRequest: number;
  /** Whether that request still reaches the server. */
  reachesServer: boolean;
  /**
   * "provider": the provider stops at once. "engine": without its engine the provider sends nothing more, and its
   * results are lost.
   */
  whose: "provider" | "engine";
}

export interface ProviderProcess extends Record<Kind, ResourceHandlers> {
  /** Resolves when it or its engine is killed; never otherwise. */
  readonly killed: Promise<void>;
  /** Whether it or its engine was killed. */
  readonly isOver: boolean;
  /** Resolves when no handler call is running; a killed process has none. */
  idle(): Promise<void>;
}

export interface ProcessOptions {
  baseUrl: string;
  apiKey: string;
  projectId: string;
  wire: Wire;
  clock: Clock;
  random: Random;
  /** Names and ids to adopt. */
  adopt: readonly string[];
  kill: Kill | undefined;
  /** Share of the requests whose connection is refused. */
  refusedShare: number;
  /** Called with every line that a user would see. */
  say: (line: string) => void;
  count: (what: string) => void;
}

export function startProcess(options: ProcessOptions): ProviderProcess {
  const { clock, random, say } = options;
  const life = killable(clock);
  const { baseUrl, apiKey, projectId } = options;
  const next = (): number => random.next();
  const provider = openProviderProcess({
    settings: { baseUrl, apiKey, projectId, maxRequestsPerSecond: "100000" },
    transport: { send: connect(options, life), close: () => Promise.resolve() },
    clock: life.clock,
    wallClock: unsteady(clock),
    random: { retry: next, wait: next },
    adopt: options.adopt,
    progress: say,
    warn: say,
    signal: life.orphaned,
  });
  const atWork = new Set<Promise<unknown>>();
  return {
    killed: life.killed,
    get isOver() {
      return life.isOver();
    },
    async idle() {
      while (atWork.size > 0 && !life.isDead()) await Promise.race([Promise.allSettled(atWork), life.died]);
    },
    service: counted(provider.service, atWork),
    vpc: counted(provider.vpc, atWork),
    peering: counted(provider.peering, atWork),
    readReplicaSet: counted(provider.readReplicaSet, atWork),
  };
}

/** A machine whose clock is set every ten minutes: an hour behind, right, an hour ahead. */
const unsteady = (clock: Clock): WallClock => ({
  epochMs: () => clock.now() + ((Math.floor(clock.now() / 600_000) % 3) - 1) * 3_600_000,
});

/** The connection of this process to the server; a request on it can trigger the kill. */
function connect({ wire, random, kill, refusedShare, count }: ProcessOptions, life: Life): Transport["send"] {
  const end = (): void => life.end(kill?.whose ?? "provider");
  let requests = 0;
  return wire.connect({
    isCut: life.isDead,
    beforeSend() {
      requests += 1;
      if (requests === kill?.atRequest && !kill.reachesServer) end();
    },
    afterAnswer() {
      if (requests === kill?.atRequest) end();
    },
    isRefused() {
      const isRefused = random.isLucky(refusedShare);
      if (isRefused) count("fault refused");
      return isRefused;
    },
  });
}

/** The same handlers, with their running calls counted for `idle`. */
function counted(handlers: ResourceHandlers, atWork: Set<Promise<unknown>>): ResourceHandlers {
  const count = <T>(call: Promise<T>): Promise<T> => {
    const forget = (): void => void atWork.delete(call);
    atWork.add(call);
    call.then(forget, forget);
    return call;
  };
  return {
    ...handlers,
    create: (news) => count(handlers.create(news)),
    update: (id, olds, news) => count(handlers.update(id, olds, news)),
    read: (id, props) => count(handlers.read(id, props)),
    delete: (id, props) => count(handlers.delete(id, props)),
  };
}

interface Life {
  clock: Clock;
  isDead: () => boolean;
  died: Promise<void>;
  isOver: () => boolean;
  killed: Promise<void>;
  /** Aborted when the engine is killed. A killed provider process gets no signal. */
  orphaned: AbortSignal;
  end(whose: Kill["whose"]): void;
}

/** A killed process never wakes from a sleep: its handlers stop where they are. */
function killable(clock: Clock): Life {
  const dead = signal();
  const over = signal();
  const orphaned = new AbortController();
  return {
    isDead: dead.isGiven,
    died: dead.given,
    isOver: over.isGiven,
    killed: over.given,
    orphaned: orphaned.signal,
    end(whose) {
      if (whose === "provider") dead.give();
      over.give();
      if (whose === "engine") orphaned.abort(new RefusedError("the engine is gone"));
    },
    clock: {
      now: () => clock.now() + PROCESS_AHEAD_MS,
      sleep: (ms, abort) =>
        new Promise((resolve) => {
          const slept = clock.sleep(ms, abort);
          const wake = (): void => {
            if (!dead.isGiven()) resolve(slept);
          };
          slept.then(wake, wake);
        }),
    },
  };
}

function signal(): { given: Promise<void>; isGiven: () => boolean; give: () => void } {
  let isGiven = false;
  let resolveGiven = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    resolveGiven = resolve;
  });
  return {
    given,
    isGiven: () => isGiven,
    give() {
      isGiven = true;
      resolveGiven();
    },
  };
}
