// Brings one resource to what the program declares, as the engine does it: create, update or replace.

import type { Values } from "../../../provider/domain/values/value";
import type { Entry } from "./state";
import { type Declared, needsOf, resolve } from "../operator/declared";
import { attempt, type Command, outcome, remove } from "./outcome";
import { type Plan, planOf } from "./plan";
import { KILLED } from "./process";

/** An `up`: what it has replaced so far, and the last resource that was compared. */
export interface Run extends Command {
  replaced: Set<string>;
  last: Promise<unknown>;
}

/** True if the resource is as declared. */
export async function converge(command: Run, declared: Declared, isForced: boolean): Promise<boolean> {
  const { processes, state, judge, count, replaced } = command;
  if (processes.isOver) return false;
  const entry = state.entries.get(declared.logical);
  const args = resolve(declared.args, (logical) => state.entries.get(logical)?.id);
  const work = (): Promise<Plan> => planOf({ processes, state, declared, args, isForced, replaced, count });
  const plan = await attempt(declared, judge, () => oneByOne(command, work));
  if (plan === undefined) return false;
  const { does, news, failures, isOldFirst } = plan;
  if (failures.length > 0) {
    judge.failed("update", declared, { text: failures.join("\n"), code: "CHECK", isPartial: false });
    return false;
  }
  if (entry === undefined) return create(command, declared, news);
  if (does === "force") judge.forcing(entry);
  else if (does === "replace") judge.replacing(declared, entry, news);
  if (does === "force" || does === "replace") {
    replaced.add(declared.logical);
    if (!isOldFirst) return createBeside(command, declared, entry, news);
    return (await remove(command, entry)) && create(command, declared, news);
  }
  if (does === "update") return update(command, declared, entry, news);
  Object.assign(entry, { inputs: news, ...registered(declared) });
  return true;
}

/** Pulumi: the checks and the comparison of one resource follow each other. */
async function oneByOne<T>(command: Run, work: () => Promise<T>): Promise<T> {
  const before = command.last;
  const mine = before.then(work);
  command.last = mine.catch(() => undefined);
  return mine;
}

/** What the state has of the resource as it is registered. */
function registered({ args, options = {} }: Declared) {
  const { provider, replacementTrigger: trigger, deletedWith } = options;
  return { needs: needsOf(args), provider, trigger, deletedWith };
}

async function create(command: Run, declared: Declared, inputs: Values, isAgain = false): Promise<boolean> {
  const { processes, state, judge } = command;
  judge.creating(declared, inputs);
  const { logical, kind, options = {} } = declared;
  const keep = (id: string, outputs: Values, isHalfMade: boolean): Entry => {
    const entry = { logical, kind, id, inputs, outputs, isHalfMade, isPending: false, ...registered(declared) };
    state.entries.set(logical, entry);
    judge.created(entry);
    judge.kept(entry);
    return entry;
  };
  let half: (() => void) | undefined;
  const made = await outcome(
    command,
    "create",
    declared,
    () => processes.of(options.provider)[kind].create(declared, inputs),
    (id, outputs) => (half = () => void keep(id, outputs, true)),
  );
  if (made === undefined && isRepeated(command, declared, isAgain)) return create(command, declared, inputs, true);
  half?.();
  if (made === KILLED || made === undefined) return false;
  judge.converged(keep(made.id, made.outs, false));
  return true;
}

/** Pulumi: an error hook calls again, also after an answer with an id, and only the last answer counts. */
function isRepeated({ processes, count }: Run, { options = {} }: Declared, isAgain: boolean): boolean {
  const isSo = options.hooks === true && !isAgain && !processes.isOver;
  if (isSo) count("hooks");
  return isSo;
}

async function update(command: Run, declared: Declared, entry: Entry, news: Values, isAgain = false): Promise<boolean> {
  const { processes, judge } = command;
  let half: (() => void) | undefined;
  const changed = await outcome(
    command,
    "update",
    declared,
    () => processes.of(declared.options?.provider)[entry.kind].update(entry, news),
    (_id, outputs) => {
      // The engine keeps the old inputs of an update that ended early.
      half = () => {
        Object.assign(entry, { outputs, isHalfMade: true });
        judge.kept(entry);
      };
    },
  );
  if (changed === undefined && isRepeated(command, declared, isAgain))
    return update(command, declared, entry, news, true);
  half?.();
  if (changed === KILLED) judge.cutOff(entry);
  if (changed === KILLED || changed === undefined) return false;
  Object.assign(entry, { inputs: news, outputs: changed.outs, isHalfMade: false, ...registered(declared) });
  judge.kept(entry);
  judge.converged(entry);
  judge.updated(entry);
  return true;
}

/** The new one first; the old one is deleted at the end of this run, or of a later one. */
async function createBeside(command: Run, declared: Declared, entry: Entry, news: Values): Promise<boolean> {
  const { state } = command;
  const isMade = await create(command, declared, news);
  if (state.entries.get(declared.logical) === entry) return isMade;
  entry.isPending = true;
  state.replaced.push(entry);
  return isMade;
}
