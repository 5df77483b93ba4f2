// What stacks hold already: imported once more, two entries would hold one object, and a destroy of either deletes it.

import { ProviderError } from "../provider/domain/errors";
import { CLASS_NAMES } from "../provider/pulumi/stateNames";
import { projectOf } from "../provider/lifecycle/state/state";
import { oneLine } from "../provider/domain/values/printable";
import type { Io } from "./command";
import { readStacks } from "./drift/stacks";
import type { StackState } from "./drift/state";
import type { Found, Inventory } from "./inventory";

/** The stacks that could be read, and what the reader must know of others. */
interface Stacks {
  stacks: StackState[];
  notes: string[];
}

/** All that the backend has, or the selected one; none, with a note, where none is selected or it cannot be read. */
export async function stacksOf(io: Pick<Io, "cwd" | "environment">, all: boolean): Promise<Stacks> {
  try {
    return { stacks: await readStacks({ stacks: [], all, files: [] }, io), notes: [] };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const why = oneLine(firstLine(error.message));
    if (!all) return { stacks: [], notes: [`nothing was left out: ${why}. What it holds must not be imported again`] };
    throw new ProviderError(
      error.code,
      error.message,
      "Without --all-stacks, what another stack holds is not left out.",
    );
  }
}

export function withoutHeld(inventory: Inventory, { stacks, notes }: Stacks): Inventory {
  const { found, projectId } = inventory;
  const holderOf = ({ kind, id }: Found): StackState | undefined =>
    stacks.find(({ entries }) =>
      entries.some(
        (entry) =>
          entry.kind === CLASS_NAMES[kind] && entry.id === id && (projectOf(entry.outputs) ?? projectId) === projectId,
      ),
    );
  const left = found.flatMap((one) => {
    const holder = holderOf(one);
    return holder === undefined ? [] : [`left out, because stack ${oneLine(holder.name)} holds it: ${one.title}`];
  });
  return {
    projectId,
    found: found.filter((one) => holderOf(one) === undefined),
    notes: [...inventory.notes, ...notes, ...left],
  };
}

/** The logical names of the resources of this kind. */
export function namesHeld({ stacks }: Stacks, kind: Found["kind"]): string[] {
  const entries = stacks.flatMap((stack) => stack.entries);
  return entries.filter((entry) => entry.kind === CLASS_NAMES[kind]).map(({ name }) => name);
}

function firstLine(text: string): string {
  return text.replace(/\.?\n.*$/s, "");
}
