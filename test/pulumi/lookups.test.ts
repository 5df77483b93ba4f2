import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../emulator/index";
import {
  getPeering,
  getPeerings,
  getProjects,
  getReadReplicaSets,
  getService,
  getServiceOutput,
  getServices,
  getServicesOutput,
  getVpc,
  getVpcs,
  Provider,
  Service,
  serviceLogs,
} from "../../provider/index";
import type { GetServiceResult } from "../../provider/index";
import { TWO_PROJECTS } from "../support/client";
import { collect, startProgram, valueOf } from "./program";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await createEmulator({
    projects: TWO_PROJECTS,
    callers: [{ token: "second-key", kind: "pat", projectId: "proj000002" }],
  });
});

afterAll(() => emulator.close());

beforeEach(async () => {
  await startProgram({ asksApi: true });
  vi.stubEnv("DBCLOUD_API_KEY", emulator.apiKey);
  vi.stubEnv("DBCLOUD_BASE_URL", emulator.baseUrl);
  for (const { id } of emulator.state().services) emulator.mutate.deleteService(id);
  emulator.clearRequests();
});

test("objects are found by id, and all of them by plural functions", async () => {
  const vpc = emulator.mutate.createVpc({ name: "net-by-id" });
  const peerings = [emulator.mutate.createPeering(vpc.id), emulator.mutate.createPeering(vpc.id)];
  const services = [emulator.mutate.createService({ name: "orders" }), emulator.mutate.createService({})];
  const [{ id: serviceId } = { id: "" }] = services;
  const set = emulator.mutate.createReplicaSet(serviceId);
  const peeringId = peerings[0]?.id ?? "";
  expect(await getVpc({ vpcId: vpc.id })).toMatchObject({ vpcId: vpc.id, name: "net-by-id" });
  expect(await getPeering({ vpcId: vpc.id, peeringId })).toMatchObject({ peeringId });
  const found = await getService({ serviceId });
  const { host, port } = found;
  expect({ host, port }).toEqual(found.vpcEndpoint ?? found.endpoint);
  expect(found.connectionUri).toBe(`postgresql://tsdbadmin@${host}:${port}/tsdb?sslmode=require`);
  expect(found).toMatchObject({ serviceId, name: "orders", projectId: emulator.projectId });
  expect(found.metrics).toBeDefined();
  expect(found.readReplicaSets.map(({ replicaSetId }) => replicaSetId)).toEqual([set.id]);
  expect(found).not.toHaveProperty("initialPassword");

  expect(await getProjects()).toEqual([{ id: "proj000001", name: "first" }]);
  expect((await getVpcs()).map(({ vpcId }) => vpcId)).toContain(vpc.id);
  const idsOf = (list: readonly { id: string }[]): Set<string> => new Set(list.map(({ id }) => id));
  const foundPeerings = await getPeerings({ vpcId: vpc.id });
  expect(new Set(foundPeerings.map((one) => one.peeringId))).toEqual(idsOf(peerings));
  expect(new Set((await getServices()).map((one) => one.serviceId))).toEqual(idsOf(services));
  expect(await getReadReplicaSets({ serviceId })).toMatchObject([{ replicaSetId: set.id }]);
});

test("a name finds the one object that has it", async () => {
  const vpc = emulator.mutate.createVpc({ name: "only-net" });
  const service = emulator.mutate.createService({ name: "only" });
  emulator.mutate.createService({ name: "other" });
  // One that is gone, but still listed.
  const gone = emulator.mutate.createService({ name: "only", wire: { status: "DELETED" } });
  emulator.mutate.createReplicaSet(gone.id);
  expect((await getService({ name: "only" })).serviceId).toBe(service.id);
  expect((await getVpc({ name: "only-net" })).vpcId).toBe(vpc.id);
  expect(await getReadReplicaSets({ serviceId: gone.id })).toEqual([]);
});

test("a name that no object or several objects have is an error that says which", async () => {
  const [name, { mutate }] = ["duplicate", emulator];
  const duplicates = [mutate.createService({ name }), mutate.createService({ name })];
  await expect(getService({ name: "absent" })).rejects.toThrow(
    /no service "absent" in project proj000001[^]*Check the name and the project id[^]*`getServiceOutput`/,
  );
  // A failed look-up can be repeated.
  mutate.createService({ name: "absent" });
  await expect(getService({ name: "absent" })).resolves.toMatchObject({ name: "absent" });
  const failure = await getService({ name }).catch(String);
  expect(failure).toContain("2 of service");
  for (const { id } of duplicates) expect(failure).toContain(id);
});

test.each([{}, { serviceId: "svc", name: "orders" }])(
  "getService(%j) says what it takes, and asks none",
  async (args) => {
    await expect(getService(args)).rejects.toThrow(/of serviceId and name; allowed: exactly one of them/);
    expect(emulator.requests()).toEqual([]);
  },
);

test("an error ends a program with its message and its remedy, and keeps the original", async () => {
  const missing: unknown = await getService({ serviceId: "svc0000000" }).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(pulumi.RunError);
  expect(missing).toMatchObject({ cause: { code: "API", category: "notFound" } });
  expect(String(missing)).toContain("Check the id and the project id");
  vi.stubEnv("DBCLOUD_API_KEY", "");
  const keyless: unknown = await getServices().catch((error: unknown) => error);
  expect(keyless).toMatchObject({ cause: { code: "CONFIG" } });
  expect(String(keyless)).toContain("DBCLOUD_API_KEY");
});

test("a missing id is an error that names it, and asks nothing", async () => {
  const wrong: [(args: never) => Promise<unknown>, object, string][] = [
    [getService, { serviceID: "svc1234567" }, "getService: given neither of serviceId and name"],
    [getPeering, { peeringId: "1" }, "vpcId must be an id"],
    [getPeerings, {}, "vpcId must be an id"],
    [getReadReplicaSets, {}, "serviceId must be an id"],
    [(args) => collect(serviceLogs(args)), {}, "serviceId must be an id"],
  ];
  for (const [ask, args, words] of wrong) await expect(ask(args as never)).rejects.toThrow(words);
  expect(emulator.requests()).toEqual([]);
});

test("a misspelt guard is refused before anything is asked", async () => {
  vi.stubEnv("DBCLOUD_READONLY", "1");
  await expect(getServices({})).rejects.toThrow("did you mean DBCLOUD_READ_ONLY?");
  vi.stubEnv("DBCLOUD_READONLY", "");
  await startProgram({ asksApi: true });
  pulumi.runtime.setAllConfig({ "dbcloud:readonly": "true" });
  await expect(getServices({})).rejects.toThrow("did you mean dbcloud:readOnly?");
  pulumi.runtime.setAllConfig({});
  expect(emulator.requests()).toEqual([]);
});

test("the same look-up sends one request in a run, and another in the next", async () => {
  const { id: serviceId } = emulator.mutate.createService({ name: "orders" });
  const first = await getService({ serviceId });
  first.name = "changed by the program";
  expect((await getService({ serviceId })).name).toBe("orders");
  expect(emulator.requests().filter(({ operation }) => operation === "getService")).toHaveLength(1);
  await startProgram({ asksApi: true });
  emulator.mutate.service(serviceId, { name: "renamed" });
  expect((await getService({ serviceId })).name).toBe("renamed");
});

test("a look-up after resources of the run is not answered with an earlier answer", async () => {
  expect(await getServices()).toHaveLength(0);
  const service = new Service("db");
  await valueOf(service.id);
  emulator.mutate.createService({});
  expect(await valueOf(getServicesOutput({}, { dependsOn: [service] }))).toHaveLength(1);
});

test("an explicit provider's settings win over the environment, also by parent, and stay apart", async () => {
  vi.stubEnv("DBCLOUD_PROJECT_ID", "proj000001");
  const provider = new Provider("second", { apiKey: "second-key", projectId: "proj000002" });
  const parent = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: [provider] });
  emulator.mutate.createService({ name: "here" });
  emulator.mutate.createService({ name: "there", projectId: "proj000002" });
  expect(await getServices()).toMatchObject([{ name: "here" }]);
  expect(await getServices({}, { provider })).toMatchObject([{ name: "there" }]);
  expect(await getServices({}, { parent })).toMatchObject([{ name: "there" }]);
});

test("a look-up sees the variables that its provider sees in place of others", async () => {
  const { id: serviceId } = emulator.mutate.createService({ projectId: "proj000002" });
  vi.stubEnv("SECOND_KEY", "second-key");
  vi.stubEnv("SECOND_PROJECT", "proj000002");
  const envVarMappings = {
    SECOND_KEY: "DBCLOUD_API_KEY",
    SECOND_PROJECT: "DBCLOUD_PROJECT_ID",
    NOT_SET: "DBCLOUD_BASE_URL",
  };
  const provider = new Provider("mapped", {}, { envVarMappings });
  expect((await getServices({}, { provider })).map((one) => one.serviceId)).toContain(serviceId);
  expect((await getServices({})).map((one) => one.serviceId)).not.toContain(serviceId);
});

test("a result is secret if an argument is, and not because of the provider's key", async () => {
  const { id: serviceId } = emulator.mutate.createService({ projectId: "proj000002" });
  const provider = new Provider("second", { apiKey: "second-key" });
  const plain = getServiceOutput({ serviceId }, { provider });
  const secret = getServiceOutput({ serviceId: pulumi.secret(serviceId) }, { provider });
  expect((await valueOf(plain)).serviceId).toBe(serviceId);
  expect(await pulumi.isSecret(plain)).toBe(false);
  expect(await pulumi.isSecret(secret)).toBe(true);
});

test("in a preview, a look-up that depends on a new resource is unknown and sends no request", async () => {
  const program = await startProgram({ asksApi: true, preview: true });
  program.pending.add("db");
  const service = new Service("db", { name: "orders" });
  const group = new pulumi.ComponentResource("test:index:Group", "group");
  program.pending.add("child");
  void new Service("child", {}, { parent: group });
  expect(await valueOf(getServiceOutput({ serviceId: service.serviceId }))).toBeUndefined();
  expect(await valueOf(getServiceOutput({ name: service.name }))).toBeUndefined();
  expect(await valueOf(getServicesOutput({}, { dependsOn: service }))).toBeUndefined();
  expect(await valueOf(getServicesOutput({}, { dependsOn: [group] }))).toBeUndefined();
  expect(emulator.requests()).toEqual([]);
});

test("log entries come page by page, and leaving the loop requests no further one", async () => {
  const { id: serviceId } = emulator.mutate.createService({});
  const from = Date.parse("2026-01-31T12:00:00Z");
  const lines = Array.from({ length: 700 }, (_, index) => ({ message: `entry ${index}`, at: from + index }));
  emulator.mutate.logs(serviceId, lines);
  for await (const entry of serviceLogs({ serviceId, search: ["entry"] })) if (entry.message === "entry 699") break;
  expect(emulator.requests().filter(({ operation }) => operation === "getLogs")).toHaveLength(1);
  const all = await collect(serviceLogs({ serviceId, search: ["entry"] }));
  expect(all.map(({ message }) => message)).toEqual(lines.map(({ message }) => message).toReversed());
});

test("with mocks, functions ask the mocks by name and take lists from a member or as they are", async () => {
  const program = await startProgram();
  program.callAnswer = { serviceId: "svc1234567", name: "orders" };
  const output = getServiceOutput({ serviceId: pulumi.output("svc1234567") });
  expect((await valueOf(output)).name).toBe("orders");
  program.callAnswer = { services: [{ name: "a" }, { name: "b" }] };
  expect((await getServices({ projectId: "p1" })).map(({ name }) => name)).toEqual(["a", "b"]);
  program.callAnswer = [{ name: "c" }];
  expect(await getVpcs()).toEqual([{ name: "c" }]);
  program.callAnswer = { entries: [{ message: "one" }, { message: "two" }] };
  expect(await collect(serviceLogs({ serviceId: "svc1234567", limit: 2 }))).toHaveLength(2);
  expect(program.calls).toEqual([
    { token: "dbcloud:index:getService", inputs: { serviceId: "svc1234567" }, provider: "" },
    { token: "dbcloud:index:getServices", inputs: { projectId: "p1" }, provider: "" },
    { token: "dbcloud:index:getVpcs", inputs: {}, provider: "" },
    { token: "dbcloud:index:serviceLogs", inputs: { serviceId: "svc1234567", limit: 2 }, provider: "" },
  ]);
  expect(emulator.requests()).toEqual([]);
});

test("an Output form gives what its function gives", () => {
  expectTypeOf(getServiceOutput).returns.toEqualTypeOf<pulumi.Output<GetServiceResult>>();
});
