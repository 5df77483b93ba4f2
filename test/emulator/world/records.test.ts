// What the emulator records: the state, the requests, the ledger; and what is done to it out of band.

import { expect, test } from "vitest";
import { openWithVpcAndService, size } from "../support/refusals";
import { openWithService, openEmulator } from "../support/emulator";

test("a request is recorded with operation, parameters, body, caller and outcome", async () => {
  const { call, path, paths, emulator, id, clock } = await openWithService();
  emulator.clearRequests();
  const headers = { "user-agent": "test/1" };
  const answer = await call("POST", `${path}/resize`, size, { headers });
  await call("GET", `${path}/logs?search=a&search=b`);
  await call("GET", paths.service("nope"));
  expect(emulator.requests()).toMatchObject([
    {
      id: answer.headers.get("x-request-id"),
      at: clock.now(),
      operation: "resize",
      method: "POST",
      path: `${path}/resize`,
      params: { project_id: emulator.projectId, service_id: id },
      query: {},
      body: size,
      status: 202,
      refusal: undefined,
      caller: "pat-0",
      userAgent: "test/1",
      fault: undefined,
      committed: true,
      refusedAsBusy: false,
    },
    { operation: "getLogs", query: { search: ["a", "b"] }, body: undefined, committed: false },
    { operation: "getService", committed: false, refusal: expect.stringMatching(/^NOT_FOUND: /) as unknown },
  ]);
});

test("passwords are not in the request log, whatever they came in", async () => {
  const { call, path, emulator } = await openWithService();
  const password = "correct-horse-battery";
  await call("POST", `${path}/updatePassword`, { password });
  await call("POST", `${path}/updatePassword`, { password, extra: { password } });
  await call("POST", `${path}/updatePassword`, undefined, { rawBody: `{"password":"${password}"` });
  const recorded = JSON.stringify(emulator.requests());
  expect(recorded).not.toContain(password);
  expect(recorded).not.toContain(emulator.apiKey);
  expect(emulator.requests().at(-3)?.body).toEqual({ password: "[redacted]" });
});

test("the ledger has every change that took effect, in order, with its author", async () => {
  const { ask, call, fill, emulator, serviceId } = await openWithVpcAndService();
  await ask(202, "POST", fill("S/resize"), size);
  await call("POST", fill("S/resize"), size);
  emulator.settle();
  emulator.mutate.service(serviceId, { name: "renamed" });
  await ask(202, "DELETE", fill("S"));
  const lines = emulator
    .ledger()
    .map(({ by, operation, event, kind, name }) => [by, operation, event, kind, name].join(" "));
  expect(lines).toEqual([
    "api createService created service orders",
    "mutate  created vpc made-by-hand",
    "api resize changed service orders",
    "mutate  changed service renamed",
    "api deleteService deleted service renamed",
  ]);
  const requestIds = new Set(emulator.requests().map((request) => request.id));
  const written = emulator.ledger().filter((entry) => entry.by === "api");
  expect(written.every((entry) => entry.requestId !== undefined && requestIds.has(entry.requestId))).toBe(true);
});

test("a change of the state, which is a copy, has no effect on the world", async () => {
  const { emulator, get } = await openWithService();
  const state = emulator.state();
  for (const service of state.services) Object.assign(service, { name: "hacked", password: "" });
  state.services.length = 0;
  emulator.requests().length = 0;
  emulator.ledger().length = 0;
  expect((await get())["name"]).toBe("orders");
  expect(emulator.requests().length).toBeGreaterThan(0);
  expect(emulator.ledger()).toHaveLength(1);
});

test("mutate.service changes at once, every field of it", async () => {
  const { emulator, id, get } = await openWithService();
  const vpcId = emulator.mutate.createVpc().id;
  emulator.mutate.service(id, {
    name: "drifted",
    cpuMillis: 2000,
    memoryGbs: 8,
    replicaCount: 2,
    syncReplicaCount: 1,
    environment: "PROD",
    poolerEnabled: true,
    vpcId,
    password: "reset-in-the-console",
  });
  expect(await get()).toMatchObject({
    name: "drifted",
    status: "READY",
    resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }],
    ha_replicas: { replica_count: 2, sync_replica_count: 1 },
    metadata: { environment: "PROD" },
    vpc_endpoint: { vpc_id: vpcId },
  });
  expect(await get()).toHaveProperty("connection_pooler");
  expect(emulator.state().services[0]?.password).toBe("reset-in-the-console");
  const wire = { resources: "nonsense", future_field: 1 };
  emulator.mutate.service(id, { vpcId: undefined, paused: true, wire });
  expect(await get()).toMatchObject({ status: "PAUSED", ...wire });
  expect(await get()).not.toHaveProperty("vpc_endpoint");
});

test("a mutation in the middle of a change stays, and one of the status ends the change", async () => {
  const { ask, path, emulator, id, get, clock } = await openWithService({ stale: { reads: 1 } });
  await ask(202, "POST", `${path}/resize`, size);
  emulator.mutate.service(id, { environment: "PROD" });
  expect(await get()).toMatchObject({ status: "READY", metadata: { environment: "PROD" } });
  expect(await get()).toMatchObject({ status: "UPGRADING", metadata: { environment: "PROD" } });
  clock.advance(100);
  expect(await get()).toMatchObject({ metadata: { environment: "PROD" }, resources: [{ spec: { cpu_millis: 1000 } }] });
  await ask(202, "POST", `${path}/stop`);
  emulator.mutate.service(id, { status: "UNSTABLE" });
  expect((await get())["status"]).toBe("UNSTABLE");
});

test.each([0, 100])(
  "a status that is set by hand does not end a delete of %i ms, nor bring the object back",
  async (ms) => {
    const { emulator, ask, call, paths, clock } = await openEmulator({ timings: { peeringDelete: ms } });
    const { mutate } = emulator;
    const vpc = mutate.createVpc();
    const { id } = mutate.createPeering(vpc.id);
    const path = paths.peering(vpc.id, id);
    emulator.faults.add({ kind: "stuck", status: "busy", ms: 5_000, operation: "deletePeering" });
    await ask(204, "DELETE", path);
    clock.advance(5_000 - 1);
    expect(mutate.peering(id, { status: "failed" })).toMatchObject({ id, status: "failed" });
    expect(await ask(200, "GET", path)).toMatchObject({ status: "failed" });
    clock.advance(ms + 1);
    expect((await call("GET", path)).status).toBe(404);
  },
);

test("objects made by hand can be read, changed and removed like any other", async () => {
  const { emulator, ask, askList, call, paths } = await openEmulator();
  const { mutate } = emulator;
  const vpc = mutate.createVpc({ name: "by-hand", cidr: "10.9.0.0/16" });
  const peering = mutate.createPeering(vpc.id);
  const service = mutate.createService({ name: "by-hand", paused: true });
  const set = mutate.createReplicaSet(service.id, { nodes: 3 });
  mutate.vpc(vpc.id, { name: "v2" });
  mutate.peering(peering.id, { status: "INVALID", errorMessage: "gone", provisionedId: undefined });
  mutate.replicaSet(set.id, { status: "error" });
  expect(await ask(200, "GET", paths.vpc(vpc.id))).toMatchObject({ name: "v2", cidr: "10.9.0.0/16" });
  expect(await ask(200, "GET", paths.peering(vpc.id, peering.id))).toMatchObject({
    status: "INVALID",
    error_message: "gone",
  });
  expect(await ask(200, "GET", paths.service(service.id))).toMatchObject({
    status: "PAUSED",
    read_replica_sets: [{ id: set.id, status: "error", nodes: 3 }],
  });
  mutate.deleteReplicaSet(set.id);
  expect(await askList(paths.replicaSets(service.id))).toEqual([]);
  mutate.createReplicaSet(service.id);
  mutate.deleteService(service.id);
  mutate.deletePeering(peering.id);
  mutate.deleteVpc(vpc.id);
  expect((await call("GET", paths.service(service.id))).status).toBe(404);
  expect(emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [], replicaSets: [] });
  expect(emulator.ledger().filter((entry) => entry.event === "deleted")).toHaveLength(5);
});

test("lists have all objects, in an order that is not that of the creations, the same each time", async () => {
  const { emulator, askList, paths } = await openEmulator();
  const made = Array.from({ length: 20 }, () => emulator.mutate.createService().id);
  const listed = async () => (await askList(paths.services)).map((service) => service["service_id"]);
  expect(new Set(await listed())).toEqual(new Set(made));
  expect(await listed()).not.toEqual(made);
  expect(await listed()).toEqual(await listed());
});

test("a VPC that is removed by hand takes its peerings with it, in the ledger too", async () => {
  const { emulator } = await openEmulator();
  const { id } = emulator.mutate.createVpc();
  emulator.mutate.createPeering(id);
  emulator.mutate.deleteVpc(id);
  const deleted = emulator.ledger().filter(({ event }) => event === "deleted");
  expect(deleted.map(({ kind }) => kind)).toEqual(["peering", "vpc"]);
});
