// A tiny model of the Pulumi engine: its state, the order of its calls, and how it handles a result, an error, a
// half-made object and a killed provider. Everything that a run shows to a user passes through here.

import { type Declared, needsOf } from "../operator/declared";
import type { Entry } from "./state";
import { converge } from "./converge";
import { attempt, type Command, forget, outcome, remove } from "./outcome";
import { KILLED } from "./process";

/** Options of an `up` besides its program. */
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
  const names = new Set(program.map(({ logical }) => logical));
  const dropped = (): Entry[] => [...command.state.entries.values()].filter(({ logical }) => !names.has(logical));
  for (const entry of dropped()) command.judge.dropping(entry);
  const done = new Map<string, Promise<boolean>>();
  const run = { ...command, replaced: new Set<string>(), last: Promise.resolve() };
  for (const declared of program) {
    const needs = needsOf(declared.args).map((logical) => done.get(logical) ?? Promise.resolve(false));
    done.set(
      declared.logical,
      Promise.all(needs).then((ready) => ready.every(Boolean) && converge(run, declared, declared.logical === forced)),
    );
  }
  const results = await Promise.all(done.values());
  if (!results.every(Boolean) || command.processes.isOver || isBroken) return;
  await removeAll(command, [...command.state.replaced, ...dropped()]);
}

export async function destroy(command: Command): Promise<void> {
  await removeAll(command, [...command.state.replaced, ...command.state.entries.values()]);
}

export async function refresh(command: Command): Promise<void> {
  const { processes, state, judge } = command;
  // Pulumi: entries pending deletion are read as well.
  const reading = [...state.entries.values(), ...state.replaced].map(async (entry) => {
    const handlers = processes.of(entry.provider)[entry.kind];
    const seen = await outcome(command, "read", entry, () => handlers.read(entry));
    if (seen === KILLED || seen === undefined) return;
    if (seen.id === undefined) {
      forget(state, entry);
      judge.forgotten(entry, "read");
      return;
    }
    Object.assign(entry, { outputs: seen.props, inputs: seen.inputs ?? entry.inputs, isHalfMade: false });
    judge.kept(entry);
    judge.seen(entry);
    await attempt(entry, judge, () => handlers.diff(entry, entry.inputs));
  });
  await Promise.all(reading);
}

/**
 * `pulumi import` of each object, as if no state had it: a program that says what the import declares has nothing to change.
 * The state stays as it is.
 */
export async function imports(command: Command): Promise<void> {
  const { processes, state, judge } = command;
  for (const entry of state.entries.values()) {
    const handlers = processes.of(entry.provider)[entry.kind];
    const { only } = handlers;
    if (only === undefined) return;
    const seen = await outcome(command, "read", entry, () => only.import(entry));
    if (seen === KILLED || seen?.inputs === undefined || seen.props === undefined) continue;
    const { inputs: declared, props: outputs } = seen;
    const { inputs, failures } = await handlers.check(entry, declared, declared);
    const difference = await handlers.diff({ ...entry, inputs: declared, outputs }, inputs);
    if (failures.length === 0 && !difference.hasChanges) continue;
    const why = [...failures, JSON.stringify(difference)].join("; ");
    judge.blame("untrue", `${entry.logical} (${entry.id}): its import differs from what it declares: ${why}`);
  }
}

/** Dependents first; an object that a remaining one needs stays. */
async function removeAll(command: Command, entries: readonly Entry[]): Promise<void> {
  const going = new Set(entries.map(({ logical }) => logical));
  const isWith = ({ deletedWith, isPending }: Entry): boolean => !isPending && going.has(deletedWith ?? "");
  // Pulumi: no handler is called for what goes with another resource.
  for (const entry of entries.filter(isWith)) {
    command.count("deletedWith");
    forget(command.state, entry);
    command.judge.left.add(entry.id);
  }
  let left = entries.filter((entry) => !isWith(entry));
  while (left.length > 0) {
    const needed = new Set(left.flatMap(({ needs }) => needs));
    const free = left.filter(({ logical, needs }) => !needed.has(logical) || needs.includes(logical));
    const batch = free.length > 0 ? free : left;
    const results = await Promise.all(batch.map((entry) => remove(command, entry)));
    if (!results.every(Boolean)) return;
    left = left.filter((entry) => !batch.includes(entry));
  }
}
