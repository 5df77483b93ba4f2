// GET …/peerings/{peering_id}

import { action } from "../action";
import { notFound } from "../failure";
import { peeringOfPath } from "../lookups";
import * as paths from "../paths";
import { seeById } from "../views";
import { peeringWire } from "../wire";

export const getPeering = action({
  operation: "getPeering",
  method: "GET",
  path: paths.peering,
  run(context) {
    const peering = peeringOfPath(context);
    const body = seeById(peering, context.now);
    if (!body) throw notFound("peering");
    return { status: 200, body: peeringWire(context.world, peering, body) };
  },
});
