// POST …/replicaSets/{replica_set_id}/enablePooler

import { action, message } from "../action";
import { startStep } from "../changes";
import { demandRunning, findIdleReplicaSet } from "../lookups";
import * as paths from "../paths";

export const enableReplicaPooler = action({
  operation: "enableReplicaPooler",
  method: "POST",
  path: `${paths.replicaSet}/enablePooler`,
  run(context) {
    const found = findIdleReplicaSet(context);
    demandRunning(found.parent);
    startStep(context, found, "pooler", { status: found.body.status, after: { ...found.body, poolerEnabled: true } });
    return { status: 200, body: message("connection pooler enabled") };
  },
});
