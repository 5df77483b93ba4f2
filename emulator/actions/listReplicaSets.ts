// GET …/replicaSets: the same sets as in the service's `read_replica_sets`.

import { action } from "../action";
import { findService } from "../lookups";
import * as paths from "../paths";
import { shownReplicaSets } from "../wire";

export const listReplicaSets = action({
  operation: "listReplicaSets",
  method: "GET",
  path: paths.replicaSets,
  run(context) {
    const { entity: service, body } = findService(context);
    return { status: 200, body: [...shownReplicaSets(context.world, service, body, context.now)] };
  },
});
