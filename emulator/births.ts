// New objects, as yet without a course: ids, passwords and empty tracks. Shared by the actions and by out-of-band
// changes.

import type { Peering, ReplicaSet, Service, Unseen, Vpc } from "./entities";
import { alwaysSeen, newId, newPassword, type World } from "./world";
import type { Track } from "./timeline";

function emptyTrack<B>(): Track<B> {
  return { settled: undefined, changes: [], hold: undefined };
}

export function bearVpc(world: World, projectId: string, unseen: Unseen = alwaysSeen()): Vpc {
  const id = newId(world, "vpc");
  const vpc: Vpc = { kind: "vpc", id, projectId, track: emptyTrack(), unseen, wire: undefined, peerings: new Map() };
  world.vpcs.set(id, vpc);
  return vpc;
}

export function bearPeering(world: World, vpc: Vpc, unseen: Unseen = alwaysSeen()): Peering {
  const id = newId(world, "peering");
  const peering: Peering = { kind: "peering", id, vpc, track: emptyTrack(), unseen, wire: undefined };
  vpc.peerings.set(id, peering);
  return peering;
}

export function bearService(
  world: World,
  projectId: string,
  birth: { createdAt: number; firstBackupAt: number; forkedFrom?: Service["forkedFrom"]; unseen?: Unseen },
): Service {
  const id = newId(world, "service");
  const initialPassword = newPassword(world);
  const service: Service = {
    kind: "service",
    id,
    projectId,
    track: emptyTrack(),
    unseen: birth.unseen ?? alwaysSeen(),
    wire: undefined,
    createdAt: birth.createdAt,
    firstBackupAt: birth.firstBackupAt,
    password: initialPassword,
    initialPassword,
    forkedFrom: birth.forkedFrom,
    replicaSets: new Map(),
    logs: [],
    endpointGapReads: 0,
    written: undefined,
  };
  world.services.set(id, service);
  return service;
}

export function bearReplicaSet(world: World, service: Service, unseen: Unseen = alwaysSeen()): ReplicaSet {
  const id = newId(world, "replicaSet");
  const set: ReplicaSet = { kind: "replicaSet", id, service, track: emptyTrack(), unseen, wire: undefined };
  service.replicaSets.set(id, set);
  return set;
}
