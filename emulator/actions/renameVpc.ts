// POST …/vpcs/{vpc_id}/rename: in place and at once.

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { start } from "../changes";
import { someText } from "../fields";
import { findIdleVpc } from "../lookups";
import * as paths from "../paths";
import { vpcWire } from "../wire";

export const renameVpc = actionWithBody({
  operation: "renameVpc",
  method: "POST",
  path: `${paths.vpc}/rename`,
  body: z.strictObject({ name: someText }),
  run(context, request) {
    const { entity: vpc, body } = findIdleVpc(context);
    const after = { ...body, name: request.name };
    start(context, vpc, "changed", { phases: [], after });
    const { world } = context;
    const isVpcSent = world.settings.switches.renameVpcAnswer === "vpc";
    return { status: 200, body: isVpcSent ? vpcWire(world, vpc, after) : message("VPC renamed") };
  },
});
