// POST …/forkService: the fork takes type and region from its parent, and sizes unless the request gives them, but not
// HA, pooler, VPC and environment. By strategy, it needs a backup of the parent, a new snapshot, or a time in the past.

import { z } from "zod";
import type { Service } from "../world/entities";
import type { Answer, Context } from "./action";
import { conflict, invalid, wrongState } from "./failure";
import { environmentTag, name, sizeTextOrShared, timestamp } from "./request/fields";
import { findIdleService, requireRoom } from "./request/find";
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
  requireRoom(context, 1);
  const at = sourceMoment(parent, request, context.now);
  const { switches } = context.world.settings;
  const size = sizeFrom(request, body, switches);
  // API: a fork of a shared service may be dedicated, but not the other way round.
  if (isShared(size) && !isShared(body)) throw wrongState("a fork of a dedicated service cannot be shared");
  const forkName = request.name ?? `${body.name}${switches.forkSuffix}`;
  if (forkName.length > 128) throw invalid("name: at most 128 characters");
  const { regionCode, serviceType } = body;
  const environment = request.environment_tag ?? "DEV";
  return provision(
    context,
    "fork",
    { name: forkName, regionCode, serviceType, ...size, replicaCount: 0, environment },
    {
      extensions: parent.extensions,
      parent,
      source: { serviceId: parent.id, cluster: parent.cluster, at: realMoment(context, at) },
    },
  );
}

/** The moment whose data the fork gets; throws a Failure if the parent has no data for it. */
function sourceMoment(parent: Service, request: ForkRequest, now: number): number {
  if (request.fork_strategy === "NOW") return now;
  if (request.fork_strategy === "PITR") return requestedMoment(parent, request, now);
  if (now < parent.firstBackupAt) throw wrongState("service doesn't yet have any backups or snapshots available");
  return lastSnapshotAt(parent, now);
}

function requestedMoment(parent: Service, request: ForkRequest, now: number): number {
  if (request.target_time === undefined) throw invalid("target_time: required with fork_strategy PITR");
  const time = Date.parse(request.target_time);
  if (time > now || time < parent.createdAt)
    throw invalid("target_time: must lie between the creation of the service and now");
  return time;
}

/** The first backup is taken when the service is up, the others every hour after that. */
function lastSnapshotAt({ firstBackupAt }: Service, now: number): number {
  return now - ((now - firstBackupAt) % hourMs);
}

const hourMs = 60 * 60 * 1_000;

/** The servers know only the real clock. What was committed within this millisecond counts as before the call. */
const realMoment = ({ now }: Context, at: number): number => Date.now() + 1 - (now - at);
