// Changes out of band: they bypass all rules of the control plane, without transition and without lag.

import { markActive, nameOf } from "../../controlPlane/world/changes";
import type { AnyEntity, Kind, Kinds, LedgerEntry, Service, ServiceBody } from "../../controlPlane/world/entities";
import { partsOf, rowOf } from "../../controlPlane/world/kinds";
import { appendLogs, startupLogs } from "../../controlPlane/world/logs";
import { addPeering, addReplicaSet, addService, addVpc, newServiceBody } from "../../controlPlane/world/newObjects";
import { reconcileBackend } from "../../controlPlane/world/reconcile";
import { stateOf, type States } from "../../controlPlane/world/state";
import { actual, beginChange, notStale, patch, settle } from "../../controlPlane/world/timeline";
import { advanceWorld, invalidate, removeObject, type World } from "../../controlPlane/world/world";
import type { Work } from "../../databases/backend";
import { requireKnown } from "../../unknownNames";
import { changes, creations } from "./fields";
import type { Mutate, ServiceMutation, WireOverride } from "./mutate";

export type { Mutate, PeeringMutation, ReplicaSetMutation, ServiceMutation, VpcMutation } from "./mutate";

/** `save` is called after each change. */
export function createMutate(world: World, clock: () => number, defaultProject: string, save: () => void): Mutate {
  const advance = (): number => {
    const now = clock();
    advanceWorld(world, now);
    return now;
  };
  const existing = <K extends Kind>(kind: K, id: string, now: number): Kinds[K] => {
    const row = rowOf(kind);
    const entity = row.find(world, id);
    if (entity && actual<{ status: string }>(entity.timeline, now)) return entity;
    throw new Error(`the emulator has no ${row.word} with id ${id}`);
  };
  const record = (entity: AnyEntity, event: LedgerEntry["event"], now: number): Work | undefined => {
    invalidate(world, entity);
    const { kind, id } = entity;
    const by = { operation: undefined, by: "mutate", requestId: undefined, overlapped: false } as const;
    world.ledger.push({ at: now, kind, id, name: nameOf(entity), event, ...by });
    return reconcileBackend(world, entity, event);
  };
  const changed = <K extends Kind>(kind: K, entity: Kinds[K], event: LedgerEntry["event"], now: number): States[K] => {
    const work = record(entity, event, now);
    if (event === "created" && entity.kind === "service" && work) beginWork(world, entity, work, now);
    save();
    return stateOf[kind](entity, now);
  };
  const change = <K extends Exclude<Kind, "service">>(kind: K, id: string, given: Fields): States[K] => {
    requireKnown(`mutate.${kind}`, given, Object.keys(changes[kind].shape));
    const now = advance();
    const entity = existing(kind, id, now);
    const { wire, ...fields } = given;
    if (fields.status !== undefined) settle<unknown>(entity.timeline);
    patch<object>(entity.timeline, (body) => ({ ...body, ...fields }));
    if (wire !== undefined) entity.wire = { ...entity.wire, ...wire };
    return changed(kind, entity, "changed", now);
  };
  const remove = (kind: Kind, id: string): void => {
    const now = advance();
    const entity = existing(kind, id, now);
    const parts = entity.kind === "service" ? [...partsOf(entity)] : [];
    for (const leaving of [...parts, entity]) {
      record(leaving, "deleted", now);
      removeObject(world, leaving);
    }
    save();
  };
  return {
    createVpc(given = {}) {
      requireKnown("mutate.createVpc", given, Object.keys(creations.vpc.shape));
      const now = advance();
      const { projectId = defaultProject, wire, ...fields } = given;
      const vpc = addVpc(world, projectId);
      vpc.wire = wire;
      const usual = { status: "CREATED", name: "made-by-hand", cidr: "10.0.0.0/16", regionCode: "us-east-1" };
      vpc.timeline.settled = { ...usual, ...fields };
      return changed("vpc", vpc, "created", now);
    },
    vpc: (id, fields) => change("vpc", id, fields),
    deleteVpc: (id) => remove("vpc", id),
    createPeering(vpcId, given = {}) {
      requireKnown("mutate.createPeering", given, Object.keys(creations.peering.shape));
      const now = advance();
      const { wire, ...fields } = given;
      const peering = addPeering(world, existing("vpc", vpcId, now));
      peering.wire = wire;
      const { active: status } = world.settings.switches.peeringWords;
      const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" };
      peering.timeline.settled = { status, ...peer, provisionedId: `pcx-${peering.id}`, ...fields };
      return changed("peering", peering, "created", now);
    },
    peering: (id, fields) => change("peering", id, fields),
    deletePeering: (id) => remove("peering", id),
    createService(given = {}) {
      requireKnown("mutate.createService", given, Object.keys(creations.service.shape));
      const now = advance();
      const { projectId = defaultProject, forkedFrom, ...fields } = given;
      const service = addService(world, projectId, { createdAt: now, firstBackupAt: now, forkedFrom });
      const { defaultRegion: regionCode, defaultServiceType: serviceType } = world.settings.switches;
      const usual = { name: "made-by-hand", cpuMillis: 500, memoryGbs: 2, replicaCount: 0, environment: "DEV" };
      service.timeline.settled = newServiceBody({ ...usual, regionCode, serviceType });
      if (world.backend.state.kind === "off") service.logs.push(...startupLogs(service.id, now));
      editService(service, fields);
      return changed("service", service, "created", now);
    },
    service(id, fields) {
      requireKnown("mutate.service", fields, Object.keys(changes.service.shape));
      const now = advance();
      const service = existing("service", id, now);
      editService(service, fields);
      return changed("service", service, "changed", now);
    },
    deleteService: (id) => remove("service", id),
    createReplicaSet(serviceId, given = {}) {
      requireKnown("mutate.createReplicaSet", given, Object.keys(creations.replicaSet.shape));
      const now = advance();
      const { wire, ...fields } = given;
      const set = addReplicaSet(world, existing("service", serviceId, now));
      set.wire = wire;
      const usual = { status: "active", name: "made-by-hand", cpuMillis: 500, memoryGbs: 2, nodes: 1 };
      set.timeline.settled = { ...usual, poolerEnabled: false, ...fields };
      return changed("replicaSet", set, "created", now);
    },
    replicaSet: (id, fields) => change("replicaSet", id, fields),
    deleteReplicaSet: (id) => remove("replicaSet", id),
    logs(id, lines) {
      const now = advance();
      const service = existing("service", id, now);
      appendLogs(service.logs, lines, now);
      invalidate(world, service);
      save();
    },
  };
}

type Fields = WireOverride & { readonly status?: string };

/** The service is not READY at once if a server has to start first. */
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
