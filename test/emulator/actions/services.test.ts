// What services do over time: statuses, values, addresses, deletion.

import { expect, test } from "vitest";
import { at } from "../support/contractRun";
import { anyNumber, anyText, openWithService, openEmulator, someService } from "../support/emulator";
import type { Json } from "../support/httpClient";

test("create: QUEUED, CONFIGURING, READY by the clock, and nothing moves while the clock stands", async () => {
  const { clock, ask, paths } = await openEmulator();
  const made = await ask(202, "POST", paths.services, someService);
  const path = paths.service(String(made["service_id"]));
  const status = async (): Promise<unknown> => (await ask(200, "GET", path))["status"];
  expect(made["status"]).toBe("QUEUED");
  expect([await status(), await status()]).toEqual(["QUEUED", "QUEUED"]);
  clock.advance(10);
  expect(await status()).toBe("CONFIGURING");
  clock.advance(99);
  expect(await status()).toBe("CONFIGURING");
  clock.advance(1);
  expect(await status()).toBe("READY");
});

test("create: the endpoint is missing first, then has no port, then is whole", async () => {
  const { clock, ask, paths } = await openEmulator();
  const made = await ask(202, "POST", paths.services, someService);
  const endpoint = async (): Promise<unknown> =>
    (await ask(200, "GET", paths.service(String(made["service_id"]))))["endpoint"];
  expect(await endpoint()).toBeUndefined();
  clock.advance(10);
  expect(await endpoint()).toEqual({ host: anyText });
  clock.advance(100);
  expect(await endpoint()).toEqual({ host: anyText, port: anyNumber });
});

test("the answer of a create carries the address, unless a switch says otherwise; that of a fork never does", async () => {
  const { ask, paths, emulator } = await openEmulator();
  const made = await ask(202, "POST", paths.services, someService);
  expect(made).toMatchObject({ status: "QUEUED", endpoint: { host: anyText, port: anyNumber } });
  emulator.settle();
  const path = paths.service(String(made["service_id"]));
  expect((await ask(200, "GET", path))["endpoint"]).toEqual(made["endpoint"]);
  expect(await ask(202, "POST", `${path}/forkService`, { fork_strategy: "NOW" })).not.toHaveProperty("endpoint");
  emulator.settings.switches.createEndpoint = "absent";
  expect(await ask(202, "POST", paths.services, someService)).not.toHaveProperty("endpoint");
});

test("create without duration answers READY with its endpoint at once", async () => {
  const { ask, paths } = await openEmulator({ timings: { queued: 0, create: 0 } });
  const made = await ask(202, "POST", paths.services, someService);
  expect(made).toMatchObject({ status: "READY", endpoint: { port: anyNumber } });
});

test("created: nanoseconds in the POST answer, microseconds in GET, the same instant", async () => {
  const { made, get } = await openWithService();
  expect(made["created"]).toMatch(/^2026-03-01T12:00:00\.\d{9}Z$/);
  const read = String((await get())["created"]);
  expect(read).toMatch(/^2026-03-01T12:00:00\.\d{6}Z$/);
  expect(String(made["created"]).startsWith(read.slice(0, -1))).toBe(true);
});

test("the initial password is 16 characters, in the create answer only, and the one that counts", async () => {
  const { made, get, emulator, askList, paths } = await openWithService();
  expect(made["initial_password"]).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(emulator.state().services[0]?.password).toBe(made["initial_password"]);
  expect(await get()).not.toHaveProperty("initial_password");
  expect((await askList(paths.services))[0]).not.toHaveProperty("initial_password");
});

test.each([
  [{ addons: ["time-series"] }, { service_type: "SERIESDB" }],
  [{ addons: ["time-series", "ai"] }, { service_type: "SERIESDB" }],
  [{ addons: [] }, { service_type: "POSTGRES" }],
  [{ addons: undefined }, { service_type: "SERIESDB" }],
  [{ region_code: undefined }, { region_code: "us-east-1" }],
  [{ region_code: "eu-west-1" }, { region_code: "eu-west-1" }],
  [{ environment_tag: undefined }, { metadata: { environment: "DEV" } }],
  [{ environment_tag: "PROD" }, { metadata: { environment: "PROD" } }],
  [{ replica_count: 2 }, { ha_replicas: { replica_count: 2, sync_replica_count: 0 } }],
  [{ cpu_millis: undefined, memory_gbs: "8" }, { resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }] }],
  [{ cpu_millis: "4000", memory_gbs: undefined }, { resources: [{ spec: { cpu_millis: 4000, memory_gbs: 16 } }] }],
])("create with %j gives %j", async (fields, expected) => {
  const { get } = await openWithService({}, fields);
  expect(await get()).toMatchObject(expected);
});

test("a shared service shows no sizes", async () => {
  const { get } = await openWithService({}, { cpu_millis: "shared", memory_gbs: "shared" });
  expect(at(await get(), "resources.0.spec")).toEqual({ volume_type: "" });
});

test("names are not unique: the same POST twice makes two services with different hosts and ports", async () => {
  const { ask, askList, paths, emulator } = await openWithService();
  await ask(202, "POST", paths.services, someService);
  emulator.settle();
  const [one, other] = await askList(paths.services);
  expect(one?.["name"]).toBe(other?.["name"]);
  expect(at(one, "endpoint.host")).not.toBe(at(other, "endpoint.host"));
  expect(one?.["service_id"]).not.toBe(other?.["service_id"]);
});

test("resize: the new values show only at the end, the answer has the old ones", async () => {
  const { ask, get, path, clock } = await openWithService();
  const answer = await ask(202, "POST", `${path}/resize`, { cpu_millis: "1000", memory_gbs: "4" });
  const small = { resources: [{ spec: { cpu_millis: 500, memory_gbs: 2 } }] };
  expect(answer).toMatchObject({ status: "UPGRADING", ...small });
  clock.advance(99);
  expect(await get()).toMatchObject({ status: "UPGRADING", ...small });
  clock.advance(1);
  expect(await get()).toMatchObject({ status: "READY", resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }] });
});

test("setHA keeps the field that is left out", async () => {
  const { ask, get, path, emulator } = await openWithService();
  await ask(202, "POST", `${path}/setHA`, { replica_count: 2, sync_replica_count: 1 });
  emulator.settle();
  await ask(202, "POST", `${path}/setHA`, { sync_replica_count: 0 });
  emulator.settle();
  expect((await get())["ha_replicas"]).toEqual({ replica_count: 2, sync_replica_count: 0 });
});

test("the pooler is on the same host, on a port of its own that survives off and on", async () => {
  const { ask, get, path, emulator } = await openWithService();
  const on = async (): Promise<unknown> => {
    await ask(200, "POST", `${path}/enablePooler`);
    emulator.settle();
    return (await get())["connection_pooler"];
  };
  const first = await on();
  await ask(200, "POST", `${path}/disablePooler`);
  emulator.settle();
  expect(await get()).not.toHaveProperty("connection_pooler");
  expect(await on()).toEqual(first);
  expect(at(first, "endpoint.host")).toBe(at(await get(), "endpoint.host"));
});

test("attach and detach move primary, pooler and replica addresses, each time", async () => {
  const { ask, get, path, paths, emulator, id } = await openWithService();
  const vpc = emulator.mutate.createVpc();
  await ask(200, "POST", `${path}/enablePooler`);
  emulator.settle();
  await ask(202, "POST", paths.replicaSets(id), { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  emulator.settle();
  const addresses = (found: Json): unknown[] => [
    found["endpoint"] ?? found["vpc_endpoint"],
    found["connection_pooler"],
    at(found, "read_replica_sets.0.endpoint"),
  ];
  const before = addresses(await get());
  await ask(202, "POST", `${path}/attachToVPC`, { vpc_id: vpc.id });
  emulator.settle();
  const inside = await get();
  expect(inside).not.toHaveProperty("endpoint");
  expect(inside["vpc_endpoint"]).toMatchObject({ vpc_id: vpc.id, host: anyText, port: anyNumber });
  expect(inside["vpcEndpoint"]).toEqual(inside["vpc_endpoint"]);
  await ask(202, "POST", `${path}/detachFromVPC`, { vpc_id: vpc.id });
  emulator.settle();
  const outside = await get();
  expect(outside).not.toHaveProperty("vpc_endpoint");
  for (const [index, address] of before.entries()) {
    expect(addresses(inside)[index]).not.toEqual(address);
    expect(addresses(outside)[index]).not.toEqual(address);
    expect(addresses(outside)[index]).not.toEqual(addresses(inside)[index]);
  }
});

test("stop and start pass through PAUSING and RESUMING", async () => {
  const { ask, get, path, clock } = await openWithService();
  expect((await ask(202, "POST", `${path}/stop`))["status"]).toBe("PAUSING");
  clock.advance(100);
  expect((await get())["status"]).toBe("PAUSED");
  expect((await ask(202, "POST", `${path}/start`))["status"]).toBe("RESUMING");
  clock.advance(100);
  expect((await get())["status"]).toBe("READY");
});

test("updatePassword: 204 without a body, repeatable, in effect at once", async () => {
  const { call, path, emulator } = await openWithService();
  for (const password of ["first-secret", "second-secret", "second-secret"]) {
    const answer = await call("POST", `${path}/updatePassword`, { password });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(emulator.state().services[0]?.password).toBe(password);
  }
});

test("rename is in place and at once", async () => {
  const { ask, get, path } = await openWithService();
  const before = await get();
  expect(await ask(200, "POST", `${path}/rename`, { name: "invoices" })).toMatchObject({
    name: "invoices",
    status: "READY",
  });
  expect(await get()).toEqual({ ...before, name: "invoices" });
});

test("delete: DELETING, repeatable meanwhile, then 404 by id and gone from the list, replica sets included", async () => {
  const { ask, call, path, paths, clock, id, emulator, get, askList } = await openWithService();
  await ask(202, "POST", paths.replicaSets(id), { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  emulator.settle();
  const first = await call("DELETE", path);
  expect([first.status, first.text]).toEqual([202, ""]);
  expect(await get()).toMatchObject({ status: "DELETING", read_replica_sets: [{ status: "deleting" }] });
  expect((await call("DELETE", path)).status).toBe(202);
  clock.advance(100);
  expect((await call("GET", path)).json).toMatchObject({
    code: "NOT_FOUND",
    message: "no service with that id exists",
  });
  expect((await call("DELETE", path)).status).toBe(404);
  expect(await askList(paths.services)).toEqual([]);
  expect(emulator.state()).toMatchObject({ services: [], replicaSets: [] });
  const deletions = emulator.ledger().filter((entry) => entry.event === "deleted");
  expect(deletions.map((entry) => entry.kind)).toEqual(["replicaSet", "service"]);
});

test("usage metrics change by themselves, once a minute", async () => {
  const { get, clock } = await openWithService();
  const first = (await get())["metrics"];
  clock.advance(1_000);
  expect((await get())["metrics"]).toEqual(first);
  clock.advance(60_000);
  expect((await get())["metrics"]).not.toEqual(first);
});

test("the same seed gives the same ids and hosts, and never the same password", async () => {
  const [one, other, different] = [
    await openWithService({ seed: 5 }),
    await openWithService({ seed: 5 }),
    await openWithService({ seed: 6 }),
  ];
  const { initial_password: password, ...made } = one.made;
  expect(other.made).toEqual({ ...made, initial_password: expect.not.stringContaining(String(password)) as string });
  expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(one.made["service_id"]).not.toBe(different.made["service_id"]);
  expect(one.made["service_id"]).toMatch(/^[a-z1-9][a-z0-9]{9}$/);
});
