// POST …/setHA: `replica_count` is the total, the synchronous ones included. A field left out keeps its value.

import { z } from "zod";
import { actionWithBody } from "../action";
import { startStep } from "../changes";
import { invalid } from "../failure";
import { count } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";
import { serviceAnswer } from "../serviceAnswer";

export const setHA = actionWithBody({
  operation: "setHA",
  method: "POST",
  path: `${paths.service}/setHA`,
  body: z
    .strictObject({ replica_count: count.optional(), sync_replica_count: count.optional() })
    .refine(
      (body) => body.replica_count !== undefined || body.sync_replica_count !== undefined,
      "at least one field is required",
    ),
  run(context, request) {
    const most = context.world.settings.switches.maxReplicaCount;
    if ((request.replica_count ?? 0) > most) throw invalid(`replica_count: at most ${most} on this plan`);
    const found = findIdleService(context);
    demandRunning(found.body);
    const replicaCount = request.replica_count ?? found.body.replicaCount;
    const syncReplicaCount = request.sync_replica_count ?? found.body.syncReplicaCount;
    if (syncReplicaCount > replicaCount) throw invalid("sync_replica_count: must not exceed replica_count");
    startStep(context, found, "ha", { status: "UPGRADING", after: { ...found.body, replicaCount, syncReplicaCount } });
    return serviceAnswer(context, found, 202);
  },
});
