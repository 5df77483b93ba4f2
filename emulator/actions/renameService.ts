// POST …/services/{service_id}/rename: in place and at once.

import { z } from "zod";
import { actionWithBody } from "../action";
import { start } from "../changes";
import { name } from "../fields";
import { findIdleService } from "../lookups";
import * as paths from "../paths";
import { serviceAnswer } from "../serviceAnswer";

export const renameService = actionWithBody({
  operation: "renameService",
  method: "POST",
  path: `${paths.service}/rename`,
  body: z.strictObject({ name }),
  run(context, request) {
    const found = findIdleService(context);
    start(context, found.entity, "changed", { phases: [], after: { ...found.body, name: request.name } });
    return serviceAnswer(context, found, 200);
  },
});
