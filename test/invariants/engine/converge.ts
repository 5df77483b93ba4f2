// Brings one resource to what the program declares, as the engine does it: create, update or replace.

import type { Values } from "../../../provider/domain/values/value";
import type { Entry } from "./state";
import { type Declared, needsOf, resolve } from "../operator/declared";
import { attempt, type Command, outcome, remove } from "./outcome";
import { KILLED } from "./process";

/** True if the resource is as declared. */
export async function converge(command: Command, declared: Declared, isForced: boolean): Promise<boolean> {
  const { process, state, judge } = command;
  if (process.isOver) return false;
  const handlers = process[declared.kind];
  const entry = state.entries.get(declared.logical);
  const args = resolve(declared.args, (logical) => state.entries.get(logical)?.id);
  const { inputs: news, failures } = await handlers.check(declared, isForced ? {} : (entry?.inputs ?? {}), args);
  if (failures.length > 0) {
    judge.failed("update", declared, { text: failures.join("\n"), code: "CHECK", isPartial: false });
    return false;
  }
  if (entry === undefined) return create(command, declared, news);
  // Pulumi: to a handler, a forced replacement looks like a first create.
  if (isForced) {
    judge.forcing(entry);
    return createBeside(command, declared, entry, news);
  }
  const difference = await attempt(declared, judge, () => handlers.diff(entry, news));
  if (difference === undefined) return false;
  const { hasChanges, replaces, deleteBeforeReplace } = difference;
  if (hasChanges && replaces.length > 0) return replace(command, declared, entry, news, deleteBeforeReplace);
  if (!hasChanges && !entry.isHalfMade) {
    entry.inputs = news;
    entry.needs = needsOf(declared.args);
    return true;
  }
  return update(command, declared, entry, news);
}

async function create(command: Command, declared: Declared, inputs: Values): Promise<boolean> {
  const { process, state, judge } = command;
  judge.creating(declared, inputs);
  const { logical, kind, args } = declared;
  const keep = (id: string, outputs: Values, isHalfMade: boolean): Entry => {
    const entry = { logical, kind, id, inputs, outputs, isHalfMade, isPending: false, needs: needsOf(args) };
    state.entries.set(logical, entry);
    judge.created(declared, id);
    judge.kept(entry);
    return entry;
  };
  const made = await outcome(
    command,
    "create",
    declared,
    () => process[kind].create(declared, inputs),
    (id, outputs) => void keep(id, outputs, true),
  );
  if (made === KILLED || made === undefined) return false;
  judge.converged(keep(made.id, made.outs, false));
  return true;
}

async function update(command: Command, declared: Declared, entry: Entry, news: Values): Promise<boolean> {
  const { process, judge } = command;
  const changed = await outcome(
    command,
    "update",
    declared,
    () => process[entry.kind].update(entry, news),
    (_id, outputs) => {
      // The engine keeps the old inputs of an update that ended early.
      Object.assign(entry, { outputs, isHalfMade: true });
      judge.kept(entry);
    },
  );
  if (changed === KILLED) judge.cutOff(entry);
  if (changed === KILLED || changed === undefined) return false;
  Object.assign(entry, { inputs: news, outputs: changed.outs, isHalfMade: false, needs: needsOf(declared.args) });
  judge.kept(entry);
  judge.converged(entry);
  judge.updated(entry);
  return true;
}

async function replace(
  command: Command,
  declared: Declared,
  entry: Entry,
  news: Values,
  isOldFirst: boolean,
): Promise<boolean> {
  const { process, judge } = command;
  judge.replacing(declared, entry);
  // Pulumi: the inputs of a replaced resource are checked once more, as for a new one.
  await process[declared.kind].check(declared, {}, news);
  if (isOldFirst) {
    if (!(await remove(command, entry))) return false;
    return create(command, declared, news);
  }
  return createBeside(command, declared, entry, news);
}

/** The new one first; the old one is deleted at the end of this run, or of a later one. */
async function createBeside(command: Command, declared: Declared, entry: Entry, news: Values): Promise<boolean> {
  const { state } = command;
  const isMade = await create(command, declared, news);
  if (state.entries.get(declared.logical) === entry) return isMade;
  entry.isPending = true;
  state.replaced.push(entry);
  return isMade;
}
