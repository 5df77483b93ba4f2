// The true state of the objects, as plain data for tests: no lag, no staleness, passwords included.

import type { Address, Kind, Kinds, PeeringBody, Project, ReplicaSetBody, ServiceBody, VpcBody } from "./entities";
import type { PostgresState } from "../../databases/backend";
import { actual, type Timeline } from "./timeline";
import { currentBody, isBusy, type World } from "./world";

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
  /** Whether it would refuse a change at this moment. */
  isBusy: boolean;
  /** Ids of its replica sets. */
  replicaSetIds: string[];
}

export interface ReplicaSetState extends ReplicaSetBody {
  id: string;
  serviceId: string;
}

export interface WorldState {
  /** What runs behind the endpoints. */
  postgres: PostgresState;
  projects: Project[];
  vpcs: VpcState[];
  peerings: PeeringState[];
  services: ServiceState[];
  replicaSets: ReplicaSetState[];
}

export function worldStateOf(world: World, now: number): WorldState {
  const vpcs = [...world.vpcs.values()];
  const services = [...world.services.values()].filter((service) => currentBody(service, now));
  const peerings = vpcs.flatMap((vpc) => [...vpc.peerings.values()]);
  const sets = services.flatMap((service) => [...service.replicaSets.values()]);
  return {
    postgres: world.backend.state,
    projects: world.projects.map((project) => ({ ...project })),
    vpcs: vpcs.filter((vpc) => currentBody(vpc, now)).map((vpc) => stateOf.vpc(vpc, now)),
    peerings: peerings.filter((peering) => currentBody(peering, now)).map((peering) => stateOf.peering(peering, now)),
    services: services.map((service) => stateOf.service(service, now)),
    replicaSets: sets.filter((set) => currentBody(set, now)).map((set) => stateOf.replicaSet(set, now)),
  };
}

export interface States {
  vpc: VpcState;
  peering: PeeringState;
  service: ServiceState;
  replicaSet: ReplicaSetState;
}

/** The state of one object, by its kind. Throws if it is gone. */
export const stateOf: { readonly [K in Kind]: (entity: Kinds[K], now: number) => States[K] } = {
  vpc: (vpc, now) => ({ id: vpc.id, projectId: vpc.projectId, ...present(vpc, now) }),
  peering: (peering, now) => ({ id: peering.id, vpcId: peering.vpc.id, ...present(peering, now) }),
  service: (service, now) => {
    const sets = [...service.replicaSets.values()];
    return {
      id: service.id,
      projectId: service.projectId,
      createdAt: service.createdAt,
      password: service.password,
      initialPassword: service.initialPassword,
      forkedFrom: service.forkedFrom,
      isBusy: isBusy(service, now),
      replicaSetIds: sets.filter((set) => currentBody(set, now)).map((set) => set.id),
      ...present(service, now),
    };
  },
  replicaSet: (set, now) => ({ id: set.id, serviceId: set.service.id, ...present(set, now) }),
};

function present<B extends { readonly status: string }>(entity: { readonly timeline: Timeline<B> }, now: number): B {
  const body = actual(entity.timeline, now);
  if (!body) throw new Error("the object is gone");
  return body;
}
