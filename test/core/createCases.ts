// A create of each kind: how it is asked for, and how somebody else makes the same object.

import type { OperationName } from "../../emulator/index";
import type { Kind } from "../../provider/domain/kinds";
import type { Values } from "../../provider/domain/values/value";
import type { Handlers } from "../support/world";
import { NET, PEER, setOf, SMALL, useWorld, world } from "./scene";

export interface CreateCase {
  kind: Kind;

  args(): Values;
  makeDuplicate(): { id: string };
  operation: OperationName;
  count(): number;
}

/** Somebody else's. */
let vpcId: string;
export let serviceId: string;

/** A world with a VPC and a service that somebody else made. */
export function useCreates(): void {
  useWorld({}, () => {
    vpcId = world.emulator.mutate.createVpc({ name: "their-net" }).id;
    serviceId = world.emulator.mutate.createService({ name: "their-db" }).id;
    return Promise.resolve();
  });
}

/** How many there are of the name. */
export const countOrders = (): number => world.emulator.state().services.filter(({ name }) => name === "orders").length;

export const ORDERS = { name: "orders", regionCode: "us-east-1", ...SMALL };

const cases: Record<string, CreateCase> = {
  service: {
    kind: "service",
    args: () => ORDERS,
    makeDuplicate: () => world.emulator.mutate.createService({ name: "orders" }),
    operation: "createService",
    count: countOrders,
  },
  fork: {
    kind: "service",
    args: () => ({ name: "orders", forkFrom: { serviceId, strategy: "NOW" } }),
    makeDuplicate: () =>
      world.emulator.mutate.createService({ name: "orders", forkedFrom: { projectId: "proj000001", serviceId } }),
    operation: "forkService",
    count: countOrders,
  },
  VPC: {
    kind: "vpc",
    args: () => NET,
    makeDuplicate: () => world.emulator.mutate.createVpc(NET),
    operation: "createVpc",
    count: () => world.emulator.state().vpcs.filter(({ name }) => name === NET.name).length,
  },
  peering: {
    kind: "peering",
    args: () => ({ vpcId, ...PEER }),
    makeDuplicate: () => world.emulator.mutate.createPeering(vpcId, PEER),
    operation: "createPeering",
    count: () => world.emulator.state().peerings.length,
  },
  "read replica set": {
    kind: "readReplicaSet",
    args: () => setOf({ id: serviceId }),
    makeDuplicate: () => world.emulator.mutate.createReplicaSet(serviceId, { name: "readers", nodes: 1, ...SMALL }),
    operation: "createReplicaSet",
    count: () => world.emulator.state().replicaSets.length,
  },
};

export const kinds = Object.entries(cases).map(
  ([name, one]) => [name, { ...one, handlers: (): Handlers => world[one.kind] }] as const,
);
