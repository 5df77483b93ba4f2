// The world of most tests in this folder: opened once for all tests of a file, and closed after them.

import { beforeAll } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
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
