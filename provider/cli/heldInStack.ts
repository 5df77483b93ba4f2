// What the stack that is selected in this folder holds already: imported once more, two entries would hold one object.

import { ProviderError } from "../domain/errors";
import { CLASS_NAMES } from "../pulumi/registration";
import { projectOf } from "../lifecycle/state/state";
import { oneLine } from "../domain/values/printable";
import type { Io } from "./command";
import { readStacks } from "./drift/stacks";
import type { StackState } from "./drift/state";
import type { Found, Inventory } from "./inventory";

/** Undefined where no stack is selected, or none can be read. */
export async function selectedStack(io: Pick<Io, "cwd" | "environment">): Promise<StackState | undefined> {
  try {
    const [stack] = await readStacks({ stacks: [], all: false, files: [] }, io);
    return stack;
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

export function withoutHeld(inventory: Inventory, stack: StackState | undefined): Inventory {
  if (stack === undefined) return inventory;
  const { found, projectId, notes } = inventory;
  const isHeld = ({ kind, id }: Found): boolean =>
    stack.entries.some(
      (entry) =>
        entry.kind === CLASS_NAMES[kind] && entry.id === id && (projectOf(entry.outputs) ?? projectId) === projectId,
    );
  const held = found.filter(isHeld);
  return {
    projectId,
    found: found.filter((one) => !held.includes(one)),
    notes: [...notes, ...held.map(({ title }) => `left out, because stack ${oneLine(stack.name)} holds it: ${title}`)],
  };
}
