// A service with a replica set that somebody tagged PROD in the console, which no run has seen.

import type { Kept, World } from "../../support/world";

export const SET = { name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
export const TAGGED = "has the environment tag PROD";

export async function tagged(world: World): Promise<{ service: Kept; set: Kept }> {
  const service = await world.service.create({ name: "orders" });
  const set = await world.readReplicaSet.create({ ...SET, serviceId: service.id });
  world.emulator.mutate.service(service.id, { environment: "PROD" });
  world.restart();
  world.calls();
  return { service, set };
}
