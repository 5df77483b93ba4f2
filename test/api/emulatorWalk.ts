// A client of the emulator, and a walk that calls every operation once.

import { expect, onTestFinished } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { type Client, type ClientOptions, createClient, type Service } from "../../provider/client";
import { failureOf } from "../support/client";
import { createTestClock } from "../support/clock";

export interface Pair {
  emulator: Emulator;
  client: Client;
}

export async function connect(
  options: EmulatorOptions = {},
  clientOptions: Partial<ClientOptions> = {},
): Promise<Pair> {
  const emulator = await createEmulator({ seed: 7, ...options });
  const client = createClient({
    baseUrl: emulator.baseUrl,
    apiKey: emulator.apiKey,
    clock: createTestClock(),
    maxRequestsPerSecond: 100_000,
    environment: {},
    ...clientOptions,
  });
  onTestFinished(async () => {
    await client.close();
    await emulator.close();
  });
  return { emulator, client };
}

/** Calls every operation once, in an order in which each makes sense. */
export async function walk({ emulator, client }: Pair): Promise<Service> {
  const settle = (): void => emulator.settle();
  const project = { projectId: emulator.projectId };
  expect((await client.projects.list()).map(({ id }) => id)).toContain(project.projectId);
  const orders = await client.services.create({
    ...project,
    name: "orders",
    addons: ["time-series"],
    cpuMillis: 500,
    memoryGbs: 2,
    environment: "DEV",
    regionCode: "us-east-1",
    replicaCount: 0,
  });
  expect(orders.initialPassword).toMatch(/^\S{16}$/);
  settle();
  await walkNetwork({ emulator, client }, orders.id);
  await walkReplicas({ emulator, client }, orders.id);

  const service = { ...project, serviceId: orders.id };
  const change = async (call: Promise<unknown>): Promise<Service> => {
    await call;
    settle();
    return client.services.get(service);
  };
  const { services } = client;
  const resized = await change(services.resize({ ...service, cpuMillis: 1_000, memoryGbs: 4 }));
  expect(resized.resources[0]?.spec).toMatchObject({ cpuMillis: 1_000, memoryGbs: 4 });
  const copies = await change(services.setHA({ ...service, replicaCount: 2, syncReplicaCount: 1 }));
  expect(copies.haReplicas).toEqual({ replicaCount: 2, syncReplicaCount: 1 });
  expect((await change(services.enablePooler(service))).connectionPooler?.endpoint?.port).toBeTypeOf("number");
  expect((await change(services.disablePooler(service))).connectionPooler?.endpoint).toBeUndefined();
  expect((await change(services.setEnvironment({ ...service, environment: "PROD" }))).environment).toBe("PROD");
  expect((await change(services.rename({ ...service, name: "Aufträge" }))).name).toBe("Aufträge");
  await change(services.updatePassword({ ...service, password: "n3w-passw0rd" }));
  expect(emulator.state().services.find(({ id }) => id === orders.id)?.password).toBe("n3w-passw0rd");
  expect((await services.logs(service)).logs.length).toBeGreaterThan(0);
  const fork = await services.forkService({ ...service, strategy: "NOW", name: "copy" });
  settle();
  const forked = await services.get({ ...project, serviceId: fork.id });
  expect([forked.name, forked.forkedFrom?.serviceId]).toEqual(["copy", orders.id]);
  await change(services.delete({ ...project, serviceId: fork.id }));
  expect((await change(services.stop(service))).status.toUpperCase()).toBe("PAUSED");
  const started = await change(services.start(service));
  expect(started.status.toUpperCase()).toBe("READY");
  expect((await services.list(project)).map(({ serviceId }) => serviceId)).toEqual([orders.id]);
  return started;
}

async function walkNetwork({ emulator, client }: Pair, serviceId: string): Promise<void> {
  const project = { projectId: emulator.projectId };
  const made = await client.vpcs.create({ ...project, cidr: "10.1.0.0/24", name: "main", regionCode: "us-east-1" });
  emulator.settle();
  const vpc = { ...project, vpcId: made.id };
  await client.vpcs.rename({ ...vpc, name: "core" });
  emulator.settle();
  expect(await client.vpcs.list(project)).toEqual([await client.vpcs.get(vpc)]);
  expect(await client.vpcs.get(vpc)).toMatchObject({ name: "core", cidr: "10.1.0.0/24", regionCode: "us-east-1" });

  const peer = { peerAccountId: "123456789012", peerRegionCode: "eu-west-1", peerVpcId: "vpc-0aa" };
  const { id: peeringId } = await client.peerings.create({ ...vpc, ...peer });
  emulator.settle();
  expect(await client.peerings.get({ ...vpc, peeringId })).toMatchObject({ peeringId, ...peer });
  expect(await client.peerings.list(vpc)).toHaveLength(1);
  await client.peerings.delete({ ...vpc, peeringId });
  emulator.settle();
  expect(await failureOf(client.peerings.get({ ...vpc, peeringId }))).toMatchObject({ category: "notFound" });

  const service = { ...project, serviceId };
  await client.services.attachToVPC({ ...service, vpcId: made.id });
  emulator.settle();
  expect((await client.services.get(service)).vpcEndpoint?.vpcId).toBe(made.id);
  await client.services.detachFromVPC({ ...service, vpcId: made.id });
  emulator.settle();
  expect((await client.services.get(service)).vpcEndpoint).toBeUndefined();
  await client.vpcs.delete(vpc);
  emulator.settle();
  expect(await client.vpcs.list(project)).toEqual([]);
}

async function walkReplicas({ emulator, client }: Pair, serviceId: string): Promise<void> {
  const service = { projectId: emulator.projectId, serviceId };
  const sets = client.readReplicaSets;
  const { id } = await sets.create({ ...service, name: "readers", nodes: 2, cpuMillis: 500, memoryGbs: 2 });
  emulator.settle();
  const set = { ...service, replicaSetId: id };
  await sets.resize({ ...set, cpuMillis: 1_000, memoryGbs: 4 });
  emulator.settle();
  await sets.enablePooler(set);
  emulator.settle();
  await sets.setEnvironment({ ...set, environment: "PROD" });
  emulator.settle();
  const [found] = await sets.list(service);
  expect(found).toMatchObject({ replicaSetId: id, nodes: 2, cpuMillis: 1_000, memoryGbs: 4, environment: "PROD" });
  expect(found?.connectionPooler?.endpoint).toBeDefined();
  expect((await client.services.get(service)).readReplicaSets).toEqual([found]);
  await sets.disablePooler(set);
  emulator.settle();
  await sets.delete(set);
  emulator.settle();
  expect(await sets.list(service)).toEqual([]);
}
