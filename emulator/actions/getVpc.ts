// GET …/vpcs/{vpc_id}

import { action } from "../action";
import { notFound } from "../failure";
import { vpcOfPath } from "../lookups";
import * as paths from "../paths";
import { seeById } from "../views";
import { vpcWire } from "../wire";

export const getVpc = action({
  operation: "getVpc",
  method: "GET",
  path: paths.vpc,
  run(context) {
    const vpc = vpcOfPath(context);
    const body = seeById(vpc, context.now);
    if (!body) throw notFound("vpc");
    return { status: 200, body: vpcWire(context.world, vpc, body) };
  },
});
