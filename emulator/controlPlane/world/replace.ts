// Replaces one world by another in place: every holder of the world sees the new one.

import { createRandom } from "./random";
import type { World } from "./world";

/** Removes all objects. New ids are generated from this seed. */
export function emptyWorld(world: World, seed: number): void {
  world.vpcs.clear();
  world.services.clear();
  world.active.clear();
  world.writtenLists.clear();
  world.ids.clear();
  world.ledger = [];
  world.random = createRandom(seed);
  world.revision += 1;
}
