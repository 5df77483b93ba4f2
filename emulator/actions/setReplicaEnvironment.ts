// POST …/replicaSets/{replica_set_id}/setEnvironment

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { startStep } from "../changes";
import { environmentTag } from "../fields";
import { findIdleReplicaSet } from "../lookups";
import * as paths from "../paths";

export const setReplicaEnvironment = actionWithBody({
  operation: "setReplicaEnvironment",
  method: "POST",
  path: `${paths.replicaSet}/setEnvironment`,
  body: z.strictObject({ environment: environmentTag }),
  run(context, request) {
    const found = findIdleReplicaSet(context);
    startStep(context, found, "environment", {
      status: found.body.status,
      after: { ...found.body, environment: request.environment },
    });
    return { status: 200, body: message("environment set") };
  },
});
