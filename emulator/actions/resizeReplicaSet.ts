// POST …/replicaSets/{replica_set_id}/resize: `resizing`, then `active`. Text here, numbers in create.

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { msFor, startStep } from "../changes";
import { sizeText } from "../fields";
import { demandRunning, findIdleReplicaSet } from "../lookups";
import * as paths from "../paths";
import { showOnService } from "../replicaSetOnService";
import { demandOffered } from "../sizes";

export const resizeReplicaSet = actionWithBody({
  operation: "resizeReplicaSet",
  method: "POST",
  path: `${paths.replicaSet}/resize`,
  body: z.strictObject({ cpu_millis: sizeText, memory_gbs: sizeText }),
  run(context, request) {
    const found = findIdleReplicaSet(context);
    const { entity: set, body, parent } = found;
    demandRunning(parent);
    const size = { cpuMillis: Number(request.cpu_millis), memoryGbs: Number(request.memory_gbs) };
    demandOffered(size, context.world.settings.switches);
    const ms = msFor(context.world, "replicaResize", { id: set.id, name: body.name });
    showOnService(context, set.service, parent, ms, "resize");
    const after = { ...body, ...size };
    startStep(context, found, "replicaResize", { status: "resizing", after });
    return { status: 202, body: message("resizing read replica set") };
  },
});
