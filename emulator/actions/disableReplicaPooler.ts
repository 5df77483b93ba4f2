// POST …/replicaSets/{replica_set_id}/disablePooler

import { action, message } from "../action";
import { startStep } from "../changes";
import { demandRunning, findIdleReplicaSet } from "../lookups";
import * as paths from "../paths";

export const disableReplicaPooler = action({
  operation: "disableReplicaPooler",
  method: "POST",
  path: `${paths.replicaSet}/disablePooler`,
  run(context) {
    const found = findIdleReplicaSet(context);
    demandRunning(found.parent);
    startStep(context, found, "pooler", { status: found.body.status, after: { ...found.body, poolerEnabled: false } });
    return { status: 200, body: message("connection pooler disabled") };
  },
});
