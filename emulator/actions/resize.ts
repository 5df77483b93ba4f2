// POST …/resize: digits as text, both of them. The same size again is accepted and takes its time too.

import { z } from "zod";
import { actionWithBody } from "../action";
import { startStep } from "../changes";
import { wrongState } from "../failure";
import { sizeText } from "../fields";
import { demandRunning, findIdleService } from "../lookups";
import * as paths from "../paths";
import { serviceAnswer } from "../serviceAnswer";
import { demandOffered, isShared } from "../sizes";

export const resize = actionWithBody({
  operation: "resize",
  method: "POST",
  path: `${paths.service}/resize`,
  body: z.strictObject({ cpu_millis: sizeText, memory_gbs: sizeText }),
  run(context, request) {
    const found = findIdleService(context);
    demandRunning(found.body);
    if (isShared(found.body)) throw wrongState("a shared service cannot be resized");
    const size = { cpuMillis: Number(request.cpu_millis), memoryGbs: Number(request.memory_gbs) };
    demandOffered(size, context.world.settings.switches);
    const after = { ...found.body, ...size };
    startStep(context, found, "resize", { status: "UPGRADING", after });
    return serviceAnswer(context, found, 202);
  },
});
