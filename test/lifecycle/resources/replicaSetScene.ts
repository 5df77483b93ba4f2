// A world with a service, for tests of its read replica sets.

import type { EmulatorOptions, RequestRecord } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { type Kept, openWorld, type World } from "../../support/world";

export const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:ReadReplicaSet::readers";

export interface ReplicaSetScene {
  world: World;
  parent: Kept;
  /** Called with every request to the emulator from now on. */
  onRequest(listener: (request: RequestRecord) => void): void;
  /** The arguments of a set of the parent. */
  readers(more?: Values): Values;
  /** The sets as the parent shows them. */
  shownSets(): object[];
}

export async function openReplicaSetScene(options: EmulatorOptions = {}): Promise<ReplicaSetScene> {
  let listener: (request: RequestRecord) => void = () => undefined;
  const world = await openWorld({ ...options, onRequest: (request) => listener(request) });
  const parent = await world.service.create({ name: "orders" });
  world.calls();
  return {
    world,
    parent,
    onRequest(next) {
      listener = next;
    },
    readers: (more = {}) => ({
      serviceId: parent.id,
      name: "readers",
      nodes: 2,
      cpuMillis: 500,
      memoryGbs: 2,
      ...more,
    }),
    shownSets: () =>
      world.emulator.state().replicaSets.map(({ id, name, nodes, status, cpuMillis, memoryGbs }) => {
        return { id, name, nodes, status, cpu_millis: cpuMillis, memory_gbs: memoryGbs };
      }),
  };
}
