// A create of each kind: how it is asked for, and how somebody else makes the same object.

import type { OperationName } from "../../../emulator/index";
import type { Values } from "../../../provider/domain/values/value";
import { type Handlers, openWorld, type World } from "../../support/world";

export const MINUTE_MS = 60_000;
export const SIZE = { cpuMillis: 500, memoryGbs: 2 };
const PEER = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };

/** A world with a VPC and a service that somebody else made. */
export interface Scene {
  world: World;
  vpcId: string;
  serviceId: string;
}

export async function openScene(): Promise<Scene> {
  const world = await openWorld({ projects: [{ id: "proj000001", name: "ours" }] });
  const vpcId = world.emulator.mutate.createVpc({ name: "their-net" }).id;
  const serviceId = world.emulator.mutate.createService({ name: "their-db" }).id;
  return { world, vpcId, serviceId };
}

export interface CreateCase {
  handlers(): Handlers;
  args(): Values;
  makeDuplicate(): { id: string };
  operation: OperationName;
  count(): number;
}

type CaseName = "service" | "fork" | "VPC" | "peering" | "read replica set";

export const createCases = (scene: () => Scene): Record<CaseName, CreateCase> => ({
  service: {
    handlers: () => scene().world.service,
    args: () => ({ name: "orders", regionCode: "us-east-1", ...SIZE }),
    makeDuplicate: () => scene().world.emulator.mutate.createService({ name: "orders" }),
    operation: "createService",
    count: () =>
      scene()
        .world.emulator.state()
        .services.filter(({ name }) => name === "orders").length,
  },
  fork: {
    handlers: () => scene().world.service,
    args: () => ({ name: "orders", forkFrom: { serviceId: scene().serviceId, strategy: "NOW" } }),
    makeDuplicate: () =>
      scene().world.emulator.mutate.createService({
        name: "orders",
        forkedFrom: { projectId: "proj000001", serviceId: scene().serviceId },
      }),
    operation: "forkService",
    count: () =>
      scene()
        .world.emulator.state()
        .services.filter(({ name }) => name === "orders").length,
  },
  VPC: {
    handlers: () => scene().world.vpc,
    args: () => ({ name: "net", cidr: "10.9.0.0/24", regionCode: "us-east-1" }),
    makeDuplicate: () =>
      scene().world.emulator.mutate.createVpc({ name: "net", cidr: "10.9.0.0/24", regionCode: "us-east-1" }),
    operation: "createVpc",
    count: () =>
      scene()
        .world.emulator.state()
        .vpcs.filter(({ name }) => name === "net").length,
  },
  peering: {
    handlers: () => scene().world.peering,
    args: () => ({ vpcId: scene().vpcId, ...PEER }),
    makeDuplicate: () => scene().world.emulator.mutate.createPeering(scene().vpcId, PEER),
    operation: "createPeering",
    count: () => scene().world.emulator.state().peerings.length,
  },
  "read replica set": {
    handlers: () => scene().world.readReplicaSet,
    args: () => ({ serviceId: scene().serviceId, name: "readers", nodes: 1, ...SIZE }),
    makeDuplicate: () =>
      scene().world.emulator.mutate.createReplicaSet(scene().serviceId, { name: "readers", nodes: 1, ...SIZE }),
    operation: "createReplicaSet",
    count: () => scene().world.emulator.state().replicaSets.length,
  },
});

/** The error of a create that must be refused. */
export async function refusal(work: Promise<unknown>): Promise<Error & { hint?: string }> {
  return work.then(
    () => {
      throw new Error("it was not refused");
    },
    (error: unknown) => error as Error,
  );
}
