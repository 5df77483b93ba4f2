// The true state of the objects, as plain data for tests: no lag, no staleness, passwords included.

import type {
  AnyEntity,
  ObjectKind,
  Kinds,
  PeeringBody,
  Project,
  ReplicaSetBody,
  ServiceBody,
  VpcBody,
} from "./entities";
import type { PostgresState } from "../../databases/backend";
import { actual, type Body, type Timeline } from "./timeline";
import { currentBody, isBusy, type World } from "./world";

export type VpcState = VpcBody & { id: string; projectId: string };

export type PeeringState = PeeringBody & { id: string; vpcId: string };

export interface ServiceState extends ServiceBody {
  id: string;
  projectId: string;
  /** Epoch milliseconds. */
  createdAt: number;
  password: string;
  initialPassword: string;
  forkedFrom?: { projectId: string; serviceId: string } | undefined;
  /** Whether it would refuse a change at this moment. */
  isBusy: boolean;
  /** Ids of its replica sets. */
  replicaSetIds: string[];
}

export type ReplicaSetState = ReplicaSetBody & { id: string; serviceId: string };

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
  const present = <E extends AnyEntity>(objects: Iterable<E>): E[] =>
    [...objects].filter((entity) => currentBody<Body>(entity, now));
  const vpcs = [...world.vpcs.values()];
  const services = present(world.services.values());
  return {
    postgres: world.backend.state,
    projects: world.projects.map((project) => ({ ...project })),
    vpcs: present(vpcs).map((vpc) => stateOf.vpc(vpc, now)),
    peerings: present(vpcs.flatMap((vpc) => [...vpc.peerings.values()])).map((one) => stateOf.peering(one, now)),
    services: services.map((service) => stateOf.service(service, now)),
    replicaSets: present(services.flatMap((one) => [...one.replicaSets.values()])).map((set) =>
      stateOf.replicaSet(set, now),
    ),
  };
}

export interface States {
  vpc: VpcState;
  peering: PeeringState;
  service: ServiceState;
  replicaSet: ReplicaSetState;
}

/** The state of one object, by its kind. Throws if it is gone. */
export const stateOf: { readonly [K in ObjectKind]: (entity: Kinds[K], now: number) => States[K] } = {
  vpc: (vpc, now) => ({ id: vpc.id, projectId: vpc.projectId, ...bodyOf(vpc, now) }),
  peering: (peering, now) => ({ id: peering.id, vpcId: peering.vpc.id, ...bodyOf(peering, now) }),
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
      ...bodyOf(service, now),
    };
  },
  replicaSet: (set, now) => ({ id: set.id, serviceId: set.service.id, ...bodyOf(set, now) }),
};

function bodyOf<B extends Body>(entity: { readonly timeline: Timeline<B> }, now: number): B {
  const body = actual(entity.timeline, now);
  if (!body) throw new Error("the object is gone");
  return body;
}
