// The properties of each kind of object. Every table by kind is derived from `Kinds`: a table that lacks a kind does
// not compile.

import type { AnyEntity, ObjectKind, Kinds, Peering, ReplicaSet, Service, Vpc } from "./entities";

/** The world's collections of objects; all other objects are parts of these. */
export interface Objects {
  readonly vpcs: Map<string, Vpc>;
  readonly services: Map<string, Service>;
}

interface KindRow<E> {
  /** What messages call it. */
  readonly word: string;
  /** Of its id in a path. */
  readonly parameter: string;
  /** The characters and the length of its ids. */
  readonly ids: readonly ["digits" | "word", number];
  /** Whether a GET by id exists for it; if not, only its owner shows it. */
  readonly hasGet: boolean;
  /** The service or VPC that it is part of, or itself. */
  owner(entity: E): Service | Vpc;
  /** The object with this id, wherever it is. */
  find(objects: Objects, id: string): E | undefined;
  /** It and its siblings, by id. */
  siblings(objects: Objects, entity: E): Pick<Map<string, E>, "delete">;
}

const kinds: { readonly [K in ObjectKind]: KindRow<Kinds[K]> } = {
  vpc: {
    word: "VPC",
    parameter: "vpc_id",
    ids: ["digits", 5],
    hasGet: true,
    owner: (vpc) => vpc,
    find: ({ vpcs }, id) => vpcs.get(id),
    siblings: ({ vpcs }) => vpcs,
  },
  peering: {
    word: "peering",
    parameter: "peering_id",
    ids: ["digits", 5],
    hasGet: true,
    owner: ({ vpc }) => vpc,
    find: ({ vpcs }, id) => [...vpcs.values()].flatMap(({ peerings }) => peerings.get(id) ?? [])[0],
    siblings: (_, { vpc }) => vpc.peerings,
  },
  service: {
    word: "service",
    parameter: "service_id",
    ids: ["word", 10],
    hasGet: true,
    owner: (service) => service,
    find: ({ services }, id) => services.get(id),
    siblings: ({ services }) => services,
  },
  replicaSet: {
    word: "replica set",
    parameter: "replica_set_id",
    ids: ["word", 10],
    hasGet: false,
    owner: ({ service }) => service,
    find: ({ services }, id) => [...services.values()].flatMap(({ replicaSets }) => replicaSets.get(id) ?? [])[0],
    siblings: (_, { service }) => service.replicaSets,
  },
};

export const kindNames = Object.keys(kinds).filter((word): word is ObjectKind => Object.hasOwn(kinds, word));

export function rowOf<K extends ObjectKind>(kind: K): KindRow<Kinds[K]> {
  return kinds[kind];
}

export function ownerOf(entity: AnyEntity): Service | Vpc {
  return rowOf(entity.kind).owner(entity);
}

/** The peerings of a VPC, or the read replica sets of a service. */
export function partsOf(owner: Service | Vpc): Iterable<Peering | ReplicaSet> {
  return owner.kind === "vpc" ? owner.peerings.values() : owner.replicaSets.values();
}
