// The wire form of projects, VPCs and peerings.

import type { Peering, PeeringBody, Project, Vpc, VpcBody } from "../world/entities";
import type { World } from "../world/world";
import { finish, statusWord, writeRows, type Rows, type Wire } from "./fields";

interface View<Body> {
  readonly world: World;
  readonly body: Body;
}

const vpcRows = {
  cidr: ({ body }) => ({ cidr: body.cidr }),
  name: ({ body }) => ({ name: body.name }),
  regionCode: ({ body }) => ({ region_code: body.regionCode }),
  status: ({ world, body }) =>
    world.settings.switches.vpcStatus ? { status: statusWord(world.settings.switches, body.status) } : {},
} satisfies Rows<VpcBody, View<VpcBody>>;

const peeringRows = {
  peerAccountId: ({ body }) => ({ peer_account_id: body.peerAccountId }),
  peerRegionCode: ({ body }) => ({ peer_region_code: body.peerRegionCode }),
  peerVpcId: ({ body }) => ({ peer_vpc_id: body.peerVpcId }),
  errorMessage: ({ body }) => ({ error_message: body.errorMessage }),
  provisionedId: ({ body }) => ({ provisioned_id: body.provisionedId }),
  status: ({ world, body }) => ({ status: statusWord(world.settings.switches, body.status) }),
} satisfies Rows<PeeringBody, View<PeeringBody>>;

const vpcFields = (world: World, vpc: Vpc, body: VpcBody) => ({ id: vpc.id, ...writeRows(vpcRows, { world, body }) });

const peeringFields = (world: World, peering: Peering, body: PeeringBody) => ({
  id: peering.id,
  ...writeRows(peeringRows, { world, body }),
});

export type VpcFields = ReturnType<typeof vpcFields>;
export type PeeringFields = ReturnType<typeof peeringFields>;

export function projectWire(world: World, project: Project): Wire {
  return finish(world.settings.switches, { id: project.id, name: project.name }, undefined);
}

export function vpcWire(world: World, vpc: Vpc, body: VpcBody): Wire {
  return finish(world.settings.switches, vpcFields(world, vpc, body), vpc.wire);
}

export function peeringWire(world: World, peering: Peering, body: PeeringBody): Wire {
  return finish(world.settings.switches, peeringFields(world, peering, body), peering.wire);
}
