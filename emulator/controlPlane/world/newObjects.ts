// New objects: ids, passwords, and timelines without changes. Shared by the actions and by out-of-band changes.

import { randomBytes, randomInt } from "node:crypto";
import type {
  BodyOf,
  Hidden,
  ObjectKind,
  NewService,
  Peering,
  ReplicaSet,
  Service,
  ServiceBody,
  Vpc,
} from "./entities";
import { visibleAtOnce, newId, type World } from "./world";
import type { Timeline } from "./timeline";

const letters = "abcdefghijklmnopqrstuvwxyz";
const passwordLetters = `${letters}${letters.toUpperCase()}0123456789`;

/** Not from the seed: other users of this machine reach the databases, and may know the seed. */
const newPassword = (): string =>
  Array.from({ length: 16 }, () => passwordLetters.charAt(randomInt(passwordLetters.length))).join("");

function newEntity<K extends ObjectKind>(world: World, kind: K, hidden = visibleAtOnce()) {
  const timeline: Timeline<BodyOf<K>> = { changes: [] };
  return { kind, id: newId(world, kind), timeline, hidden };
}

export function addVpc(world: World, projectId: string, hidden?: Hidden): Vpc {
  const vpc: Vpc = { ...newEntity(world, "vpc", hidden), projectId, peerings: new Map() };
  world.vpcs.set(vpc.id, vpc);
  return vpc;
}

export function addPeering(world: World, vpc: Vpc, hidden?: Hidden): Peering {
  const peering: Peering = { ...newEntity(world, "peering", hidden), vpc };
  vpc.peerings.set(peering.id, peering);
  return peering;
}

export function addService(
  world: World,
  projectId: string,
  options: Pick<Service, "createdAt" | "firstBackupAt"> &
    Partial<Pick<Service, "forkedFrom" | "source" | "extensions" | "hidden">>,
): Service {
  const entity = newEntity(world, "service", options.hidden);
  const initialPassword = newPassword();
  const service: Service = {
    ...entity,
    extensions: [],
    ...options,
    projectId,
    password: initialPassword,
    initialPassword,
    cluster: world.backend.state.kind === "processes" ? randomBytes(6).toString("hex") : undefined,
    replicaSets: new Map(),
    logs: [],
    endpointGapReads: 0,
  };
  world.services.set(service.id, service);
  return service;
}

export function addReplicaSet(world: World, service: Service, hidden?: Hidden): ReplicaSet {
  const set: ReplicaSet = { ...newEntity(world, "replicaSet", hidden), service };
  service.replicaSets.set(set.id, set);
  return set;
}

export function newServiceBody(asked: NewService): ServiceBody {
  return { ...asked, status: "READY", syncReplicaCount: 0, poolerEnabled: false, moves: 0, dataTieringEnabled: false };
}
