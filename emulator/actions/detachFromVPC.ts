// POST …/detachFromVPC: from the VPC it is in, and no other. All addresses move again.

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { startStep } from "../changes";
import { wrongState } from "../failure";
import { someText } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";

export const detachFromVPC = actionWithBody({
  operation: "detachFromVPC",
  method: "POST",
  path: `${paths.service}/detachFromVPC`,
  body: z.strictObject({ vpc_id: someText }),
  run(context, request) {
    const { switches } = context.world.settings;
    const found = findIdleService(context);
    const { entity: service, body } = found;
    if (body.vpcId !== request.vpc_id) throw wrongState("service is not attached to that VPC");
    if (switches.attachPaused === "refuse") demandRunning(body);
    service.endpointGapReads = switches.endpointGapReads;
    startStep(context, found, "detach", {
      status: "UPGRADING",
      after: { ...body, vpcId: undefined, moves: body.moves + 1 },
    });
    return { status: 202, body: message("detaching service from VPC") };
  },
});
