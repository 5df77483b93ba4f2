// New services: POST …/services, and POST …/forkService, which takes type and region from its parent, and sizes unless
// the request gives them, but not HA, pooler, VPC and environment. Both give QUEUED, CONFIGURING, READY, and the only
// answer that contains the password.

import { bodyInAnswer, addService, newServiceBody } from "../world/world";
import { z } from "zod";
import type { ForkSource } from "../../databases/backend";
import { serviceWire } from "../wire/objects";
import { durationMs, hiddenAfterCreate, startChange } from "../world/changes";
import type { NewService, Service } from "../world/entities";
import { startupLogs } from "../world/logs";
import { defaultRegion, timeSeriesType } from "../settings/settings";
import type { Answer, Context } from "./action";
import { conflict, invalid } from "./failure";
import {
  environmentTag,
  name,
  someText,
  timestamp,
  isShared,
  sizeFrom,
  sizeOrShared,
  replicas,
} from "./request/fields";
import { findIdle, requireRegion, requireRoom } from "./request/find";

const addon = z.enum(["time-series", "ai"]);
const extensionOf = { "time-series": "timescaledb", ai: "vector" } as const;

const optional = { ...sizeOrShared, environment_tag: environmentTag.optional() };

export const newService = z.strictObject({
  name,
  addons: z.array(addon).max(addon.options.length).optional(),
  region_code: someText.optional(),
  replica_count: replicas.optional(),
  ...optional,
});

export const forkRequest = z.strictObject({
  fork_strategy: z.enum(["LAST_SNAPSHOT", "NOW", "PITR"]),
  target_time: timestamp.optional(),
  name: name.optional(),
  ...optional,
});

type ForkRequest = z.infer<typeof forkRequest>;

/** A repeated POST makes a second service: names are not unique and there is no idempotency key. */
export function createService(context: Context, request: z.infer<typeof newService>): Answer {
  const { replica_count: replicaCount = 0, region_code: regionCode = defaultRegion, addons = [] } = request;
  requireRegion(regionCode, context.world.settings.switches);
  requireRoom(context);
  const isSized = request.cpu_millis !== undefined || request.memory_gbs !== undefined;
  // API: `[]` asks for plain PostgreSQL; without `addons` the server chooses.
  const isPlain = request.addons?.includes("time-series") === false;
  const asked = {
    name: request.name,
    regionCode,
    serviceType: isPlain ? "POSTGRES" : timeSeriesType,
    ...sizeFrom(request, isSized ? {} : { cpuMillis: 500, memoryGbs: 2 }),
    replicaCount,
    environment: request.environment_tag ?? "DEV",
  };
  return provision(context, "create", asked, { extensions: addons.map((word) => extensionOf[word]) });
}

/** By strategy, it needs a backup of the parent, nothing, or a time in the past. */
export function forkService(context: Context, request: ForkRequest): Answer {
  const { entity: parent, body } = findIdle(context, "service");
  if (body.status !== "READY" && body.status !== "PAUSED") throw conflict("service is not ready");
  requireRoom(context);
  const at = sourceMoment(parent, request, context.now);
  const size = sizeFrom(request, body);
  // API: a fork of a shared service may be dedicated, but not the other way round.
  if (isShared(size) && !isShared(body)) throw invalid("a fork of a dedicated service cannot be shared");
  const forkName = request.name ?? `${body.name}-fork`;
  if (forkName.length > 128) throw invalid("name: at most 128 characters");
  const { regionCode, serviceType } = body;
  const environment = request.environment_tag ?? "DEV";
  const asked = { name: forkName, regionCode, serviceType, ...size, replicaCount: 0, environment };
  const source = { serviceId: parent.id, cluster: parent.cluster, at: realMoment(context, at) };
  return provision(context, "fork", asked, { extensions: parent.extensions, parent, source });
}

const hourMs = 60 * 60 * 1_000;

/** The moment whose data the fork gets; throws a Failure if the parent has no data for it. */
function sourceMoment(
  parent: Service,
  { fork_strategy: strategy, target_time: text }: ForkRequest,
  now: number,
): number {
  const { firstBackupAt, createdAt } = parent;
  if (strategy === "NOW") return now;
  if (strategy === "LAST_SNAPSHOT") {
    if (now < firstBackupAt) throw invalid("service doesn't yet have any backups or snapshots available");
    // The first backup is taken when the service is up, the others every hour after that.
    return now - ((now - firstBackupAt) % hourMs);
  }
  if (text === undefined) throw invalid("target_time: required with fork_strategy PITR");
  const time = Date.parse(text);
  if (time > now || time < createdAt)
    throw invalid("target_time: must lie between the creation of the service and now");
  return time;
}

/**
 * The servers know only the real time. What was committed within this millisecond counts as before the call. Throws a
 * Failure if they could not tell what they had then: a fork must be neither empty nor older.
 */
function realMoment({ world: { backend, clock } }: Context, at: number): number {
  if (backend.state.kind === "off") return at;
  const real = clock.realMoment(at);
  const moment = new Date(at).toISOString();
  if (real !== undefined) return real + 1;
  throw invalid(
    `nobody can tell what the databases had at ${moment}: since then a restore has set the clock of the emulator, or somebody that of the machine, or a test runs it`,
  );
}

interface Origin {
  readonly extensions: readonly string[];
  readonly parent?: Service;
  readonly source?: ForkSource;
}

function provision(
  context: Context,
  step: "create" | "fork",
  asked: NewService,
  { extensions, parent, source }: Origin,
): Answer {
  const { world, now, project } = context;
  const service = addService(world, project.id, {
    createdAt: now,
    firstBackupAt: now,
    extensions,
    source,
    forkedFrom: parent && { projectId: parent.projectId, serviceId: parent.id },
    hidden: hiddenAfterCreate(world, now, "service"),
  });
  const [queuedMs = 0, configuringMs = 0, backupMs = 0] = (["queued", step, "firstBackup"] as const).map((one) =>
    durationMs(world, one, service, asked.name),
  );
  service.firstBackupAt = now + queuedMs + configuringMs + backupMs;
  const after = newServiceBody(asked);
  startChange(context, service, "created", {
    phases: [
      { body: { ...after, status: "QUEUED" }, ms: queuedMs, busy: true },
      { body: { ...after, status: "CONFIGURING" }, ms: configuringMs, busy: true },
    ],
    after,
  });
  if (world.backend.state.kind === "off") service.logs.push(...startupLogs(service.id, now));
  const answered = bodyInAnswer(service, now) ?? after;
  const { initialPassword } = service;
  return {
    status: 202,
    bodyLater: () => serviceWire(world, service, answered, now, initialPassword),
    after: context.work?.addressed,
  };
}
