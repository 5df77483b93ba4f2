// DELETE …/vpcs/{vpc_id}: refused while services or peerings belong to it, those still leaving included.

import { action, type Context } from "../action";
import { msFor, start, startStep } from "../changes";
import { conflict } from "../failure";
import { findIdleVpc, findVpc } from "../lookups";
import * as paths from "../paths";
import { servicesInVpc } from "../attachments";
import type { Vpc, VpcBody } from "../entities";
import { living } from "../world";

export const deleteVpc = action({
  operation: "deleteVpc",
  method: "DELETE",
  path: paths.vpc,
  run(context) {
    const { switches } = context.world.settings;
    const status = switches.vpcStatus ? 202 : 204;
    if (findVpc(context).body.status === "DELETING") return { status };
    const { entity: vpc, body } = findIdleVpc(context);
    if (switches.deleteVpcInUse === "refuse") demandUnused(context, vpc);
    else releaseMembers(context, vpc);
    leave(context, vpc, body);
    return { status };
  },
});

function demandUnused(context: Context, vpc: Vpc): void {
  if (vpc.peerings.size > 0) throw conflict("VPC is in use: it has peerings");
  if (servicesInVpc(context.world, vpc.id, context.now).length > 0)
    throw conflict("VPC is in use: services are attached to it");
}

function releaseMembers(context: Context, vpc: Vpc): void {
  for (const peering of vpc.peerings.values()) start(context, peering, "deleted", { phases: [], after: undefined });
  for (const entity of servicesInVpc(context.world, vpc.id, context.now)) {
    const body = living(entity, context.now);
    if (!body) continue;
    startStep(context, { entity, body }, "detach", {
      status: "UPGRADING",
      after: { ...body, vpcId: undefined, moves: body.moves + 1 },
    });
  }
}

function leave(context: Context, vpc: Vpc, body: VpcBody): void {
  const ms = msFor(context.world, "vpcDelete", { id: vpc.id, name: body.name });
  start(context, vpc, "deleted", {
    phases: [{ body: { ...body, status: "DELETING" }, ms, busy: true }],
    after: undefined,
  });
}
