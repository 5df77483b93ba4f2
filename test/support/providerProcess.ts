// One provider process, simulated within the test: the handlers of all kinds, the session that they share, and memory
// that is lost when the process ends.

import { readFileSync } from "node:fs";
import path from "node:path";
import { createFront, type Front } from "../../plugin/front";
import { createClient } from "../../provider/api/client";
import type { Transport } from "../../provider/api/http/exchange";
import type { Probe } from "../../provider/api/postgres/probe";
import type { Clock, WallClock } from "../../provider/domain/values/clock";
import { readSettings } from "../../provider/domain/config/config";
import type { Kind } from "../../provider/domain/kinds";
import type { Account } from "../../provider/core/name";
import { check } from "../../provider/core/check";
import { defaultNameOf, hiddenDifferences, identityOf, withUrn } from "../../provider/host/hidden";
import type { CallContext, RunCall } from "../../provider/host/calls";
import { create } from "../../provider/core/create";
import { remove } from "../../provider/core/delete";
import { diff } from "../../provider/core/diff";
import { createLocks, createSession } from "../../provider/core/createSession";
import { read, type Reading } from "../../provider/core/read";
import { resources } from "../../provider/kinds/index";
import type { Context } from "../../provider/core/operation";
import type { Resource } from "../../provider/core/kind";
import type { Values } from "../../provider/domain/values/value";
import type { RunLog } from "../../provider/core/runLog";
import { Memory, type Notes, RunView } from "../../provider/core/runView";
import { update } from "../../provider/core/update";
import { typeOf } from "../../provider/pulumi/stateNames";

export type { Kind };

/** What `diff` tells the engine, and the calls that it shows where somebody asks for them. */
type Difference = {
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
  operations: readonly string[];
};

/** The handlers of one kind, as the host calls them. */
export type ResourceHandlers = ReturnType<typeof handlersOf>;

export type ProviderProcess = ReturnType<typeof openProviderProcess>;

/** How far the process's clock is ahead of the time of day: code that compares the two is wrong by this much. */
export const PROCESS_AHEAD_MS = 10 * 3_600_000;

export interface ProviderProcessOptions {
  /** Configuration by key, like `baseUrl`. */
  settings: Readonly<Record<string, string | undefined>>;
  transport: Transport;
  clock: Clock;
  wallClock: WallClock;
  /** Probes whether a PostgreSQL accepts connections at an address. Default: the real probe. */
  probe?: Probe | undefined;
  /** The jitter of the client's retries and of the waits. */
  random: { retry: () => number; wait: () => number };
  /** Names and ids to adopt. */
  adopt?: readonly string[];
  /** The projects whose objects may be gone all at once. */
  believedGone?: readonly string[];
  /** The log of the run. */
  log?: RunLog | undefined;
  /** What earlier runs have told this one. */
  notes?: Notes | undefined;
  progress: (line: string) => void;
  warn: (line: string) => void;
  /** Aborted when its engine ends. */
  signal: AbortSignal;
}

export function openProviderProcess(options: ProviderProcessOptions) {
  const {
    settings,
    transport,
    clock,
    wallClock,
    random,
    probe,
    adopt = [],
    believedGone = [],
    log,
    notes,
    progress,
    warn,
    signal,
  } = options;
  const { config } = readSettings([{ origin: "stack", read: (key) => settings[key] }]);
  const { baseUrl = "", apiKey = "", maxRequestsPerSecond, maxConcurrency, readOnly, readOnlyRemedy } = config;
  const memory = new Memory(log, notes);
  const client = createClient({
    baseUrl,
    apiKey,
    maxRequestsPerSecond,
    maxConcurrency,
    readOnly,
    readOnlyRemedy,
    clock,
    wallClock,
    transport,
    random: random.retry,
    until: signal,
  });
  const parts = { config, client, clock, wallClock, locks: createLocks(), random: random.wait };
  const session = createSession(probe === undefined ? parts : { ...parts, probe });
  const warnings = new Set<string>();
  const context = {
    session: () => session,
    progress,
    warn,
    warnOnce(line: string) {
      if (!warnings.has(line)) warn(line);
      warnings.add(line);
    },
    quiet: config.quiet,
    isProtecting: config.deletionProtection,
    nowMs: wallClock.epochMs(),
    memory,
    adopt,
    believesGone: includedIn(believedGone),
    signal,
  };
  return {
    session,
    /** The handlers of a kind as the plugin offers them, in the same process. */
    front: (kind: Kind): Front => createFront(resources[kind], memory, callIn(context, config), outputsOf(kind)),
    /** The calls that follow belong to a run whose program is empty. */
    forgetProgram: () => void Object.assign(memory, { view: new RunView(log) }),
    service: handlersOf(resources.service, context, config),
    vpc: handlersOf(resources.vpc, context, config),
    peering: handlersOf(resources.peering, context, config),
    readReplicaSet: handlersOf(resources.readReplicaSet, context, config),
  };
}

function includedIn(names: readonly string[]): (name: string) => boolean {
  return (name) => names.includes(name);
}

/** Runs a call of the plugin's front. Errors stay as they are, so that tests see their codes. */
type Shared = Omit<CallContext, "identity" | "account" | "malformed" | "missing">;

function callIn(shared: Shared, account: Account): RunCall {
  return async (raw, _delayMs, work) =>
    work({ ...shared, identity: identityOf(raw), account, malformed: [], missing: [] });
}

const SCHEMA = JSON.parse(readFileSync(path.resolve(__dirname, "../../plugin/schema.json"), "utf8")) as {
  resources: Record<string, { properties: object } | undefined>;
};

/** The outputs of a kind by the schema of the plugin. */
function outputsOf(kind: Kind): string[] {
  return Object.keys(SCHEMA.resources[typeOf("native", kind)]?.properties ?? {});
}

/** The hidden keys belong to the host; these handlers treat them as the host does. */
function handlersOf(resource: Resource, shared: Shared, account: Account) {
  const contextOf = (values: Values): Context & Shared => ({ ...shared, identity: identityOf(values) });
  return {
    check: (olds: Values, news: Values) =>
      check(resource, { ...contextOf(news), account, ...defaultNameOf(news) }, olds, news),
    diff(id: string, olds: Values, news: Values, isUnnamed = false): Difference {
      let operations: readonly string[] = [];
      const showCalls = (_label: string, shown: readonly string[]): void => void (operations = shown);
      const context = { ...contextOf(news), ...hiddenDifferences(olds, news), showCalls, isUnnamed };
      return { ...diff(resource, context, id, olds, news), operations };
    },
    async create(news: Values) {
      const { id, outs } = await create(resource, contextOf(news), news);
      return { id, outs: withUrn(outs, news) };
    },
    async update(id: string, olds: Values, news: Values) {
      const { outs } = await update(resource, contextOf(news), id, olds, news);
      return { outs: withUrn(outs, news) };
    },
    async read(id: string, props: Values): Promise<Reading> {
      const { props: seen, ...rest } = await read(resource, contextOf(props), id, props);
      return seen === undefined ? rest : { ...rest, props: withUrn(seen, props) };
    },
    delete: (id: string, props: Values) => remove(resource, contextOf(props), id, props),
  };
}
