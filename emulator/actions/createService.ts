// POST …/services: QUEUED, CONFIGURING, READY. A repeated POST makes a second service: names are not unique and there is
// no idempotency key. The initial password is in this answer and nowhere else.

import { z } from "zod";
import { actionWithBody } from "../action";
import { invalid } from "../failure";
import { count, environmentTag, name, sizeTextOrShared, someText } from "../fields";
import * as paths from "../paths";
import { bringUp } from "../bringUp";
import { demandOffered, sizeFrom, smallestSize } from "../sizes";

const addon = z.enum(["time-series", "ai"]);

export const createService = actionWithBody({
  operation: "createService",
  method: "POST",
  path: paths.services,
  body: z.strictObject({
    name,
    addons: z.array(addon).max(addon.options.length).optional(),
    cpu_millis: sizeTextOrShared.optional(),
    memory_gbs: sizeTextOrShared.optional(),
    environment_tag: environmentTag.optional(),
    region_code: someText.optional(),
    replica_count: count.optional(),
  }),
  run(context, request) {
    const { switches } = context.world.settings;
    const replicaCount = request.replica_count ?? 0;
    if (replicaCount > switches.maxReplicaCount)
      throw invalid(`replica_count: at most ${switches.maxReplicaCount} on this plan`);
    const isSized = request.cpu_millis !== undefined || request.memory_gbs !== undefined;
    const size = sizeFrom(request, isSized ? {} : smallestSize);
    demandOffered(size, switches);
    return bringUp(context, "create", {
      name: request.name,
      regionCode: request.region_code ?? switches.defaultRegion,
      serviceType: serviceTypeOf(request.addons, switches.defaultServiceType),
      ...size,
      replicaCount,
      environment: request.environment_tag ?? "DEV",
    });
  },
});

/** API: `[]` asks for plain PostgreSQL, absence leaves the choice to the server. */
function serviceTypeOf(addons: readonly string[] | undefined, otherwise: string): string {
  if (addons === undefined) return otherwise;
  return addons.includes("time-series") ? "SERIESDB" : "POSTGRES";
}
