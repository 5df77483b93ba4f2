// Provisioning of a new service or fork: QUEUED, CONFIGURING, READY, and the only answer that contains the password.

import { serviceWire } from "../wire/objects";
import type { ForkSource } from "../../databases/backend";
import { durationMs, hiddenAfterCreate, startChange } from "../world/changes";
import type { NewService, Service } from "../world/entities";
import { startupLogs } from "../world/logs";
import { addService, newServiceBody } from "../world/newObjects";
import { bodyInAnswer } from "../world/visibility";
import type { Answer, Context } from "./action";

/** What a new service takes from its addons, or a fork from its source. */
export interface Origin {
  readonly extensions: readonly string[];
  readonly parent?: Service;
  readonly source?: ForkSource;
}

export function provision(
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
  const object = { id: service.id, name: asked.name };
  const queuedMs = durationMs(world, "queued", object);
  const configuringMs = durationMs(world, step, object);
  service.firstBackupAt = now + queuedMs + configuringMs + durationMs(world, "firstBackup", object);
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
  // API: in the published examples the answer of a create has the address, that of a fork does not.
  const hasEndpoint = step === "create" && world.settings.switches.createEndpoint === "whole";
  return {
    status: 202,
    bodyLater: () => serviceWire(world, service, answered, now, { initialPassword, hasEndpoint }),
    after: context.work?.addressed,
  };
}
