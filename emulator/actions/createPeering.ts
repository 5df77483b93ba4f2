// POST …/peerings: pending, then it has its provisioned id, then its peer's owner accepts it. The VPC is busy only until
// the id is there.

import { z } from "zod";
import { actionWithBody } from "../action";
import { bearPeering } from "../births";
import { msFor, start, unseenFrom, type Course } from "../changes";
import { conflict, wrongState } from "../failure";
import { someText } from "../fields";
import { findIdleVpc } from "../lookups";
import * as paths from "../paths";
import { hashOf } from "../random";
import { seeAnswered } from "../views";
import { peeringWire } from "../wire";
import type { PeeringBody } from "../entities";
import type { World } from "../world";

export const createPeering = actionWithBody({
  operation: "createPeering",
  method: "POST",
  path: paths.peerings,
  body: z.strictObject({ peer_account_id: someText, peer_region_code: someText, peer_vpc_id: someText }),
  run(context, request) {
    const { world, now } = context;
    const { entity: vpc, body: vpcBody } = findIdleVpc(context);
    if (vpcBody.status !== "CREATED") throw conflict("VPC is not ready");
    if (vpc.peerings.size >= world.settings.switches.maxPeerings)
      throw wrongState("VPC has the maximum number of peerings");
    const peering = bearPeering(world, vpc, unseenFrom(world, now, "peering"));
    const pending: PeeringBody = {
      status: world.settings.switches.peeringWords.pending,
      peerAccountId: request.peer_account_id,
      peerRegionCode: request.peer_region_code,
      peerVpcId: request.peer_vpc_id,
    };
    start(context, peering, "created", courseOf(world, peering.id, pending));
    return { status: 201, body: peeringWire(world, peering, seeAnswered(peering, now) ?? pending) };
  },
});

function courseOf(world: World, id: string, pending: PeeringBody): Course<PeeringBody> {
  const { peeringWords, peeringError } = world.settings.switches;
  const object = { id, name: pending.peerVpcId };
  const provisioning = { body: pending, ms: msFor(world, "peeringProvision", object), busy: true };
  if (peeringError !== undefined) {
    return { phases: [provisioning], after: { ...pending, status: peeringWords.failed, errorMessage: peeringError } };
  }
  const provisioned: PeeringBody = { ...pending, provisionedId: provisionedIdOf(id) };
  const awaitingAcceptance = { body: provisioned, ms: msFor(world, "peeringActive", object), busy: false };
  return { phases: [provisioning, awaitingAcceptance], after: { ...provisioned, status: peeringWords.active } };
}

const provisionedIdOf = (id: string): string => `pcx-0${hashOf(id, 0xffffffff).toString(16).padStart(8, "0")}`;
