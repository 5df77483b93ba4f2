// The world of most tests in this folder: opened once for all tests of a file, and closed after them; and what several of
// them do with a stack.

import { beforeAll } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import type { InlineStack, Program } from "../support/cli/inlineStack";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";

export let world: EngineWorld;

/** Opens a world before the tests of a file, with what `prepare` makes in it, and closes it after them. */
export function useEngineWorld(
  options: EmulatorOptions = {},
  prepare: () => Promise<unknown> = () => Promise.resolve(),
): void {
  beforeAll(async () => {
    world = await openEngineWorld(options);
    await prepare();
    return () => world.close();
  });
}

/** A stack of the program, after its first `up`. */
export async function opened(project: string, program: Program): Promise<InlineStack> {
  const stack = await world.open(program, { project });
  await stack.up();
  world.calls();
  return stack;
}

/** Logical names in the state. */
export const held = async (stack: InlineStack): Promise<string[]> => Object.keys(await stack.resources()).toSorted();

/** What a run says, whether it goes well or fails. */
export const textOf = (run: Promise<{ text: string }>): Promise<string> => run.then(({ text }) => text, String);

/** Services and VPCs go, with what is in them. */
export function removeAll(): void {
  world.emulator.faults.clear();
  const { vpcs, services } = world.emulator.state();
  for (const { id } of services) world.emulator.mutate.deleteService(id);
  for (const { id } of vpcs) world.emulator.mutate.deleteVpc(id);
}
