// One process of the provider, as the engine starts it for one command: handlers, their memory, and an end that can come
// at any request. Shared by nobody: what it remembered is gone with it.

import type { Clock } from "../../provider/domain/clock";
import { createClient } from "../../provider/api/client";
import { readConfig } from "../../provider/domain/config";
import { check } from "../../provider/lifecycle/check";
import type { Context } from "../../provider/lifecycle/context";
import { create } from "../../provider/lifecycle/create";
import { remove } from "../../provider/lifecycle/delete";
import { diff } from "../../provider/lifecycle/diff";
import { createLocks } from "../../provider/lifecycle/locks";
import { peering } from "../../provider/lifecycle/peering";
import { read, type Reading } from "../../provider/lifecycle/read";
import { readReplicaSet } from "../../provider/lifecycle/readReplicaSet";
import type { Resource, Values } from "../../provider/lifecycle/resource";
import { service } from "../../provider/lifecycle/service";
import { createMemory, createSession } from "../../provider/lifecycle/session";
import { update } from "../../provider/lifecycle/update";
import { vpc } from "../../provider/lifecycle/vpc";
import type { Random } from "../support/random";
import type { Wire } from "./wire";

export type Kind = "service" | "vpc" | "peering" | "readReplicaSet";

/** The handlers of one kind. */
export interface Handlers {
  check(olds: Values, news: Values): { inputs: Values; failures: string[]; warnings: string[] };
  diff(
    id: string,
    olds: Values,
    news: Values,
  ): { changes?: boolean; replaces?: string[]; deleteBeforeReplace?: boolean };
  create(news: Values): Promise<{ id: string; outs: Values }>;
  update(id: string, olds: Values, news: Values): Promise<{ outs: Values }>;
  read(id: string, props: Values): Promise<Reading>;
  delete(id: string, props: Values): Promise<void>;
}

/** When the end comes, counted in requests, and for whom. */
export interface Death {
  atRequest: number;
  /** Whether that request still reaches the server. */
  reachesServer: boolean;
  /** The provider stops where it is; without its engine it ends what it began, and nobody hears of it. */
  whose: "provider" | "engine";
}

export interface ProviderProcess extends Record<Kind, Handlers> {
  /** Resolves when it or its engine is killed; never otherwise. */
  readonly killed: Promise<void>;
  /** Whether that has happened. */
  readonly isOver: boolean;
  /** Resolves when no handler is at work; a dead process has none. */
  idle(): Promise<void>;
}

export interface ProcessOptions {
  baseUrl: string;
  apiKey: string;
  projectId: string;
  wire: Wire;
  clock: Clock;
  random: Random;
  /** Names and ids to take over. */
  adopt: readonly string[];
  death: Death | undefined;
  /** Share of the requests whose connection is refused. */
  refusedShare: number;
  /** Told every line that a person would see. */
  say: (line: string) => void;
  count: (what: string) => void;
}

export function startProcess(options: ProcessOptions): ProviderProcess {
  const { wire, clock, random, death, say } = options;
  const life = mortal(clock);
  const end = (): void => life.end(death?.whose ?? "provider");
  let requests = 0;
  const transport = wire.connect({
    isCut: life.isDead,
    beforeSend() {
      requests += 1;
      if (requests === death?.atRequest && !death.reachesServer) end();
    },
    afterAnswer() {
      if (requests === death?.atRequest) end();
    },
    isRefused() {
      const isRefused = random.isLucky(options.refusedShare);
      if (isRefused) options.count("fault refused");
      return isRefused;
    },
  });
  const { baseUrl, apiKey, projectId } = options;
  const values: Record<string, string> = { baseUrl, apiKey, projectId };
  const memory = createMemory();
  const session = createSession({
    config: readConfig([{ origin: "stack", read: (key) => values[key] }]),
    client: createClient({
      baseUrl,
      apiKey,
      maxRequestsPerSecond: 100_000,
      clock: life.clock,
      transport: { send: transport, close: () => Promise.resolve() },
      random: () => random.next(),
    }),
    clock: life.clock,
    memory,
    locks: createLocks(),
    random: () => random.next(),
  });
  const context: Context = {
    session: () => session,
    progress: say,
    warn: say,
    quiet: false,
    memory,
    adopt: options.adopt,
    isOrphaned: life.isOver,
  };
  const atWork = new Set<Promise<unknown>>();
  return {
    killed: life.killed,
    get isOver() {
      return life.isOver();
    },
    async idle() {
      while (atWork.size > 0 && !life.isDead()) await Promise.race([Promise.allSettled(atWork), life.died]);
    },
    service: handlersOf(service, context, atWork),
    vpc: handlersOf(vpc, context, atWork),
    peering: handlersOf(peering, context, atWork),
    readReplicaSet: handlersOf(readReplicaSet, context, atWork),
  };
}

function handlersOf<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: Context,
  atWork: Set<Promise<unknown>>,
): Handlers {
  const counted = <T>(call: Promise<T>): Promise<T> => {
    const forget = (): void => void atWork.delete(call);
    atWork.add(call);
    call.then(forget, forget);
    return call;
  };
  return {
    check: (olds, news) => check(resource, context, olds, news),
    diff: (id, olds, news) => diff(resource, context, id, olds, news),
    create: (news) => counted(create(resource, context, news)),
    update: (id, olds, news) => counted(update(resource, context, id, olds, news)),
    read: (id, props) => counted(read(resource, context, id, props)),
    delete: (id, props) => counted(remove(resource, context, id, props)),
  };
}

interface Life {
  clock: Clock;
  isDead: () => boolean;
  died: Promise<void>;
  isOver: () => boolean;
  killed: Promise<void>;
  end(whose: Death["whose"]): void;
}

/** A dead process wakes no sleeper: its handlers stop where they are. */
function mortal(clock: Clock): Life {
  const dead = signal();
  const over = signal();
  return {
    isDead: dead.isGiven,
    died: dead.given,
    isOver: over.isGiven,
    killed: over.given,
    end(whose) {
      if (whose === "provider") dead.give();
      over.give();
    },
    clock: {
      now: () => clock.now(),
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
  let tell = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    tell = resolve;
  });
  return {
    given,
    isGiven: () => isGiven,
    give() {
      isGiven = true;
      tell();
    },
  };
}
