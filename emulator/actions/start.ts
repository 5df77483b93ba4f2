// POST …/start: RESUMING, then READY. A service that is not paused answers 400 and stays as it is.

import { action } from "../action";
import { startStep } from "../changes";
import { wrongState } from "../failure";
import { findIdleService } from "../lookups";
import * as paths from "../paths";
import { serviceAnswer } from "../serviceAnswer";

export const start = action({
  operation: "start",
  method: "POST",
  path: `${paths.service}/start`,
  run(context) {
    const found = findIdleService(context);
    if (found.body.status !== "PAUSED") throw wrongState("service is not paused");
    startStep(context, found, "start", { status: "RESUMING", after: { ...found.body, status: "READY" } });
    return serviceAnswer(context, found, 202);
  },
});
