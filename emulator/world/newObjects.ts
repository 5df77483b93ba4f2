// New objects: ids, passwords, and timelines on which nothing has happened. Shared by the actions and by out-of-band
// changes.

import { randomBytes } from "node:crypto";
import type { Hidden, NewService, Peering, ReplicaSet, Service, ServiceBody, Vpc } from "./entities";
import { visibleAtOnce, newId, newPassword, type World } from "./world";
import type { Timeline } from "./timeline";

function emptyTimeline<B>(): Timeline<B> {
  return { settled: undefined, changes: [], hold: undefined };
}

export function addVpc(world: World, projectId: string, hidden: Hidden = visibleAtOnce()): Vpc {
  const id = newId(world, "vpc");
  const vpc: Vpc = {
    kind: "vpc",
    id,
    projectId,
    timeline: emptyTimeline(),
    hidden,
    wire: undefined,
    peerings: new Map(),
  };
  world.vpcs.set(id, vpc);
  return vpc;
}

export function addPeering(world: World, vpc: Vpc, hidden: Hidden = visibleAtOnce()): Peering {
  const id = newId(world, "peering");
  const peering: Peering = { kind: "peering", id, vpc, timeline: emptyTimeline(), hidden, wire: undefined };
  vpc.peerings.set(id, peering);
  return peering;
}

export function addService(
  world: World,
  projectId: string,
  options: Pick<Service, "createdAt" | "firstBackupAt"> &
    Partial<Pick<Service, "forkedFrom" | "source" | "extensions" | "hidden">>,
): Service {
  const id = newId(world, "service");
  const initialPassword = newPassword(world);
  const service: Service = {
    kind: "service",
    id,
    projectId,
    timeline: emptyTimeline(),
    hidden: options.hidden ?? visibleAtOnce(),
    wire: undefined,
    createdAt: options.createdAt,
    firstBackupAt: options.firstBackupAt,
    password: initialPassword,
    initialPassword,
    forkedFrom: options.forkedFrom,
    cluster: world.unsaved && randomBytes(6).toString("hex"),
    source: options.source,
    extensions: options.extensions ?? [],
    replicaSets: new Map(),
    logs: [],
    endpointGapReads: 0,
    written: undefined,
  };
  world.services.set(id, service);
  return service;
}

export function addReplicaSet(world: World, service: Service, hidden: Hidden = visibleAtOnce()): ReplicaSet {
  const id = newId(world, "replicaSet");
  const set: ReplicaSet = { kind: "replicaSet", id, service, timeline: emptyTimeline(), hidden, wire: undefined };
  service.replicaSets.set(id, set);
  return set;
}

export function newServiceBody(asked: NewService): ServiceBody {
  return { ...asked, status: "READY", syncReplicaCount: 0, poolerEnabled: false, moves: 0, dataTieringEnabled: false };
}
