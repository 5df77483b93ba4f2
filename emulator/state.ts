// The truth about the world as plain data, for tests to look at: no lag, no staleness, passwords included.

import {
  living,
  isServiceBusy,
  type Address,
  type PeeringBody,
  type Project,
  type ReplicaSetBody,
  type ServiceBody,
  type VpcBody,
  type World,
} from "./world";
import type { Peering, ReplicaSet, Service, Vpc } from "./world";

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
  projects: Project[];
  vpcs: VpcState[];
  peerings: PeeringState[];
  services: ServiceState[];
  replicaSets: ReplicaSetState[];
}

export function stateOf(world: World, now: number): WorldState {
  const vpcs = [...world.vpcs.values()];
  const services = [...world.services.values()];
  return {
    projects: world.projects.map((project) => ({ ...project })),
    vpcs: present(vpcs, (vpc) => vpcState(vpc, now)),
    peerings: present(
      vpcs.flatMap((vpc) => [...vpc.peerings.values()]),
      (peering) => peeringState(peering, now),
    ),
    services: present(services, (service) => serviceState(service, now)),
    replicaSets: present(
      services.flatMap((service) => [...service.replicaSets.values()]),
      (set) => replicaSetState(set, now),
    ),
  };
}

function present<E, S>(entities: readonly E[], stateFor: (entity: E) => S | undefined): S[] {
  return entities.flatMap((entity) => stateFor(entity) ?? []);
}

export function vpcState(vpc: Vpc, now: number): VpcState | undefined {
  const body = living(vpc, now);
  return body && { id: vpc.id, projectId: vpc.projectId, ...body };
}

export function peeringState(peering: Peering, now: number): PeeringState | undefined {
  const body = living(peering, now);
  return body && { id: peering.id, vpcId: peering.vpc.id, ...body };
}

export function serviceState(service: Service, now: number): ServiceState | undefined {
  const body = living(service, now);
  return (
    body && {
      id: service.id,
      projectId: service.projectId,
      createdAt: service.createdAt,
      password: service.password,
      initialPassword: service.initialPassword,
      forkedFrom: service.forkedFrom,
      isBusy: isServiceBusy(service, now),
      replicaSetIds: [...service.replicaSets.values()].filter((set) => living(set, now)).map((set) => set.id),
      ...body,
    }
  );
}

export function replicaSetState(set: ReplicaSet, now: number): ReplicaSetState | undefined {
  const parent = living(set.service, now);
  const body = parent && living(set, now);
  return body && { id: set.id, serviceId: set.service.id, ...body };
}
