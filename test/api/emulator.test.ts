// The client against a whole control plane that shares no code with it: every operation, the ways in which deployments
// differ, and the faults that networks and servers have.

import { describe, expect, onTestFinished, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { type Client, type ClientOptions, createClient, operationList, type Service } from "../../provider/client";
import { failureOf } from "../support/client";
import { createTestClock } from "../support/clock";

interface Pair {
  emulator: Emulator;
  client: Client;
}

async function connect(options: EmulatorOptions = {}, clientOptions: Partial<ClientOptions> = {}): Promise<Pair> {
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
async function walk({ emulator, client }: Pair): Promise<Service> {
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

describe("every operation, wherever it is deployed", () => {
  const switches: [string, EmulatorOptions["switches"]][] = [
    ["as documented", {}],
    ["null for absent, and members nobody knows", { nullFields: true, unknownFields: true, omitZeroHa: true }],
    ["former spellings", { vpcEndpointSpelling: "vpcEndpoint", cursorSpelling: "lastCursor", logEntries: false }],
    ["lower-case words", { statusCase: "lower", endpointInVpc: "empty" }],
    ["upper-case words", { statusCase: "upper", renameVpcAnswer: "vpc" }],
    ["ids of all letters", { idLooks: "hostile" }],
    ["asynchronous VPCs", { vpcStatus: true, endpointGapReads: 2 }],
  ];
  test.each(switches)("%s", async (_, given) => {
    const pair = await connect({ switches: given ?? {} });
    await walk(pair);
    const called = new Set(pair.emulator.requests().map(({ operation }) => operation));
    expect(called).toEqual(new Set(operationList.map(({ name }) => name)));
  });
});

describe("refusals", () => {
  test("are told apart by what they mean", async () => {
    const { emulator, client } = await connect();
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    const service = { ...project, serviceId };
    const sizes = { cpuMillis: 1_000, memoryGbs: 4 };
    expect(await failureOf(client.services.resize({ ...service, ...sizes }))).toMatchObject({ category: "conflict" });
    emulator.settings.timings.firstBackup = Infinity;
    emulator.settle();
    const fork = await failureOf(client.services.get({ ...project, serviceId: "svc9999999" }));
    expect(fork).toMatchObject({ category: "notFound", apiCode: "NOT_FOUND" });
    const other = await failureOf(client.services.list({ projectId: "nobodys" }));
    expect(other).toMatchObject({ code: "API", category: expect.stringMatching(/forbidden|notFound/) as string });
  });

  test.each(["full", "message", "other", "html", "empty"] as const)("with a body that is %s", async (errorBody) => {
    const { emulator, client } = await connect({ switches: { errorBody } });
    const error = await failureOf(client.services.get({ projectId: emulator.projectId, serviceId: "svc9999999" }));
    expect(error).toMatchObject({ code: "API", status: 404, category: "notFound", operation: "getService" });
  });

  test("a key that is not accepted", async () => {
    const { client } = await connect({}, { apiKey: "not-the-key" });
    const error = await failureOf(client.projects.list());
    expect(error).toMatchObject({ category: "auth", hint: expect.stringContaining("DBCLOUD_API_KEY") as string });
    expect(JSON.stringify(error) + String(error)).not.toContain("not-the-key");
  });

  test("a server that shows only what is documented", async () => {
    const { emulator, client } = await connect({ profile: "documented" });
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    emulator.settle();
    const service = { ...project, serviceId };
    for (const call of [
      () => client.services.delete(service),
      () => client.services.start(service),
      () => client.services.rename({ ...service, name: "x" }),
      () => client.readReplicaSets.list(service),
    ]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ category: expect.stringMatching(/absentRoute|notFound/) as string });
    }
    expect(emulator.state().services).toHaveLength(1);
  });
});

describe("faults", () => {
  test("reads and deletes get through whatever happens in between", async () => {
    const { emulator, client } = await connect();
    const project = { projectId: emulator.projectId };
    const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
    emulator.settle();
    for (const fault of [
      { kind: "lostBefore" },
      { kind: "lostAfter" },
      { kind: "status", status: 503, headers: { "retry-after": "30" } },
      { kind: "html" },
      { kind: "truncate" },
      { kind: "status", status: 429 },
    ] as const) {
      emulator.faults.add({ ...fault, times: 2 });
      expect(await client.services.list(project)).toHaveLength(1);
    }
    emulator.faults.add({ kind: "lostAfter", operation: "deleteService" });
    const gone = await client.services.delete({ ...project, serviceId }).catch((error: unknown) => error);
    expect([undefined, "notFound"]).toContain(gone instanceof Error && "category" in gone ? gone.category : gone);
  });

  test.each([
    ["lostBefore", 0],
    ["lostAfter", 1],
    ["truncate", 1],
  ] as const)("a create that is struck by %s is left to the caller, and sent once", async (kind, services) => {
    const { emulator, client } = await connect();
    emulator.faults.add({ kind, operation: "createService", times: Infinity });
    const error = await failureOf(client.services.create({ projectId: emulator.projectId, name: "orders" }));
    expect(error).toMatchObject({ code: "TRANSPORT", sent: "maybe" });
    expect(emulator.state().services).toHaveLength(services);
    expect(emulator.requests().filter(({ operation }) => operation === "createService")).toHaveLength(1);
  });

  test("a create that makes no sense, and one that is told to wait", async () => {
    const { emulator, client } = await connect();
    const create = (): Promise<unknown> => client.services.create({ projectId: emulator.projectId, name: "orders" });
    emulator.faults.add({ kind: "garbage", operation: "createService" });
    expect(await failureOf(create())).toMatchObject({ code: "CONTRACT" });
    emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 3 });
    await create();
    expect(emulator.state().services).toHaveLength(1);
  });

  test("a redirect takes the key nowhere", async () => {
    const { emulator: elsewhere } = await connect();
    const { emulator, client } = await connect();
    emulator.faults.add({ kind: "redirect", location: `${elsewhere.baseUrl}/projects` });
    expect(await failureOf(client.projects.list())).toMatchObject({ status: 307, category: "badRequest" });
    expect(elsewhere.requests()).toEqual([]);
  });

  test("a server that was down comes back", async () => {
    const { emulator, client } = await connect();
    const down = emulator.faults.add({ kind: "down" });
    setTimeout(() => down.remove(), 5);
    const deadlineMs = Number.POSITIVE_INFINITY;
    expect(await client.projects.list({ deadlineMs })).toHaveLength(1);
  });

  test("a rate limit is kept to", async () => {
    const { emulator, client } = await connect({ rateLimit: { perSecond: 1_000, burst: 1, retryAfterSeconds: 1 } });
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    await Promise.all(names.map((name) => client.services.create({ projectId: emulator.projectId, name })));
    expect(emulator.state().services).toHaveLength(20);
  });
});

test("log pages follow each other to the end", async () => {
  const { emulator, client } = await connect();
  const project = { projectId: emulator.projectId };
  const { id: serviceId } = await client.services.create({ ...project, name: "orders" });
  emulator.settle();
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.services.logs({ ...project, serviceId, cursor });
    expect(page.entries?.map(({ message }) => message)).toEqual(page.logs);
    seen.push(...page.logs);
    cursor = page.lastCursor;
  } while (cursor !== undefined);
  expect(new Set(seen).size).toBeGreaterThan(0);
});
