// A world for handler tests: the real emulator over real HTTP, the real client and handlers, and one clock for all of
// them that jumps to the next waker as soon as nothing is under way. 45 minutes of waiting take milliseconds.

import { vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { createClient } from "../../provider/api/client";
import { createTransport } from "../../provider/api/transport";
import type { Transport } from "../../provider/api/exchange";
import { readConfig } from "../../provider/domain/config";
import { PartialError } from "../../provider/domain/errors";
import { check, type Checked } from "../../provider/lifecycle/check";
import type { Context } from "../../provider/lifecycle/context";
import { create } from "../../provider/lifecycle/create";
import { remove } from "../../provider/lifecycle/delete";
import { diff, previewPlan } from "../../provider/lifecycle/diff";
import { createLocks } from "../../provider/lifecycle/locks";
import { peering } from "../../provider/lifecycle/peering";
import { read } from "../../provider/lifecycle/read";
import { readReplicaSet } from "../../provider/lifecycle/readReplicaSet";
import type { Resource, Values } from "../../provider/lifecycle/resource";
import { service } from "../../provider/lifecycle/service";
import { createMemory, createSession, type Memory, type Session } from "../../provider/lifecycle/session";
import { update } from "../../provider/lifecycle/update";
import { vpc } from "../../provider/lifecycle/vpc";
import { createTestClock, type TestClock } from "../support/clock";

// Hours of the world's clock are milliseconds of ours, and many of them are still seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

export const PROVIDER_LINE = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("service");';

/** What the engine keeps of a resource. */
export interface Kept {
  id: string;
  inputs: Values;
  outputs: Values;
  failed?: string;
}

export interface Preview {
  changes: boolean | undefined;
  replaces: string[];
  isOldFirst: boolean;
  properties: string[];
  operations: string[];
}

export interface Handlers {
  /** As `up` does it: check, then create. A half-made object is kept with `failed`. */
  create(args: Values): Promise<Kept>;
  /** As `up` does it: check, diff, then update if the engine would. Throws what was thrown. */
  update(kept: Kept, args: Values): Promise<Kept>;
  refresh(kept: Kept): Promise<Kept | undefined>;
  /** As `destroy` does it, or `up` without the resource in its program. */
  remove(kept: Kept): Promise<void>;
  /** As `up` does it with an entry that an earlier run left to be deleted. */
  removePending(kept: Kept): Promise<void>;
  /** The `diff` of a refresh: it follows a read, and no `check`. */
  compare(kept: Kept): void;
  /** What `check` says to a resource that is registered. */
  check(args: Values, olds?: Values): Checked;
  /** What `diff` says, the inputs that differ, and the calls that an update would make. */
  preview(kept: Kept, args: Values): Preview;
  /** As `up` does it: the new one first, or the old one where `diff` says so. */
  replace(kept: Kept, args: Values): Promise<Kept>;
}

export interface World {
  emulator: Emulator;
  clock: TestClock;
  session: Session;
  memory: Memory;
  progress: string[];
  warnings: string[];
  adopt: string[];
  /** The engine that waits for the results. */
  engine: { isGone: boolean };
  service: Handlers;
  vpc: Handlers;
  peering: Handlers;
  readReplicaSet: Handlers;
  /** Operations called since the last time, GETs left out. */
  calls(): string[];
  /** Operations called on one object, by its id, since the world began; GETs left out. */
  callsOn(id: string): string[];
  /** Another process of the provider: same clock, same emulator, nothing remembered. */
  restart(): void;
  /** Another process of the provider with other settings: another address, key or project. Ends with this world. */
  elsewhere(settings: Record<string, string>): World;
  close(): Promise<void>;
}

export async function openWorld(options: EmulatorOptions = {}, settings: Record<string, string> = {}): Promise<World> {
  const clock = createTestClock();
  const emulator = await createEmulator({ seed: 1, ...options, now: () => clock.now() });
  const transport = clock.track(createTransport({ baseUrl: emulator.baseUrl, connections: 16, environment: {} }));
  return openProvider(emulator, clock, transport, settings);
}

function openProvider(
  emulator: Emulator,
  clock: TestClock,
  transport: Transport,
  settings: Record<string, string>,
): World {
  const values: Record<string, string> = {
    baseUrl: emulator.baseUrl,
    apiKey: emulator.apiKey,
    projectId: emulator.projectId,
    maxRequestsPerSecond: "100000",
    ...settings,
  };
  const config = readConfig([{ origin: "stack", read: (key) => values[key] }]);
  const connectSession = (memory: Memory): Session =>
    createSession({
      config,
      client: createClient({
        baseUrl: config.baseUrl ?? "",
        apiKey: config.apiKey ?? "",
        maxRequestsPerSecond: config.maxRequestsPerSecond,
        clock,
        transport,
        random: () => 0.5,
      }),
      clock,
      memory,
      locks: createLocks(),
      random: () => 0,
    });
  const memory = createMemory();
  const state = { memory, session: connectSession(memory) };
  const progress: string[] = [];
  const warnings: string[] = [];
  const adopt: string[] = [];
  const engine = { isGone: false };
  const context = (): Context => ({
    session: () => state.session,
    progress: (line) => progress.push(line),
    warn: (line) => warnings.push(line),
    quiet: config.quiet,
    memory: state.memory,
    adopt,
    isOrphaned: () => engine.isGone,
  });
  let seen = 0;
  return {
    emulator,
    clock,
    get session() {
      return state.session;
    },
    get memory() {
      return state.memory;
    },
    progress,
    warnings,
    adopt,
    engine,
    service: handlersOf(service, context),
    vpc: handlersOf(vpc, context),
    peering: handlersOf(peering, context),
    readReplicaSet: handlersOf(readReplicaSet, context),
    calls() {
      const all = emulator.requests().filter((request) => request.method !== "GET");
      const fresh = all.slice(seen).map((request) => request.operation ?? request.path);
      seen = all.length;
      return fresh;
    },
    callsOn: (id) =>
      emulator
        .requests()
        .filter((request) => request.method !== "GET" && Object.values(request.params).includes(id))
        .map((request) => request.operation ?? request.path),
    restart() {
      state.memory = createMemory();
      state.session = connectSession(state.memory);
    },
    elsewhere: (others) => openProvider(emulator, clock, transport, others),
    async close() {
      await transport.close();
      await emulator.close();
      clock.close();
    },
  };
}

function handlersOf<Inputs extends object, Observed>(
  resource: Resource<Inputs, Observed>,
  context: () => Context,
): Handlers {
  const checked = (olds: Values, args: Values): Values => {
    const result = check(resource, context(), olds, {
      ...args,
      __provider: PROVIDER_LINE,
      __defaultName: "unnamed-test",
    });
    if (result.failures.length > 0) throw new Error(result.failures.join("\n"));
    return { ...result.inputs, __provider: PROVIDER_LINE };
  };
  // As the host does it: the URN is no input, and handlers are told of it all the same.
  const told = (inputs: Values, args: Values): Values =>
    args["__urn"] === undefined ? inputs : { ...inputs, __urn: args["__urn"] };
  const withUrn = (kept: Kept): Values => told(kept.inputs, kept.outputs);
  const difference = (kept: Kept, inputs: Values) => diff(resource, context(), kept.id, kept.outputs, inputs);
  const createNew = (args: Values): Promise<Kept> => {
    const inputs = checked({}, args);
    return keeping(inputs, async () => {
      const { id, outs } = await create(resource, context(), told(inputs, args));
      return { id, outputs: outs };
    });
  };
  return {
    create: async (args) => createNew(args),
    async update(kept, args) {
      const inputs = checked(kept.inputs, args);
      const { changes, replaces } = difference(kept, told(inputs, args));
      if (replaces !== undefined && replaces.length > 0) throw new Error(`replace: ${replaces.join(", ")}`);
      const differs = JSON.stringify(sorted(inputs)) !== JSON.stringify(sorted(kept.inputs));
      if (changes === false || (changes === undefined && !differs && kept.failed === undefined)) return kept;
      // The engine keeps the old inputs when an update ends early.
      const next = await keeping(inputs, async () => {
        const { outs } = await update(resource, context(), kept.id, kept.outputs, told(inputs, args));
        return { id: kept.id, outputs: outs };
      });
      return next.failed === undefined ? next : { ...next, inputs: kept.inputs };
    },
    async refresh(kept) {
      const { id, props, inputs } = await read(resource, context(), kept.id, {
        ...kept.outputs,
        __provider: PROVIDER_LINE,
      });
      if (id === undefined) return undefined;
      return {
        id,
        inputs: inputs === undefined ? kept.inputs : { ...inputs, __provider: PROVIDER_LINE },
        outputs: { ...props, __provider: PROVIDER_LINE },
      };
    },
    remove(kept) {
      // As in a run whose program does not have it any more.
      const { held, registered } = context().memory;
      held.clear();
      registered.clear();
      return remove(resource, context(), kept.id, kept.outputs);
    },
    removePending: (kept) => remove(resource, context(), kept.id, kept.outputs),
    compare: (kept) => void diff(resource, context(), kept.id, kept.outputs, withUrn(kept)),
    check: (args, olds = {}) => check(resource, context(), olds, { ...args, __provider: PROVIDER_LINE }),
    preview(kept, args) {
      const inputs = checked(kept.inputs, args);
      const { changes, replaces = [], deleteBeforeReplace: isOldFirst = false } = difference(kept, told(inputs, args));
      const keys = new Set([...Object.keys(inputs), ...Object.keys(kept.inputs)]);
      const properties = [...keys].filter(
        (key) => JSON.stringify(inputs[key]) !== JSON.stringify(kept.inputs[key]) && !key.startsWith("__"),
      );
      const operations = previewPlan(resource, kept.outputs, inputs).steps.map((step) => step.operation);
      return { changes, replaces, isOldFirst, properties, operations };
    },
    async replace(kept, args) {
      const { deleteBeforeReplace: isOldFirst = false } = difference(kept, told(checked(kept.inputs, args), args));
      if (isOldFirst) await remove(resource, context(), kept.id, kept.outputs);
      const next = await createNew(args);
      if (!isOldFirst && next.failed === undefined) await remove(resource, context(), kept.id, kept.outputs);
      return next;
    },
  };
}

async function keeping(inputs: Values, work: () => Promise<{ id: string; outputs: Values }>): Promise<Kept> {
  try {
    const { id, outputs } = await work();
    return { id, inputs, outputs: { ...outputs, __provider: PROVIDER_LINE } };
  } catch (error) {
    if (!(error instanceof PartialError)) throw error;
    return {
      id: error.id,
      inputs,
      outputs: { ...error.outputs, __provider: PROVIDER_LINE },
      failed: error.reasons.join("\n"),
    };
  }
}

function sorted(values: Values): Values {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => a.localeCompare(b)));
}
