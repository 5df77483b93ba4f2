// Out-of-band changes of VPCs.

import type { Vpc } from "../../controlPlane/world/entities";
import { addVpc } from "../../controlPlane/world/newObjects";
import { stateOf } from "../../controlPlane/world/state";
import type { World } from "../../controlPlane/world/world";
import { edit, existing, record, remove, type AdvanceWorld } from "./edit";
import type { Mutate } from "./mutate";

export function vpcMutations(
  world: World,
  advance: AdvanceWorld,
  defaultProjectId: string,
): Pick<Mutate, "createVpc" | "vpc" | "deleteVpc"> {
  const find = (id: string, now: number): Vpc => existing(world.vpcs.get(id), now, "VPC", id);
  return {
    createVpc({ projectId = defaultProjectId, wire, ...fields } = {}) {
      const now = advance();
      const vpc = addVpc(world, projectId);
      vpc.wire = wire;
      vpc.timeline.settled = {
        status: "CREATED",
        name: "made-by-hand",
        cidr: "10.0.0.0/16",
        regionCode: "us-east-1",
        ...fields,
      };
      record(world, vpc, "created", now);
      return stateOf.vpc(vpc, now);
    },
    vpc(id, fields) {
      const now = advance();
      const vpc = find(id, now);
      edit(world, vpc, fields, now);
      return stateOf.vpc(vpc, now);
    },
    deleteVpc: (id) => remove(world, find(id, advance()), advance()),
  };
}
