// Out-of-band changes of peerings.

import type { Peering } from "../../controlPlane/world/entities";
import { addPeering } from "../../controlPlane/world/newObjects";
import { stateOf } from "../../controlPlane/world/state";
import type { World } from "../../controlPlane/world/world";
import { edit, existing, record, remove, type AdvanceWorld } from "./edit";
import type { Mutate } from "./mutate";

export function peeringMutations(
  world: World,
  advance: AdvanceWorld,
): Pick<Mutate, "createPeering" | "peering" | "deletePeering"> {
  const find = (id: string, now: number): Peering => {
    const all = [...world.vpcs.values()].map((vpc) => vpc.peerings.get(id));
    return existing(
      all.find((peering) => peering !== undefined),
      now,
      "peering",
      id,
    );
  };
  return {
    createPeering(vpcId, { wire, ...fields } = {}) {
      const now = advance();
      const peering = addPeering(world, existing(world.vpcs.get(vpcId), now, "VPC", vpcId));
      peering.wire = wire;
      const { active: status } = world.settings.switches.peeringWords;
      const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" };
      peering.timeline.settled = { status, ...peer, provisionedId: `pcx-${peering.id}`, ...fields };
      record(world, peering, "created", now);
      return stateOf.peering(peering, now);
    },
    peering(id, fields) {
      const now = advance();
      const peering = find(id, now);
      edit(world, peering, fields, now);
      return stateOf.peering(peering, now);
    },
    deletePeering: (id) => remove(world, find(id, advance()), advance()),
  };
}
