// POST …/enablePooler: on the host of the service, at a port that stays the same after off and on.

import { action, message } from "../action";
import { startStep } from "../changes";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";

export const enablePooler = action({
  operation: "enablePooler",
  method: "POST",
  path: `${paths.service}/enablePooler`,
  run(context) {
    const found = findIdleService(context);
    demandRunning(found.body);
    startStep(context, found, "pooler", { status: "UPGRADING", after: { ...found.body, poolerEnabled: true } });
    return { status: 200, body: message("connection pooler enabled") };
  },
});
