// The outcome of one handler call: a result, an error, a half-made object, or nothing because its process was killed.

import { toShown } from "../../../provider/host/shapes";
import type { Values } from "../../../provider/domain/values/value";
import type { Judge } from "../judge/judge";
import { LINE } from "./calls";
import type { Entry, Failure, Named, Operation, State } from "./state";
import { KILLED, type ProviderProcesses } from "./process";

export interface Command {
  processes: ProviderProcesses;
  state: State;
  judge: Judge;
  count: (what: string) => void;
}

export async function attempt<T>(declared: Named, judge: Judge, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    judge.failed("update", declared, failureOf(error));
    return undefined;
  }
}

export async function remove(command: Command, entry: Entry): Promise<boolean> {
  const { processes, state, judge } = command;
  if (processes.isOver) return false;
  judge.deleting(entry);
  const gone = await outcome(command, "delete", entry, async () => {
    await processes.of(entry.provider)[entry.kind].delete(entry);
    return true;
  });
  // A pending deletion updates its inputs first.
  if (gone === KILLED) judge.cutOff(entry);
  if (gone !== true) return false;
  forget(state, entry);
  judge.forgotten(entry, "delete");
  return true;
}

export function forget(state: State, entry: Entry): void {
  if (state.entries.get(entry.logical) === entry) state.entries.delete(entry.logical);
  state.replaced = state.replaced.filter((one) => one !== entry);
}

/** The result of a call; undefined if it failed, in which case the judge has been called already. */
export async function outcome<T>(
  { processes, judge }: Command,
  operation: Operation,
  declared: Named,
  call: () => Promise<T>,
  keepHalf?: (id: string, outputs: Values) => void,
): Promise<T | typeof KILLED | undefined> {
  judge.operating(operation, declared);
  try {
    return await processes.run(call());
  } catch (error) {
    if (processes.isKilled) return KILLED;
    const failure = failureOf(error);
    if (failure.isPartial) {
      const { id, outputs } = error as { id: string; outputs: Values };
      keepHalf?.(id, { ...outputs, __provider: LINE });
    }
    judge.failed(operation, declared, failure);
    return undefined;
  }
}

function failureOf(error: unknown): Failure {
  const shown = toShown(error, {});
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
  return { text: shown instanceof Error ? shown.message : String(shown), code, isPartial: code === "PARTIAL" };
}
