// POST …/stop: PAUSING, then PAUSED. A service that is not running answers 400 and stays as it is.

import { action } from "../action";
import { startStep } from "../changes";
import { wrongState } from "../failure";
import { findIdleService } from "../lookups";
import * as paths from "../paths";
import { serviceAnswer } from "../serviceAnswer";

export const stop = action({
  operation: "stop",
  method: "POST",
  path: `${paths.service}/stop`,
  run(context) {
    const found = findIdleService(context);
    if (found.body.status === "PAUSED") throw wrongState("service is not running");
    startStep(context, found, "stop", { status: "PAUSING", after: { ...found.body, status: "PAUSED" } });
    return serviceAnswer(context, found, 202);
  },
});
