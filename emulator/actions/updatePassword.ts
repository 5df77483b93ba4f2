// POST …/updatePassword: at once, repeatable with the same value, and never readable again.

import { z } from "zod";
import { actionWithBody } from "../action";
import { commit } from "../changes";
import { invalid } from "../failure";
import { password } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";

export const updatePassword = actionWithBody({
  operation: "updatePassword",
  method: "POST",
  path: `${paths.service}/updatePassword`,
  body: z.strictObject({ password: password }),
  run(context, request) {
    const least = context.world.settings.switches.minPasswordLength;
    if (request.password.length < least) throw invalid(`password: at least ${least} characters`);
    const { entity: service, body } = findIdleService(context);
    demandRunning(body);
    service.password = request.password;
    commit(context, service, "changed");
    return { status: 204 };
  },
});
