// All out-of-band changes together.

import { advanceWorld, type World } from "../../controlPlane/world/world";
import type { Mutate } from "./mutate";
import { withKnownNames } from "./names";
import { peeringMutations } from "./peerings";
import { replicaSetMutations } from "./replicaSets";
import { serviceMutations } from "./services";
import { vpcMutations } from "./vpcs";

export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./mutate";

export function createMutate(world: World, clock: () => number, defaultProjectId: string): Mutate {
  const current = (): number => {
    const now = clock();
    advanceWorld(world, now);
    return now;
  };
  return withKnownNames({
    ...vpcMutations(world, current, defaultProjectId),
    ...peeringMutations(world, current),
    ...serviceMutations(world, current, defaultProjectId),
    ...replicaSetMutations(world, current),
  });
}
