// DELETE …/replicaSets/{replica_set_id}: `deleting`, then gone. Asking again while it leaves is fine.

import { action } from "../action";
import { msFor, start } from "../changes";
import { findIdleReplicaSet, findReplicaSet } from "../lookups";
import * as paths from "../paths";
import { showOnService } from "../replicaSetOnService";

export const deleteReplicaSet = action({
  operation: "deleteReplicaSet",
  method: "DELETE",
  path: paths.replicaSet,
  run(context) {
    if (findReplicaSet(context).body.status === "deleting") return { status: 202 };
    const { entity: set, body, parent } = findIdleReplicaSet(context);
    const ms = msFor(context.world, "replicaDelete", { id: set.id, name: body.name });
    showOnService(context, set.service, parent, ms, "delete");
    start(context, set, "deleted", {
      phases: [{ body: { ...body, status: "deleting" }, ms, busy: true }],
      after: undefined,
    });
    return { status: 202 };
  },
});
