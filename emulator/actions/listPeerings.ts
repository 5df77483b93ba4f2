// GET …/vpcs/{vpc_id}/peerings

import { action } from "../action";
import { findVpc } from "../lookups";
import * as paths from "../paths";
import { seeListed } from "../views";
import { peeringWire } from "../wire";

export const listPeerings = action({
  operation: "listPeerings",
  method: "GET",
  path: paths.peerings,
  run(context) {
    const { entity: vpc } = findVpc(context);
    const listed = [];
    for (const peering of vpc.peerings.values()) {
      const body = seeListed(peering, context.now);
      if (body) listed.push(peeringWire(context.world, peering, body));
    }
    return { status: 200, body: listed };
  },
});
