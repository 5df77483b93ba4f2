// Peerings: pending, then with a provisioned id, then accepted by the peer's owner. The VPC is busy only until the id
// exists.

import { z } from "zod";
import { peeringWire } from "../wire/objects";
import { durationMs, hiddenAfterCreate, startChange, startDelete } from "../world/changes";
import type { PeeringBody, Peering } from "../world/entities";
import { addPeering, bodyInAnswer, listed, type World } from "../world/world";
import { hashOf } from "../world/random";
import { target, type Transition } from "../world/timeline";
import { get, paths, postJson, remove, type Answer, type Context } from "./action";
import { conflict, invalid } from "./failure";
import { someText } from "./request/fields";
import { find, findIdle, findShown } from "./request/find";

const peer = z.strictObject({ peer_account_id: someText, peer_region_code: someText, peer_vpc_id: someText });

export const peerings = {
  listPeerings: get(paths.peerings, (context) => {
    const { world, now } = context;
    const { peerings: all } = find(context, "vpc").entity;
    return { status: 200, body: listed(all.values(), now).map(({ entity, body }) => peeringWire(world, entity, body)) };
  }),

  createPeering: postJson(paths.peerings, peer, createPeering, {
    statuses: [201],
  }),

  getPeering: get(paths.peering, (context) => {
    const { entity, body } = findShown(context, "peering");
    return { status: 200, body: peeringWire(context.world, entity, body) };
  }),

  /** Asynchronous behind its 204; the VPC stays busy until the peering is gone. */
  deletePeering: remove(
    paths.peering,
    (context) => {
      if (target(find(context, "peering").entity.timeline) === undefined) return { status: 204 };
      const found = findIdle(context, "peering");
      startDelete(context, found, durationMs(context.world, "peeringDelete", found.entity), found.body);
      return { status: 204 };
    },
    { statuses: [204] },
  ),
};

const mostPeerings = 50;

function createPeering(context: Context, request: z.infer<typeof peer>): Answer {
  const { world, now } = context;
  const { entity: vpc, body: vpcBody } = findIdle(context, "vpc");
  if (vpcBody.status !== "CREATED") throw conflict("VPC is not ready");
  if (vpc.peerings.size >= mostPeerings) throw invalid("VPC has the maximum number of peerings");
  const peering = addPeering(world, vpc, hiddenAfterCreate(world, now, "peering"));
  const pending: PeeringBody = {
    status: "pending",
    peerAccountId: request.peer_account_id,
    peerRegionCode: request.peer_region_code,
    peerVpcId: request.peer_vpc_id,
  };
  startChange(context, peering, "created", provisioning(world, peering, pending));
  return { status: 201, body: peeringWire(world, peering, bodyInAnswer(peering, now) ?? pending) };
}

function provisioning(world: World, peering: Peering, pending: PeeringBody): Transition<PeeringBody> {
  const { peeringError } = world.settings.switches;
  const name = pending.peerVpcId;
  const first = { body: pending, ms: durationMs(world, "peeringProvision", peering, name), busy: true };
  if (peeringError !== "") {
    return { phases: [first], after: { ...pending, status: "failed", errorMessage: peeringError } };
  }
  const provisioned: PeeringBody = { ...pending, provisionedId: provisionedIdOf(peering.id) };
  const awaitingAcceptance = { body: provisioned, ms: durationMs(world, "peeringActive", peering, name), busy: false };
  return { phases: [first, awaitingAcceptance], after: { ...provisioned, status: "active" } };
}

const provisionedIdOf = (id: string): string => `pcx-0${hashOf(id, 0xffffffff).toString(16).padStart(8, "0")}`;
