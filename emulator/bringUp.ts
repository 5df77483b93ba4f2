// How a new service comes up, created or forked: QUEUED, CONFIGURING, READY, and the one answer with its password.

import type { Answer, Context } from "./action";
import { bearService } from "./births";
import { msFor, start, unseenFrom } from "./changes";
import { startUpLogs } from "./logs";
import { seeAnswered } from "./views";
import { serviceWire } from "./wire";
import type { Service, ServiceBody } from "./entities";

export type Asked = Pick<
  ServiceBody,
  "name" | "regionCode" | "serviceType" | "cpuMillis" | "memoryGbs" | "replicaCount" | "environment"
>;

export function bringUp(context: Context, step: "create" | "fork", asked: Asked, parent?: Service): Answer {
  const { world, now, project } = context;
  const service = bearService(world, project.id, {
    createdAt: now,
    firstBackupAt: now,
    forkedFrom: parent && { projectId: parent.projectId, serviceId: parent.id },
    unseen: unseenFrom(world, now, "service"),
  });
  const object = { id: service.id, name: asked.name };
  const queuedMs = msFor(world, "queued", object);
  const configuringMs = msFor(world, step, object);
  service.firstBackupAt = now + queuedMs + configuringMs + msFor(world, "firstBackup", object);
  const after = freshBody(asked);
  start(context, service, "created", {
    phases: [
      { body: { ...after, status: "QUEUED" }, ms: queuedMs, busy: true },
      { body: { ...after, status: "CONFIGURING" }, ms: configuringMs, busy: true },
    ],
    after,
  });
  service.logs.push(...startUpLogs(service.id, now));
  const answered = seeAnswered(service, now) ?? after;
  const { initialPassword } = service;
  // API: the published example of a create carries the address, that of a fork does not.
  const hasEndpoint = step === "create" && world.settings.switches.createEndpoint === "whole";
  return {
    status: 202,
    body: serviceWire(world, service, answered, now, { precision: "nanoseconds", initialPassword, hasEndpoint }),
  };
}

export function freshBody(asked: Asked): ServiceBody {
  return { ...asked, status: "READY", syncReplicaCount: 0, poolerEnabled: false, moves: 0, dataTieringEnabled: false };
}
