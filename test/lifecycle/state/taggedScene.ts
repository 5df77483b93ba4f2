// A service with a replica set that somebody tagged PROD in the console, which no run has seen.

import type { Kept } from "../../support/world";
import { nextRun, setOf, world } from "../scene";

export const TAGGED = "has the environment tag PROD";

export let service: Kept;
export let set: Kept;

export async function makeTagged(environment = "PROD"): Promise<void> {
  service = await world.service.create({ name: "orders" });
  set = await world.readReplicaSet.create(setOf(service));
  world.emulator.mutate.service(service.id, { environment });
  nextRun();
}
