// What the objects are, as plain data for tests: no lag, no staleness, passwords included.

import type {
  Address,
  Peering,
  PeeringBody,
  Project,
  ReplicaSet,
  ReplicaSetBody,
  Service,
  ServiceBody,
  Vpc,
  VpcBody,
} from "./entities";
import type { PostgresState } from "../postgres/backend";
import { actual, type Timeline } from "./timeline";
import { currentBody, isServiceBusy, type World } from "./world";

export interface VpcState extends VpcBody {
  id: string;
  projectId: string;
}

export interface PeeringState extends PeeringBody {
  id: string;
  vpcId: string;
}

export interface ServiceState extends Omit<ServiceBody, "endpoint"> {
  id: string;
  projectId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  password: string;
  initialPassword: string;
  forkedFrom?: { projectId: string; serviceId: string } | undefined;
  endpoint?: Address | undefined;
  /** Whether it would refuse a change now. */
  isBusy: boolean;
  /** Ids of its replica sets. */
  replicaSetIds: string[];
}

export interface ReplicaSetState extends ReplicaSetBody {
  id: string;
  serviceId: string;
}

export interface WorldState {
  /** What stands behind the endpoints. */
  postgres: PostgresState;
  projects: Project[];
  vpcs: VpcState[];
  peerings: PeeringState[];
  services: ServiceState[];
  replicaSets: ReplicaSetState[];
}

export function stateOf(world: World, now: number): WorldState {
  const vpcs = [...world.vpcs.values()];
  const services = [...world.services.values()].filter((service) => currentBody(service, now));
  const peerings = vpcs.flatMap((vpc) => [...vpc.peerings.values()]);
  const sets = services.flatMap((service) => [...service.replicaSets.values()]);
  return {
    postgres: world.backend.state,
    projects: world.projects.map((project) => ({ ...project })),
    vpcs: vpcs.filter((vpc) => currentBody(vpc, now)).map((vpc) => vpcState(vpc, now)),
    peerings: peerings.filter((peering) => currentBody(peering, now)).map((peering) => peeringState(peering, now)),
    services: services.map((service) => serviceState(service, now)),
    replicaSets: sets.filter((set) => currentBody(set, now)).map((set) => replicaSetState(set, now)),
  };
}

export function vpcState(vpc: Vpc, now: number): VpcState {
  return { id: vpc.id, projectId: vpc.projectId, ...present(vpc, now) };
}

export function peeringState(peering: Peering, now: number): PeeringState {
  return { id: peering.id, vpcId: peering.vpc.id, ...present(peering, now) };
}

export function serviceState(service: Service, now: number): ServiceState {
  const sets = [...service.replicaSets.values()];
  return {
    id: service.id,
    projectId: service.projectId,
    createdAt: service.createdAt,
    password: service.password,
    initialPassword: service.initialPassword,
    forkedFrom: service.forkedFrom,
    isBusy: isServiceBusy(service, now),
    replicaSetIds: sets.filter((set) => currentBody(set, now)).map((set) => set.id),
    ...present(service, now),
  };
}

export function replicaSetState(set: ReplicaSet, now: number): ReplicaSetState {
  return { id: set.id, serviceId: set.service.id, ...present(set, now) };
}

function present<B extends { readonly status: string }>(entity: { readonly timeline: Timeline<B> }, now: number): B {
  const body = actual(entity.timeline, now);
  if (!body) throw new Error("the object is gone");
  return body;
}
