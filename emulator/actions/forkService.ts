// POST …/forkService: type and region come from the parent, sizes too unless sent; HA, pooler, VPC and environment do
// not. Needs a backup, a new snapshot or a time in the past of the parent, as the strategy says.

import { z } from "zod";
import type { Service } from "../world/entities";
import type { Answer, Context } from "./action";
import { conflict, invalid, wrongState } from "./failure";
import { environmentTag, name, sizeTextOrShared, timestamp } from "./request/fields";
import { findIdleService } from "./request/find";
import { provision } from "./provision";
import { isShared, sizeFrom } from "./request/sizes";

export const forkRequest = z.strictObject({
  fork_strategy: z.enum(["LAST_SNAPSHOT", "NOW", "PITR"]),
  target_time: timestamp.optional(),
  name: name.optional(),
  cpu_millis: sizeTextOrShared.optional(),
  memory_gbs: sizeTextOrShared.optional(),
  environment_tag: environmentTag.optional(),
});

type ForkRequest = z.infer<typeof forkRequest>;

export function forkService(context: Context, request: ForkRequest): Answer {
  const { entity: parent, body } = findIdleService(context);
  if (body.status !== "READY" && body.status !== "PAUSED") throw conflict("service is not ready");
  requireSource(parent, request, context.now);
  const { switches } = context.world.settings;
  const size = sizeFrom(request, body, switches);
  // API: a fork leads from shared to dedicated resources, never back.
  if (isShared(size) && !isShared(body)) throw wrongState("a fork of a dedicated service cannot be shared");
  const forkName = request.name ?? `${body.name}${switches.forkSuffix}`;
  if (forkName.length > 128) throw invalid("name: at most 128 characters");
  const { regionCode, serviceType } = body;
  const environment = request.environment_tag ?? "DEV";
  return provision(
    context,
    "fork",
    { name: forkName, regionCode, serviceType, ...size, replicaCount: 0, environment },
    parent,
  );
}

function requireSource(parent: Service, request: ForkRequest, now: number): void {
  switch (request.fork_strategy) {
    case "NOW":
      return;
    case "LAST_SNAPSHOT":
      if (now < parent.firstBackupAt) throw wrongState("service doesn't yet have any backups or snapshots available");
      return;
    case "PITR": {
      if (request.target_time === undefined) throw invalid("target_time: required with fork_strategy PITR");
      const time = Date.parse(request.target_time);
      if (time > now || time < parent.createdAt) {
        throw invalid("target_time: must lie between the creation of the service and now");
      }
    }
  }
}
