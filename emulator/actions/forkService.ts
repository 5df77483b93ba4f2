// POST …/forkService: type and region come from the parent, sizes too unless sent; HA, pooler, VPC and environment do
// not. Needs a backup, a fresh snapshot or a moment in the parent's life, as the strategy says.

import { z } from "zod";
import { actionWithBody } from "../action";
import { bringUp } from "../bringUp";
import { conflict, invalid, wrongState } from "../failure";
import { environmentTag, name, sizeTextOrShared, timestamp } from "../fields";
import { findIdleService } from "../lookups";
import * as paths from "../paths";
import { demandOffered, isShared, sizeFrom } from "../sizes";
import type { Service } from "../entities";

const schema = z.strictObject({
  fork_strategy: z.enum(["LAST_SNAPSHOT", "NOW", "PITR"]),
  target_time: timestamp.optional(),
  name: name.optional(),
  cpu_millis: sizeTextOrShared.optional(),
  memory_gbs: sizeTextOrShared.optional(),
  environment_tag: environmentTag.optional(),
});

export const forkService = actionWithBody({
  operation: "forkService",
  method: "POST",
  path: `${paths.service}/forkService`,
  body: schema,
  run(context, request) {
    const { entity: parent, body } = findIdleService(context);
    if (body.status !== "READY" && body.status !== "PAUSED") throw conflict("service is not ready");
    demandSource(parent, request, context.now);
    const size = sizeFrom(request, body);
    demandOffered(size, context.world.settings.switches);
    // API: a fork leads from shared to dedicated resources, never back.
    if (isShared(size) && !isShared(body)) throw wrongState("a fork of a dedicated service cannot be shared");
    const forkName = request.name ?? `${body.name}${context.world.settings.switches.forkSuffix}`;
    if (forkName.length > 128) throw invalid("name: at most 128 characters");
    const { regionCode, serviceType } = body;
    const environment = request.environment_tag ?? "DEV";
    return bringUp(
      context,
      "fork",
      { name: forkName, regionCode, serviceType, ...size, replicaCount: 0, environment },
      parent,
    );
  },
});

function demandSource(parent: Service, request: z.infer<typeof schema>, now: number): void {
  switch (request.fork_strategy) {
    case "NOW":
      return;
    case "LAST_SNAPSHOT":
      if (now < parent.firstBackupAt) throw wrongState("service doesn't yet have any backups or snapshots available");
      return;
    case "PITR": {
      if (request.target_time === undefined) throw invalid("target_time: required with fork_strategy PITR");
      const target = Date.parse(request.target_time);
      if (target > now || target < parent.createdAt) {
        throw invalid("target_time: must lie between the creation of the service and now");
      }
    }
  }
}
