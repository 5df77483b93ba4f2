// POST …/setEnvironment: there is no way to unset it. Works on a paused service: it is a label.

import { z } from "zod";
import { actionWithBody, message } from "../action";
import { startStep } from "../changes";
import { environmentTag } from "../fields";
import { findIdleService } from "../lookups";
import * as paths from "../paths";

export const setEnvironment = actionWithBody({
  operation: "setEnvironment",
  method: "POST",
  path: `${paths.service}/setEnvironment`,
  body: z.strictObject({ environment: environmentTag }),
  run(context, request) {
    const found = findIdleService(context);
    startStep(context, found, "environment", {
      status: found.body.status,
      after: { ...found.body, environment: request.environment },
    });
    return { status: 200, body: message("environment set") };
  },
});
