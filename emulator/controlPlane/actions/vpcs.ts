// VPCs: created at once, or CREATING for a while if the deployment sends a status. Names are not unique.

import { z } from "zod";
import { vpcWire } from "../wire/objects";
import { durationMs, hiddenAfterCreate, startChange, startDelete, startUpdate } from "../world/changes";
import type { Vpc } from "../world/entities";
import { addVpc, bodyInAnswer, currentBody, listed, servicesInVpc } from "../world/world";
import { accepted, get, paths, postJson, remove, type Answer, type Context } from "./action";
import { conflict, invalid } from "./failure";
import { cidr, someText } from "./request/fields";
import { find, findIdle, findShown, requireRegion } from "./request/find";

export const vpcs = {
  listVpcs: get(paths.vpcs, ({ world, project, now }) => {
    const own = [...world.vpcs.values()].filter(({ projectId }) => projectId === project.id);
    return { status: 200, body: listed(own, now).map(({ entity, body }) => vpcWire(world, entity, body)) };
  }),

  createVpc: postJson(paths.vpcs, z.strictObject({ cidr, name: someText, region_code: someText }), createVpc, {
    statuses: [201, 202],
  }),

  getVpc: get(paths.vpc, (context) => {
    const { entity, body } = findShown(context, "vpc");
    return { status: 200, body: vpcWire(context.world, entity, body) };
  }),

  deleteVpc: remove(paths.vpc, deleteVpc, { statuses: [204, 202] }),

  renameVpc: postJson(
    `${paths.vpc}/rename`,
    z.strictObject({ name: someText }),
    (context, { name }) => {
      const { entity: vpc, body } = findIdle(context, "vpc");
      startChange(context, vpc, "changed", { phases: [], after: { ...body, name } });
      return accepted(200, "VPC renamed");
    },
    { statuses: [200] },
  ),
};

function createVpc(context: Context, request: { cidr: string; name: string; region_code: string }): Answer {
  const { world, project, now } = context;
  requireRegion(request.region_code, world.settings.switches);
  // API: regions of the other cloud have no VPCs.
  if (request.region_code.startsWith("az-")) throw invalid("VPCs are not available in this region");
  const isAsynchronous = world.settings.switches.vpcStatus;
  const vpc = addVpc(world, project.id, hiddenAfterCreate(world, now, "vpc"));
  const after = { status: "CREATED", name: request.name, cidr: request.cidr, regionCode: request.region_code };
  const ms = isAsynchronous ? durationMs(world, "vpcCreate", vpc, after.name) : 0;
  startChange(context, vpc, "created", { phases: [{ body: { ...after, status: "CREATING" }, ms, busy: true }], after });
  return { status: isAsynchronous ? 202 : 201, body: vpcWire(world, vpc, bodyInAnswer(vpc, now) ?? after) };
}

/** Refused while services or peerings belong to the VPC, also those that are still leaving it. */
function deleteVpc(context: Context): Answer {
  const { switches } = context.world.settings;
  const status = switches.vpcStatus ? 202 : 204;
  if (find(context, "vpc").body.status === "DELETING") return { status };
  const found = findIdle(context, "vpc");
  if (switches.deleteVpcInUse === "refuse") requireUnused(context, found.entity);
  else removeMembers(context, found.entity);
  startDelete(context, found, durationMs(context.world, "vpcDelete", found.entity), { status: "DELETING" });
  return { status };
}

function requireUnused(context: Context, vpc: Vpc): void {
  if (vpc.peerings.size > 0) throw conflict("VPC is in use: it has peerings");
  if (servicesInVpc(context.world, vpc.id, context.now).length > 0)
    throw conflict("VPC is in use: services are attached to it");
}

function removeMembers(context: Context, vpc: Vpc): void {
  for (const peering of vpc.peerings.values())
    startChange(context, peering, "deleted", { phases: [], after: undefined });
  for (const entity of servicesInVpc(context.world, vpc.id, context.now)) {
    const body = currentBody(entity, context.now);
    if (!body) continue;
    startUpdate(context, { entity, body }, "detach", {
      status: "UPGRADING",
      after: { ...body, vpcId: undefined, moves: body.moves + 1 },
    });
  }
}
