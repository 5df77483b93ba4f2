// DELETE …/peerings/{peering_id}: asynchronous behind its 204; the VPC stays busy until the peering has left.

import { action } from "../action";
import { msFor, start } from "../changes";
import { findIdleVpc, findPeering } from "../lookups";
import * as paths from "../paths";
import { goal } from "../timeline";

export const deletePeering = action({
  operation: "deletePeering",
  method: "DELETE",
  path: paths.peering,
  run(context) {
    if (goal(findPeering(context).entity.track) === undefined) return { status: 204 };
    findIdleVpc(context);
    const { entity: peering, body } = findPeering(context);
    const ms = msFor(context.world, "peeringDelete", { id: peering.id, name: body.peerVpcId });
    start(context, peering, "deleted", { phases: [{ body, ms, busy: true }], after: undefined });
    return { status: 204 };
  },
});
