// Out-of-band changes of read replica sets.

import type { ReplicaSet } from "../../controlPlane/world/entities";
import { addReplicaSet } from "../../controlPlane/world/newObjects";
import { stateOf } from "../../controlPlane/world/state";
import type { World } from "../../controlPlane/world/world";
import { edit, existing, record, remove, type AdvanceWorld } from "./edit";
import type { Mutate } from "./mutate";

export function replicaSetMutations(
  world: World,
  advance: AdvanceWorld,
): Pick<Mutate, "createReplicaSet" | "replicaSet" | "deleteReplicaSet"> {
  const find = (id: string, now: number): ReplicaSet => {
    const all = [...world.services.values()].map((service) => service.replicaSets.get(id));
    return existing(
      all.find((set) => set !== undefined),
      now,
      "replica set",
      id,
    );
  };
  return {
    createReplicaSet(serviceId, { wire, ...fields } = {}) {
      const now = advance();
      const set = addReplicaSet(world, existing(world.services.get(serviceId), now, "service", serviceId));
      set.wire = wire;
      const body = {
        status: "active",
        name: "made-by-hand",
        cpuMillis: 500,
        memoryGbs: 2,
        nodes: 1,
        poolerEnabled: false,
      };
      set.timeline.settled = { ...body, ...fields };
      record(world, set, "created", now);
      return stateOf.replicaSet(set, now);
    },
    replicaSet(id, fields) {
      const now = advance();
      const set = find(id, now);
      edit(world, set, fields, now);
      return stateOf.replicaSet(set, now);
    },
    deleteReplicaSet: (id) => remove(world, find(id, advance()), advance()),
  };
}
