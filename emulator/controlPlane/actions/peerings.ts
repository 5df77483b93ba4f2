// Peerings: pending, then with a provisioned id, then accepted by the peer's owner. The VPC is busy only until the id
// exists.

import { z } from "zod";
import { peeringWire } from "../wire/objects";
import { durationMs, hiddenAfterCreate, startChange, startDelete } from "../world/changes";
import type { PeeringBody } from "../world/entities";
import { addPeering } from "../world/newObjects";
import { hashOf } from "../world/random";
import { target, type Transition } from "../world/timeline";
import { inAnyOrder, bodyInAnswer, readById, readListed, type World } from "../world/world";
import { get, paths, postJson, remove, type Answer, type Context } from "./action";
import { conflict, notFound, wrongState } from "./failure";
import { someText } from "./request/fields";
import { findIdleVpc, findPeering, findVpc, peeringOfPath } from "./request/find";

const peer = z.strictObject({ peer_account_id: someText, peer_region_code: someText, peer_vpc_id: someText });

export const peerings = {
  listPeerings: get(paths.peerings, (context) => {
    const { entity: vpc } = findVpc(context);
    const listed = [];
    for (const peering of inAnyOrder(vpc.peerings)) {
      const body = readListed(peering, context.now);
      if (body) listed.push(peeringWire(context.world, peering, body));
    }
    return { status: 200, body: listed };
  }),

  createPeering: postJson(paths.peerings, peer, createPeering, {
    statuses: [201],
    refuses: "a VPC with the maximum of peerings",
  }),

  getPeering: get(paths.peering, (context) => {
    const peering = peeringOfPath(context);
    const body = readById(peering, context.now);
    if (!body) throw notFound("peering");
    return { status: 200, body: peeringWire(context.world, peering, body) };
  }),

  /** Asynchronous behind its 204; the VPC stays busy until the peering is gone. */
  deletePeering: remove(
    paths.peering,
    (context) => {
      if (target(findPeering(context).entity.timeline) === undefined) return { status: 204 };
      findIdleVpc(context);
      const found = findPeering(context);
      const ms = durationMs(context.world, "peeringDelete", { id: found.entity.id, name: found.body.peerVpcId });
      startDelete(context, found, ms, found.body);
      return { status: 204 };
    },
    { statuses: [204] },
  ),
};

function createPeering(context: Context, request: z.infer<typeof peer>): Answer {
  const { world, now } = context;
  const { switches } = world.settings;
  const { entity: vpc, body: vpcBody } = findIdleVpc(context);
  if (vpcBody.status !== "CREATED") throw conflict("VPC is not ready");
  if (vpc.peerings.size >= switches.maxPeerings) throw wrongState("VPC has the maximum number of peerings");
  const peering = addPeering(world, vpc, hiddenAfterCreate(world, now, "peering"));
  const pending: PeeringBody = {
    status: "pending",
    peerAccountId: request.peer_account_id,
    peerRegionCode: request.peer_region_code,
    peerVpcId: request.peer_vpc_id,
  };
  startChange(context, peering, "created", provisioning(world, peering.id, pending));
  return { status: 201, body: peeringWire(world, peering, bodyInAnswer(peering, now) ?? pending) };
}

function provisioning(world: World, id: string, pending: PeeringBody): Transition<PeeringBody> {
  const { peeringError } = world.settings.switches;
  const object = { id, name: pending.peerVpcId };
  const first = { body: pending, ms: durationMs(world, "peeringProvision", object), busy: true };
  if (peeringError !== "") {
    return { phases: [first], after: { ...pending, status: "failed", errorMessage: peeringError } };
  }
  const provisioned: PeeringBody = { ...pending, provisionedId: provisionedIdOf(id) };
  const awaitingAcceptance = { body: provisioned, ms: durationMs(world, "peeringActive", object), busy: false };
  return { phases: [first, awaitingAcceptance], after: { ...provisioned, status: "active" } };
}

const provisionedIdOf = (id: string): string => `pcx-0${hashOf(id, 0xffffffff).toString(16).padStart(8, "0")}`;
