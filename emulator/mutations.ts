// The out-of-band changes themselves. They go around every rule of the control plane: no transition, no refusal, no lag.

import { bearPeering, bearReplicaSet, bearService, bearVpc } from "./births";
import { freshBody } from "./bringUp";
import { labelOf } from "./changes";
import { appendLogs, startUpLogs } from "./logs";
import type { Mutate, ServiceMutation, WireOverride } from "./mutate";
import { peeringState, replicaSetState, serviceState, vpcState } from "./state";
import { patch, settle, truth, type Track } from "./timeline";
import type { AnyEntity, LedgerEntry, Peering, ReplicaSet, Service, ServiceBody, Vpc } from "./entities";
import { forget, touch, type World } from "./world";

/** Brings the world up to date and says what time it is. */
type Clock = () => number;

export function vpcMutations(
  world: World,
  clock: Clock,
  defaultProjectId: string,
): Pick<Mutate, "createVpc" | "vpc" | "deleteVpc"> {
  const find = (id: string, now: number): Vpc => existing(world.vpcs.get(id), now, "VPC", id);
  return {
    createVpc({ projectId = defaultProjectId, wire, ...fields } = {}) {
      const now = clock();
      const vpc = bearVpc(world, projectId);
      vpc.wire = wire;
      vpc.track.settled = {
        status: "CREATED",
        name: "made-by-hand",
        cidr: "10.0.0.0/16",
        regionCode: "us-east-1",
        ...fields,
      };
      note(world, vpc, "created", now);
      return vpcState(vpc, now);
    },
    vpc(id, fields) {
      const now = clock();
      const vpc = find(id, now);
      edit(world, vpc, fields, now);
      return vpcState(vpc, now);
    },
    deleteVpc: (id) => remove(world, find(id, clock()), clock()),
  };
}

export function peeringMutations(
  world: World,
  clock: Clock,
): Pick<Mutate, "createPeering" | "peering" | "deletePeering"> {
  const find = (id: string, now: number): Peering => {
    const all = [...world.vpcs.values()].map((vpc) => vpc.peerings.get(id));
    return existing(
      all.find((peering) => peering !== undefined),
      now,
      "peering",
      id,
    );
  };
  return {
    createPeering(vpcId, { wire, ...fields } = {}) {
      const now = clock();
      const peering = bearPeering(world, existing(world.vpcs.get(vpcId), now, "VPC", vpcId));
      peering.wire = wire;
      const { active: status } = world.settings.switches.peeringWords;
      const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a1b2c3d" };
      peering.track.settled = { status, ...peer, provisionedId: `pcx-${peering.id}`, ...fields };
      note(world, peering, "created", now);
      return peeringState(peering, now);
    },
    peering(id, fields) {
      const now = clock();
      const peering = find(id, now);
      edit(world, peering, fields, now);
      return peeringState(peering, now);
    },
    deletePeering: (id) => remove(world, find(id, clock()), clock()),
  };
}

type ServiceMutations = Pick<Mutate, "createService" | "service" | "deleteService" | "logs">;

export function serviceMutations(world: World, clock: Clock, defaultProjectId: string): ServiceMutations {
  const find = (id: string, now: number): Service => existing(world.services.get(id), now, "service", id);
  return {
    createService({ projectId = defaultProjectId, forkedFrom, ...fields } = {}) {
      const now = clock();
      const service = bearService(world, projectId, { createdAt: now, firstBackupAt: now, forkedFrom });
      const size = { cpuMillis: 500, memoryGbs: 2 };
      const { defaultRegion: regionCode, defaultServiceType: serviceType } = world.settings.switches;
      service.track.settled = freshBody({
        name: "made-by-hand",
        regionCode,
        serviceType,
        ...size,
        replicaCount: 0,
        environment: "DEV",
      });
      service.logs.push(...startUpLogs(service.id, now));
      editService(service, fields);
      note(world, service, "created", now);
      return serviceState(service, now);
    },
    service(id, fields) {
      const now = clock();
      const service = find(id, now);
      editService(service, fields);
      note(world, service, "changed", now);
      return serviceState(service, now);
    },
    deleteService(id) {
      const now = clock();
      const service = find(id, now);
      for (const set of service.replicaSets.values()) remove(world, set, now);
      remove(world, service, now);
    },
    logs: (id, lines) => appendLogs(find(id, clock()).logs, lines, clock()),
  };
}

export function replicaSetMutations(
  world: World,
  clock: Clock,
): Pick<Mutate, "createReplicaSet" | "replicaSet" | "deleteReplicaSet"> {
  const find = (id: string, now: number): ReplicaSet => {
    const all = [...world.services.values()].map((service) => service.replicaSets.get(id));
    return existing(
      all.find((set) => set !== undefined),
      now,
      "replica set",
      id,
    );
  };
  return {
    createReplicaSet(serviceId, { wire, ...fields } = {}) {
      const now = clock();
      const set = bearReplicaSet(world, existing(world.services.get(serviceId), now, "service", serviceId));
      set.wire = wire;
      const body = {
        status: "active",
        name: "made-by-hand",
        cpuMillis: 500,
        memoryGbs: 2,
        nodes: 1,
        poolerEnabled: false,
      };
      set.track.settled = { ...body, ...fields };
      note(world, set, "created", now);
      return replicaSetState(set, now);
    },
    replicaSet(id, fields) {
      const now = clock();
      const set = find(id, now);
      edit(world, set, fields, now);
      return replicaSetState(set, now);
    },
    deleteReplicaSet: (id) => remove(world, find(id, clock()), clock()),
  };
}

function existing<B extends { readonly status: string }, E extends { readonly track: Track<B> }>(
  entity: E | undefined,
  now: number,
  what: string,
  id: string,
): E {
  if (!entity || !truth(entity.track, now)) throw new Error(`the emulator has no ${what} with id ${id}`);
  return entity;
}

function edit<B extends { readonly status: string }>(
  world: World,
  entity: AnyEntity & { readonly track: Track<B> },
  { wire, ...fields }: Partial<B> & WireOverride,
  now: number,
): void {
  if ("status" in fields) settle(entity.track);
  patch(entity.track, (body) => ({ ...body, ...fields }));
  if (wire !== undefined) entity.wire = { ...entity.wire, ...wire };
  note(world, entity, "changed", now);
}

function editService(
  service: Service,
  { wire, paused, password, createdAt, firstBackupAt, ...given }: ServiceMutation,
): void {
  const fields: Partial<ServiceBody> = { ...given };
  const status = fields.status ?? (paused === undefined ? undefined : paused ? "PAUSED" : "READY");
  if (status !== undefined) settle(service.track);
  patch(service.track, (body) => {
    const isMoved = "vpcId" in fields && fields.vpcId !== body.vpcId;
    return { ...body, ...fields, status: status ?? body.status, moves: body.moves + (isMoved ? 1 : 0) };
  });
  if (wire !== undefined) service.wire = { ...service.wire, ...wire };
  service.password = password ?? service.password;
  service.createdAt = createdAt ?? service.createdAt;
  service.firstBackupAt = firstBackupAt ?? service.firstBackupAt;
}

function remove(world: World, entity: AnyEntity, now: number): void {
  note(world, entity, "deleted", now);
  forget(world, entity);
}

function note(world: World, entity: AnyEntity, event: LedgerEntry["event"], now: number): void {
  touch(world, entity);
  const { kind, id } = entity;
  const name = labelOf(entity);
  world.ledger.push({
    at: now,
    kind,
    id,
    name,
    event,
    operation: undefined,
    by: "mutate",
    requestId: undefined,
    overlapped: false,
  });
}
