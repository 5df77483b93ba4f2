// One process of the provider, as the engine starts it for one command: handlers, their memory, and an end that can come
// at any request. Shared by nobody: what it remembered is gone with it.

import { RefusedError } from "../../../provider/domain/errors";
import type { Transport } from "../../../provider/api/http/exchange";
import type { Clock, WallClock } from "../../../provider/domain/values/clock";
import { type Kind, openProviderProcess, PROCESS_AHEAD_MS, type ResourceHandlers } from "../../support/providerProcess";
import type { Random } from "../../support/random";
import type { Wire } from "./wire";

/** When the end comes, counted in requests, and for whom. */
export interface Kill {
  atRequest: number;
  /** Whether that request still reaches the server. */
  reachesServer: boolean;
  /** The provider stops where it is; without its engine it sends nothing more, and nobody hears of it. */
  whose: "provider" | "engine";
}

export interface ProviderProcess extends Record<Kind, ResourceHandlers> {
  /** Resolves when it or its engine is killed; never otherwise. */
  readonly killed: Promise<void>;
  /** Whether that has happened. */
  readonly isOver: boolean;
  /** Resolves when no handler is at work; a killed process has none. */
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

/** The line of this process to the server, on which it may be killed. */
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

/** The same handlers; whoever waits for `idle` waits for their calls. */
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
  /** Aborted when the engine is killed. A process that was killed itself learns of nothing. */
  orphaned: AbortSignal;
  end(whose: Kill["whose"]): void;
}

/** A killed process wakes no sleeper: its handlers stop where they are. */
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
