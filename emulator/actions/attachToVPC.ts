// POST …/attachToVPC: one VPC at a time, of the same region. At its end all addresses of the service have moved.

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { servicesInVpc } from "../attachments";
import { startStep } from "../changes";
import { conflict, notFound, wrongState } from "../failure";
import { someText } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";
import { living } from "../world";

export const attachToVPC = actionWithBody({
  operation: "attachToVPC",
  method: "POST",
  path: `${paths.service}/attachToVPC`,
  body: z.strictObject({ vpc_id: someText }),
  run(context, request) {
    const { world, now, project } = context;
    const { switches } = world.settings;
    const found = findIdleService(context);
    const { entity: service, body } = found;
    const vpc = world.vpcs.get(request.vpc_id);
    const target = vpc?.projectId === project.id ? living(vpc, now) : undefined;
    if (!target) throw notFound("targetVpc");
    if (body.vpcId !== undefined) throw wrongState("service is already attached to a VPC");
    if (switches.attachPaused === "refuse") demandRunning(body);
    if (target.regionCode !== body.regionCode) throw wrongState("service and VPC are in different regions");
    if (target.status !== "CREATED") throw conflict("VPC is not ready");
    if (servicesInVpc(world, request.vpc_id, now).length >= switches.maxAttached)
      throw wrongState("VPC has the maximum number of services");
    service.endpointGapReads = switches.endpointGapReads;
    startStep(context, found, "attach", {
      status: "UPGRADING",
      after: { ...body, vpcId: request.vpc_id, moves: body.moves + 1 },
    });
    return { status: 202, body: message("attaching service to VPC") };
  },
});
