// A tiny model of the Pulumi engine: what it keeps, in which order it calls, and what it makes of an answer, an error, a
// half-made object and a provider that is killed. Everything a run shows to a user goes through here.

import { isDeepStrictEqual } from "node:util";
import { toShown } from "../../../provider/host/shapes";
import type { Values } from "../../../provider/lifecycle/resources/resource";
import { needsOf, resolve, type Declared } from "../operator/declared";
import type { Entry, Failure, Named, Observer, Operation, State } from "../judge/observer";
import type { ProviderProcess } from "./process";

export interface Command {
  process: ProviderProcess;
  state: State;
  observer: Observer;
}

/** Answered by an operation whose process was killed: nobody will ever know. */
const KILLED = Symbol("killed");

const LINE = 'exports.handler = () => require("pulumi-dbcloud/provider").provider("…");';

/** What an `up` gets besides its program. */
export interface Forcing {
  /** `--replace`, or a taint: the logical name of the resource. */
  forced?: string | undefined;
  /** The program fails after it has registered everything: nothing is deleted. */
  isBroken?: boolean;
}

export async function up(
  command: Command,
  program: readonly Declared[],
  { forced, isBroken = false }: Forcing = {},
): Promise<void> {
  const done = new Map<string, Promise<boolean>>();
  for (const declared of program) {
    const needs = needsOf(declared.args).map((logical) => done.get(logical) ?? Promise.resolve(false));
    done.set(
      declared.logical,
      Promise.all(needs).then(
        (ready) => ready.every(Boolean) && converge(command, declared, declared.logical === forced),
      ),
    );
  }
  const results = await Promise.all(done.values());
  if (!results.every(Boolean) || command.process.isOver || isBroken) return;
  const declared = new Set(program.map(({ logical }) => logical));
  const dropped = [...command.state.entries.values()].filter(({ logical }) => !declared.has(logical));
  await removeAll(command, [...command.state.replaced, ...dropped]);
}

export async function destroy(command: Command): Promise<void> {
  await removeAll(command, [...command.state.replaced, ...command.state.entries.values()]);
}

export async function refresh({ process, state, observer }: Command): Promise<void> {
  // Pulumi: what is about to be deleted is read as well.
  const reading = [...state.entries.values(), ...state.replaced].map(async (entry) => {
    observer.operating("read", entry);
    const seen = await outcome(process, "read", entry, observer, () =>
      process[entry.kind].read(entry.id, { ...entry.outputs, __provider: LINE }),
    );
    if (seen === KILLED || seen === undefined) return;
    if (seen.id === undefined) {
      forget(state, entry);
      observer.forgotten(entry, "read");
      return;
    }
    const inputs = seen.inputs === undefined ? entry.inputs : { ...seen.inputs, __provider: LINE };
    Object.assign(entry, { outputs: { ...seen.props, __provider: LINE }, inputs, isHalfMade: false });
    observer.kept(entry);
    observer.seen(entry);
    attempt(entry, observer, () => process[entry.kind].diff(entry.id, entry.outputs, withUrn(entry, entry.inputs)));
  });
  await Promise.all(reading);
}

/** As the host completes what it is given; it is no part of the inputs that are kept. */
function withUrn({ logical, kind }: Named, inputs: Values): Values {
  return { ...inputs, __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:${kind}::${logical}` };
}

/** True when the resource is as declared. */
async function converge(command: Command, declared: Declared, isForced: boolean): Promise<boolean> {
  const { process, state, observer } = command;
  if (process.isOver) return false;
  const handlers = process[declared.kind];
  const entry = state.entries.get(declared.logical);
  const hidden = { __provider: LINE, __defaultName: declared.logical };
  const args = { ...resolve(declared.args, (logical) => state.entries.get(logical)?.id), ...hidden };
  const { inputs, failures } = handlers.check(isForced ? {} : (entry?.inputs ?? {}), withUrn(declared, args));
  if (failures.length > 0) {
    observer.failed("update", declared, { text: failures.join("\n"), code: "CHECK", isPartial: false });
    return false;
  }
  const news = { ...inputs, __provider: LINE };
  if (entry === undefined) return create(command, declared, news);
  // Pulumi: a forced replacement looks like a first create to a handler.
  if (isForced) {
    observer.forcing(entry);
    return createBeside(command, declared, entry, news);
  }
  const difference = attempt(declared, observer, () => handlers.diff(entry.id, entry.outputs, withUrn(declared, news)));
  if (difference === undefined) return false;
  if (
    (difference.replaces ?? []).length > 0 &&
    (difference.changes === true || !isDeepStrictEqual(news, entry.inputs))
  ) {
    return replace(command, declared, entry, news, difference.deleteBeforeReplace === true);
  }
  const isSame =
    difference.changes === false || (difference.changes === undefined && isDeepStrictEqual(news, entry.inputs));
  if (isSame && !entry.isHalfMade) {
    entry.inputs = news;
    entry.needs = needsOf(declared.args);
    return true;
  }
  return update(command, declared, entry, news);
}

function attempt<T>(declared: Named, observer: Observer, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    observer.failed("update", declared, failureOf(error));
    return undefined;
  }
}

async function create({ process, state, observer }: Command, declared: Declared, inputs: Values): Promise<boolean> {
  observer.operating("create", declared);
  observer.creating(declared, inputs);
  const { logical, kind, args } = declared;
  const keep = (id: string, outputs: Values, isHalfMade: boolean): Entry => {
    const entry = {
      logical,
      kind,
      id,
      inputs,
      outputs: { ...outputs, __provider: LINE },
      isHalfMade,
      isPending: false,
      needs: needsOf(args),
    };
    state.entries.set(logical, entry);
    observer.created(declared, id);
    observer.kept(entry);
    return entry;
  };
  const made = await outcome(
    process,
    "create",
    declared,
    observer,
    () => process[kind].create(withUrn(declared, inputs)),
    (id, outputs) => {
      keep(id, outputs, true);
    },
  );
  if (made === KILLED || made === undefined) return false;
  observer.converged(keep(made.id, made.outs, false));
  return true;
}

async function update(command: Command, declared: Declared, entry: Entry, news: Values): Promise<boolean> {
  const { process, observer } = command;
  observer.operating("update", declared);
  const changed = await outcome(
    process,
    "update",
    declared,
    observer,
    () => process[entry.kind].update(entry.id, entry.outputs, withUrn(declared, news)),
    (_id, outputs) => {
      // The engine keeps the old inputs of an update that ended early.
      Object.assign(entry, { outputs: { ...outputs, __provider: LINE }, isHalfMade: true });
      observer.kept(entry);
    },
  );
  if (changed === KILLED) observer.cutOff(entry);
  if (changed === KILLED || changed === undefined) return false;
  const outputs = { ...changed.outs, __provider: LINE };
  Object.assign(entry, { inputs: news, outputs, isHalfMade: false, needs: needsOf(declared.args) });
  observer.kept(entry);
  observer.converged(entry);
  return true;
}

async function replace(
  command: Command,
  declared: Declared,
  entry: Entry,
  news: Values,
  isOldFirst: boolean,
): Promise<boolean> {
  const { process, observer } = command;
  observer.replacing(declared, entry);
  // Pulumi: what is replaced is checked once more, as if it were new.
  process[declared.kind].check({}, withUrn(declared, news));
  if (isOldFirst) {
    if (!(await remove(command, entry))) return false;
    return create(command, declared, news);
  }
  return createBeside(command, declared, entry, news);
}

/** The new one first; the old one is to be deleted at the end of this run, or of a later one. */
async function createBeside(command: Command, declared: Declared, entry: Entry, news: Values): Promise<boolean> {
  const { state } = command;
  const isMade = await create(command, declared, news);
  if (state.entries.get(declared.logical) === entry) return isMade;
  entry.isPending = true;
  state.replaced.push(entry);
  return isMade;
}

/** Dependents first; whoever is still needed by one that stayed, stays. */
async function removeAll(command: Command, entries: readonly Entry[]): Promise<void> {
  let left = [...entries];
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ needs }) => needs));
    const free = left.filter(({ logical, needs }) => !needed.has(logical) || needs.includes(logical));
    const batch = free.length > 0 ? free : left;
    const results = await Promise.all(batch.map((entry) => remove(command, entry)));
    if (!results.every(Boolean)) return;
    left = left.filter((entry) => !batch.includes(entry));
  }
}

async function remove({ process, state, observer }: Command, entry: Entry): Promise<boolean> {
  if (process.isOver) return false;
  observer.operating("delete", entry);
  observer.deleting(entry);
  const gone = await outcome(process, "delete", entry, observer, async () => {
    await process[entry.kind].delete(entry.id, entry.outputs);
    return true;
  });
  // One that is only left behind is changed first.
  if (gone === KILLED) observer.cutOff(entry);
  if (gone !== true) return false;
  forget(state, entry);
  observer.forgotten(entry, "delete");
  return true;
}

function forget(state: State, entry: Entry): void {
  if (state.entries.get(entry.logical) === entry) state.entries.delete(entry.logical);
  state.replaced = state.replaced.filter((one) => one !== entry);
}

/** What came of a call; undefined when it failed, which the observer knows by then. */
async function outcome<T>(
  process: ProviderProcess,
  operation: Operation,
  declared: Named,
  observer: Observer,
  call: () => Promise<T>,
  keepHalf?: (id: string, outputs: Values) => void,
): Promise<T | typeof KILLED | undefined> {
  try {
    return await Promise.race([call(), process.killed.then((): typeof KILLED => KILLED)]);
  } catch (error) {
    if (process.isOver) return KILLED;
    const failure = failureOf(error);
    if (failure.isPartial) {
      const { id, outputs } = error as { id: string; outputs: Values };
      keepHalf?.(id, outputs);
    }
    observer.failed(operation, declared, failure);
    return undefined;
  }
}

function failureOf(error: unknown): Failure {
  const shown = toShown(error, {});
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { text: shown instanceof Error ? shown.message : String(shown), code, isPartial: code === "PARTIAL" };
}
