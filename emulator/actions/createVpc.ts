// POST …/vpcs: there at once, or CREATING for a while where the deployment sends a status. Names are not unique.

import { z } from "zod";
import { actionWithBody } from "../action";
import { bearVpc } from "../births";
import { msFor, start, unseenFrom } from "../changes";
import { invalid } from "../failure";
import { cidr, someText } from "../fields";
import * as paths from "../paths";
import { seeAnswered } from "../views";
import { vpcWire } from "../wire";

export const createVpc = actionWithBody({
  operation: "createVpc",
  method: "POST",
  path: paths.vpcs,
  body: z.strictObject({ cidr, name: someText, region_code: someText }),
  run(context, request) {
    const { world, project, now } = context;
    // API: there are no VPCs in the regions of the other cloud.
    if (request.region_code.startsWith("az-")) throw invalid("VPCs are not available in this region");
    const isAsynchronous = world.settings.switches.vpcStatus;
    const vpc = bearVpc(world, project.id, unseenFrom(world, now, "vpc"));
    const after = { status: "CREATED", name: request.name, cidr: request.cidr, regionCode: request.region_code };
    const ms = isAsynchronous ? msFor(world, "vpcCreate", { id: vpc.id, name: after.name }) : 0;
    start(context, vpc, "created", { phases: [{ body: { ...after, status: "CREATING" }, ms, busy: true }], after });
    return { status: isAsynchronous ? 202 : 201, body: vpcWire(world, vpc, seeAnswered(vpc, now) ?? after) };
  },
});
