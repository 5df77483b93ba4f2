// POST …/services: the request, completed with the deployment's defaults.

import { z } from "zod";
import type { Answer, Context } from "./action";
import { invalid } from "./failure";
import { provision } from "./provision";
import { count, environmentTag, name, sizeTextOrShared, someText } from "./request/fields";
import { requireRegion, requireRoom } from "./request/find";
import { sizeFrom, smallestSize } from "./request/sizes";

const addon = z.enum(["time-series", "ai"]);
const extensionOf = { "time-series": "timescaledb", ai: "vector" } as const;

export const newService = z.strictObject({
  name,
  addons: z.array(addon).max(addon.options.length).optional(),
  cpu_millis: sizeTextOrShared.optional(),
  memory_gbs: sizeTextOrShared.optional(),
  environment_tag: environmentTag.optional(),
  region_code: someText.optional(),
  replica_count: count.optional(),
});

/** A repeated POST makes a second service: names are not unique and there is no idempotency key. */
export function createService(context: Context, request: z.infer<typeof newService>): Answer {
  const { switches } = context.world.settings;
  const { replica_count: replicaCount = 0, region_code: regionCode = switches.defaultRegion } = request;
  requireRegion(regionCode, switches);
  if (replicaCount > switches.maxReplicaCount)
    throw invalid(`replica_count: at most ${switches.maxReplicaCount} on this plan`);
  requireRoom(context, 1 + replicaCount);
  const isSized = request.cpu_millis !== undefined || request.memory_gbs !== undefined;
  // API: `[]` asks for plain PostgreSQL; without `addons` the server chooses.
  const askedType = request.addons?.includes("time-series") ? switches.timeSeriesType : "POSTGRES";
  const asked = {
    name: request.name,
    regionCode,
    serviceType: request.addons ? askedType : switches.defaultServiceType,
    ...sizeFrom(request, isSized ? {} : smallestSize, switches),
    replicaCount,
    environment: request.environment_tag ?? "DEV",
  };
  return provision(context, "create", asked, { extensions: (request.addons ?? []).map((word) => extensionOf[word]) });
}
