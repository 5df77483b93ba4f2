// Services. A change shows its own status while it runs, and the new values at its end.

import { z } from "zod";
import type { Timings } from "../settings/settings";
import { serviceWire } from "../wire/objects";
import { commit, durationMs, startChange, startDelete, startUpdate } from "../world/changes";
import type { Service, ServiceBody } from "../world/entities";
import { reconcileBackend } from "../world/reconcile";
import { bodyInAnswer, currentBody, listed, servicesInVpc, touch } from "../world/world";
import { accepted, get, post, paths, postJson, remove, type Answer, type Context } from "./action";
import { conflict, invalid, notCarriedOut, notFound } from "./failure";
import { count, environmentTag, name, password, someText, exactSize, isShared, replicas } from "./request/fields";
import { find, findIdle, findShown, requireRunning, type FoundObject } from "./request/find";
import { createService, forkRequest, forkService, newService } from "./provision";

type FoundService = FoundObject<"service">;

const path = paths.service;
const vpcOnly = z.strictObject({ vpc_id: someText });
const highAvailability = z
  .strictObject({ replica_count: replicas.optional(), sync_replica_count: count.optional() })
  .refine(
    (body) => body.replica_count !== undefined || body.sync_replica_count !== undefined,
    "at least one field is required",
  );

const pooler = { statuses: [200] };

export const services = {
  listServices: get(paths.services, ({ world, project, now }) => {
    const isListed = world.settings.switches.deletedServices === "listed";
    const own = [...world.services.values()].filter(({ projectId }) => projectId === project.id);
    const shown = listed(own, now).filter(({ body }) => isListed || body.status !== "DELETED");
    return { status: 200, body: shown.map(({ entity, body }) => serviceWire(world, entity, body, now)) };
  }),

  createService: postJson(paths.services, newService, createService),

  getService: get(path, (context) => {
    const { world, now } = context;
    const { entity: service, body } = findShown(context, "service");
    if (service.endpointGapReads > 0) {
      // API: for a moment after a VPC change the control plane cannot find the endpoint; the service is fine.
      service.endpointGapReads -= 1;
      throw notFound("endpoint");
    }
    return { status: 200, body: serviceWire(world, service, body, now) };
  }),

  attachToVPC: postJson(`${path}/attachToVPC`, vpcOnly, attachToVPC),

  detachFromVPC: postJson(`${path}/detachFromVPC`, vpcOnly, (context, { vpc_id: vpcId }) => {
    const found = findIdle(context, "service");
    if (found.body.vpcId !== vpcId) throw invalid("service is not attached to that VPC");
    move(context, found, "detach", undefined);
    return accepted(202, "detaching service from VPC");
  }),

  /** A resize to the present size is accepted and takes its time too. */
  resize: postJson(`${path}/resize`, exactSize, (context, size) => {
    const found = findIdle(context, "service");
    requireRunning(found.body);
    if (isShared(found.body)) throw invalid("a shared service cannot be resized");
    update(context, found, "resize", size);
    return serviceAnswer(context, found, 202);
  }),

  enablePooler: post(`${path}/enablePooler`, (context) => setPooler(context, true), pooler),

  disablePooler: post(`${path}/disablePooler`, (context) => setPooler(context, false), pooler),

  forkService: postJson(`${path}/forkService`, forkRequest, forkService),

  /** Takes effect at once, may be repeated with the same value; no answer shows the password afterwards. */
  updatePassword: postJson(
    `${path}/updatePassword`,
    z.strictObject({ password }),
    (context, request) => {
      const least = context.world.settings.switches.minPasswordLength;
      if (request.password.length < least) throw invalid(`password: at least ${least} characters`);
      const { entity: service, body } = findIdle(context, "service");
      requireRunning(body);
      const before = service.password;
      service.password = request.password;
      commit(context, service, "changed");
      return { status: 204, after: context.work && passwordSet(context, service, before) };
    },
    { statuses: [204] },
  ),

  /** At once. The tag cannot be unset. Works on a paused service, because it is only a label. */
  setEnvironment: postJson(
    `${path}/setEnvironment`,
    z.strictObject({ environment: environmentTag }),
    (context, { environment }) => {
      const { entity, body } = findIdle(context, "service");
      startChange(context, entity, "changed", { phases: [], after: { ...body, environment } });
      return accepted(200, "environment set");
    },
    { statuses: [200] },
  ),

  setHA: postJson(`${path}/setHA`, highAvailability, setHA),

  stop: post(`${path}/stop`, (context) => {
    const found = findIdle(context, "service");
    if (found.body.status === "PAUSED") throw invalid("service is not running");
    update(context, found, "stop", { status: "PAUSED" }, "PAUSING");
    return serviceAnswer(context, found, 202);
  }),

  deleteService: remove(path, deleteService, { offer: "extension" }),

  start: post(
    `${path}/start`,
    (context) => {
      const found = findIdle(context, "service");
      if (found.body.status !== "PAUSED") throw invalid("service is not paused");
      update(context, found, "start", { status: "READY" }, "RESUMING");
      return serviceAnswer(context, found, 202);
    },
    { offer: "extension" },
  ),

  renameService: postJson(
    `${path}/rename`,
    z.strictObject({ name }),
    (context, request) => {
      const found = findIdle(context, "service");
      startChange(context, found.entity, "changed", { phases: [], after: { ...found.body, name: request.name } });
      return serviceAnswer(context, found, 200);
    },
    { offer: "extension", statuses: [200] },
  ),
};

/** If the servers could not take it, the old password holds, unless another one was set meanwhile. */
async function passwordSet({ world, work }: Context, { id, password: asked }: Service, before: string): Promise<void> {
  await work?.done;
  if (work?.failure === undefined) return;
  const service = world.services.get(id);
  if (service?.password === asked) {
    service.password = before;
    reconcileBackend(world, service, "changed");
    touch(world, service);
  }
  throw notCarriedOut(work.failure);
}

function attachToVPC(context: Context, { vpc_id: vpcId }: z.infer<typeof vpcOnly>): Answer {
  const { world, now, project } = context;
  const { switches } = world.settings;
  const found = findIdle(context, "service");
  const vpc = world.vpcs.get(vpcId);
  const vpcBody = vpc?.projectId === project.id ? currentBody(vpc, now) : undefined;
  if (!vpcBody) throw notFound("targetVpc");
  if (found.body.vpcId !== undefined) throw invalid("service is already attached to a VPC");
  if (vpcBody.regionCode !== found.body.regionCode) throw invalid("service and VPC are in different regions");
  if (vpcBody.status !== "CREATED") throw conflict("VPC is not ready");
  if (servicesInVpc(world, vpcId, now).length >= switches.maxAttached)
    throw invalid("VPC has the maximum number of services");
  move(context, found, "attach", vpcId);
  return accepted(202, "attaching service to VPC");
}

/** Attaches or detaches. At the end all addresses of the service have changed. */
function move(context: Context, found: FoundService, step: "attach" | "detach", vpcId: string | undefined): void {
  requireRunning(found.body);
  found.entity.endpointGapReads = context.world.settings.switches.endpointGapReads;
  update(context, found, step, { vpcId, moves: found.body.moves + 1 });
}

/** The pooler has the host of the service, and keeps its port when it is disabled and enabled again. */
function setPooler(context: Context, poolerEnabled: boolean): Answer {
  const found = findIdle(context, "service");
  requireRunning(found.body);
  update(context, found, "pooler", { poolerEnabled });
  return accepted(200, `connection pooler ${poolerEnabled ? "enabled" : "disabled"}`);
}

/** `replica_count` is the total, the synchronous ones included. A field left out keeps its value. */
function setHA(context: Context, request: z.infer<typeof highAvailability>): Answer {
  const found = findIdle(context, "service");
  requireRunning(found.body);
  const replicaCount = request.replica_count ?? found.body.replicaCount;
  const syncReplicaCount = request.sync_replica_count ?? found.body.syncReplicaCount;
  if (syncReplicaCount > replicaCount) throw invalid("sync_replica_count: must not exceed replica_count");
  update(context, found, "ha", { replicaCount, syncReplicaCount });
  return serviceAnswer(context, found, 202);
}

/** DELETING, then gone with its replica sets. A repeated request during the deletion succeeds. */
function deleteService(context: Context): Answer {
  if (find(context, "service").body.status === "DELETING") return { status: 202 };
  const { entity: service, body } = findIdle(context, "service");
  const { world, now } = context;
  const ms = durationMs(world, "delete", service);
  for (const set of service.replicaSets.values()) {
    const setBody = currentBody(set, now);
    if (setBody) startDelete(context, { entity: set, body: setBody }, ms, { status: "deleting" });
  }
  const isKeptVisible = world.settings.switches.deletedServices !== "404";
  const after = isKeptVisible ? { ...body, status: "DELETED", vpcId: undefined } : undefined;
  startDelete(context, { entity: service, body }, ms, { status: "DELETING", after });
  return { status: 202 };
}

function update(
  context: Context,
  found: FoundService,
  step: keyof Timings,
  fields: Partial<ServiceBody>,
  status = "UPGRADING",
): void {
  startUpdate(context, found, step, { status, after: { ...found.body, ...fields } });
}

/**
 * The answer of changes that return the Service: what a read would show at that moment, so possibly still the old
 * values.
 */
function serviceAnswer({ world, now }: Context, { entity, body }: FoundService, status: number): Answer {
  return { status, body: serviceWire(world, entity, bodyInAnswer(entity, now) ?? body, now) };
}
