// Out-of-band changes of services and their logs.

import type { Service, ServiceBody } from "../../controlPlane/world/entities";
import { partsOf } from "../../controlPlane/world/kinds";
import { appendLogs, startupLogs } from "../../controlPlane/world/logs";
import { addService, newServiceBody } from "../../controlPlane/world/newObjects";
import { stateOf } from "../../controlPlane/world/state";
import type { Work } from "../../databases/backend";
import { markActive } from "../../controlPlane/world/changes";
import { beginChange, notStale, patch, settle } from "../../controlPlane/world/timeline";
import { invalidate, type World } from "../../controlPlane/world/world";
import { existing, record, remove, type AdvanceWorld } from "./edit";
import type { Mutate, ServiceMutation } from "./mutate";

type ServiceMutations = Pick<Mutate, "createService" | "service" | "deleteService" | "logs">;

export function serviceMutations(world: World, advance: AdvanceWorld, defaultProjectId: string): ServiceMutations {
  const find = (id: string, now: number): Service => existing(world.services.get(id), now, "service", id);
  return {
    createService({ projectId = defaultProjectId, forkedFrom, ...fields } = {}) {
      const now = advance();
      const service = addService(world, projectId, { createdAt: now, firstBackupAt: now, forkedFrom });
      const size = { cpuMillis: 500, memoryGbs: 2 };
      const { defaultRegion: regionCode, defaultServiceType: serviceType } = world.settings.switches;
      service.timeline.settled = newServiceBody({
        name: "made-by-hand",
        regionCode,
        serviceType,
        ...size,
        replicaCount: 0,
        environment: "DEV",
      });
      if (world.backend.state.kind === "off") service.logs.push(...startupLogs(service.id, now));
      editService(service, fields);
      const work = record(world, service, "created", now);
      if (work) beginWork(world, service, work, now);
      return stateOf.service(service, now);
    },
    service(id, fields) {
      const now = advance();
      const service = find(id, now);
      editService(service, fields);
      record(world, service, "changed", now);
      return stateOf.service(service, now);
    },
    deleteService(id) {
      const now = advance();
      const service = find(id, now);
      for (const part of partsOf(service)) remove(world, part, now);
      remove(world, service, now);
    },
    logs(id, lines) {
      const now = advance();
      const service = find(id, now);
      appendLogs(service.logs, lines, now);
      invalidate(world, service);
    },
  };
}

/** Not at once if a server has to start first. */
function beginWork(world: World, service: Service, work: Work, now: number): void {
  const after = service.timeline.settled;
  if (!after) return;
  const phases = [{ body: { ...after, status: "CONFIGURING" }, ms: 0, busy: true }];
  service.timeline.settled = undefined;
  beginChange(service.timeline, now, { phases, after }, notStale).work = work;
  markActive(world, service);
}

function editService(
  service: Service,
  { wire, paused, password, createdAt, firstBackupAt, ...given }: ServiceMutation,
): void {
  const fields: Partial<ServiceBody> = { ...given };
  const status = fields.status ?? (paused === undefined ? undefined : paused ? "PAUSED" : "READY");
  if (status !== undefined) settle(service.timeline);
  patch(service.timeline, (body) => {
    const isMoved = "vpcId" in fields && fields.vpcId !== body.vpcId;
    return { ...body, ...fields, status: status ?? body.status, moves: body.moves + (isMoved ? 1 : 0) };
  });
  if (wire !== undefined) service.wire = { ...service.wire, ...wire };
  service.password = password ?? service.password;
  service.createdAt = createdAt ?? service.createdAt;
  service.firstBackupAt = firstBackupAt ?? service.firstBackupAt;
}
