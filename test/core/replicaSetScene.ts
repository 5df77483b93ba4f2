// A service, for tests of its read replica sets.

import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { setOf, useWorld, world } from "./scene";

export let parent: Kept;

export function useParent(prepare: () => Promise<unknown> = () => Promise.resolve()): void {
  useWorld({}, async () => {
    parent = await world.service.create({ name: "orders" });
    world.calls();
    await prepare();
  });
}

/** The arguments of a set of the service. */
export const readers = (more: Values = {}): Values => setOf(parent, { nodes: 2, ...more });

/** The sets as the service shows them. */
export const shownSets = (): object[] =>
  world.emulator.state().replicaSets.map(({ id, name, nodes, status, cpuMillis, memoryGbs }) => {
    return { id, name, nodes, status, cpu_millis: cpuMillis, memory_gbs: memoryGbs };
  });
