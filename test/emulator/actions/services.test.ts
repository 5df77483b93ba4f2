// What services, their forks and their read replica sets do over time: statuses, values, addresses, deletion.

import { expect, test } from "vitest";
import { watchableTimings } from "../../../emulator/index";
import { at } from "../../contract/walk";
import { anyNumber, anyText, openEmulator, openWithService, someService } from "../support/emulator";
import type { Json } from "../support/httpClient";
import { replica, size } from "../support/refusals";

test("a new service is QUEUED, CONFIGURING and READY by the clock, and its endpoint comes in parts", async () => {
  const { clock, ask, paths } = await openEmulator();
  const made = await ask(202, "POST", paths.services, someService);
  const path = paths.service(String(made["service_id"]));
  const shown = async (): Promise<unknown[]> => {
    const { status, endpoint } = await ask(200, "GET", path);
    return [status, endpoint];
  };
  for (let reads = 0; reads < 2; reads += 1) expect(await shown()).toEqual(["QUEUED", undefined]);
  clock.advance(10);
  expect(await shown()).toEqual(["CONFIGURING", { host: anyText }]);
  clock.advance(99);
  expect(await shown()).toEqual(["CONFIGURING", { host: anyText }]);
  clock.advance(1);
  expect(await shown()).toEqual(["READY", { host: anyText, port: anyNumber }]);
});

test("the answer of a create and of a fork carries the address", async () => {
  const { ask, get, made, path, paths, emulator } = await openWithService();
  expect(made).toMatchObject({ status: "QUEUED", endpoint: { host: anyText, port: anyNumber } });
  expect((await get())["endpoint"]).toEqual(made["endpoint"]);
  const fork = await ask(202, "POST", `${path}/forkService`, { fork_strategy: "NOW" });
  expect(fork).toMatchObject({ endpoint: { host: anyText, port: anyNumber } });
  Object.assign(emulator.settings.timings, { queued: 0, create: 0 });
  const quick = await ask(202, "POST", paths.services, someService);
  expect(quick).toMatchObject({ status: "READY", endpoint: { port: anyNumber } });
});

test("the time of creation has nanoseconds in the answer of POST, and microseconds in that of GET", async () => {
  const { made, get } = await openWithService();
  expect(made["created"]).toMatch(/^2026-03-01T12:00:00\.\d{9}Z$/);
  const read = String((await get())["created"]);
  expect(read).toMatch(/^2026-03-01T12:00:00\.\d{6}Z$/);
  expect(String(made["created"]).startsWith(read.slice(0, -1))).toBe(true);
});

test("the initial password is 16 characters, in the create answer only, and the one that counts", async () => {
  const { made, emulator, get, askList, paths } = await openWithService();
  expect(made["initial_password"]).toMatch(/^[A-Za-z0-9]{16}$/);
  expect(emulator.state().services[0]?.password).toBe(made["initial_password"]);
  for (const shown of [await get(), ...(await askList(paths.services))])
    expect(shown).not.toHaveProperty("initial_password");
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
])("a create with %j gives %j", async (fields, expected) => {
  const { get } = await openWithService({}, fields);
  expect(await get()).toMatchObject(expected);
});

test("a shared service shows no sizes", async () => {
  const { get } = await openWithService({}, { cpu_millis: "shared", memory_gbs: "shared" });
  expect(at(await get(), "resources.0.spec")).toEqual({ volume_type: "" });
});

test("a resize shows the new values only at its end, and the answer has the old ones", async () => {
  const { ask, get, path, clock } = await openWithService();
  const small = { resources: [{ spec: { cpu_millis: 500, memory_gbs: 2 } }] };
  expect(await ask(202, "POST", `${path}/resize`, size)).toMatchObject({ status: "UPGRADING", ...small });
  clock.advance(99);
  expect(await get()).toMatchObject({ status: "UPGRADING", ...small });
  clock.advance(1);
  expect(await get()).toMatchObject({ status: "READY", resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }] });
});

test("setHA takes as many synchronous replicas as there are, and keeps the field that is left out", async () => {
  const { ask, get, path, emulator } = await openWithService();
  for (const body of [{ replica_count: 2, sync_replica_count: 2 }, { sync_replica_count: 0 }]) {
    await ask(202, "POST", `${path}/setHA`, body);
    emulator.settle();
  }
  expect((await get())["ha_replicas"]).toEqual({ replica_count: 2, sync_replica_count: 0 });
});

test("the pooler is on the same host, on a port of its own that survives off and on", async () => {
  const { ask, get, path, emulator } = await openWithService();
  const set = async (operation: string): Promise<unknown> => {
    await ask(200, "POST", `${path}/${operation}`);
    emulator.settle();
    return (await get())["connection_pooler"];
  };
  const first = await set("enablePooler");
  expect(await set("disablePooler")).toBeUndefined();
  expect(await set("enablePooler")).toEqual(first);
  const { endpoint } = await get();
  expect(at(first, "endpoint.host")).toBe(at(endpoint, "host"));
  expect(at(first, "endpoint.port")).not.toBe(at(endpoint, "port"));
});

test("attach and detach move primary, pooler and replica addresses, each time", async () => {
  const { ask, get, path, emulator, id } = await openWithService();
  const vpc = emulator.mutate.createVpc();
  emulator.mutate.createReplicaSet(id);
  emulator.mutate.service(id, { poolerEnabled: true });
  const addresses = (found: Json): unknown[] => [
    found["endpoint"] ?? found["vpc_endpoint"],
    found["connection_pooler"],
    at(found, "read_replica_sets.0.endpoint"),
  ];
  const seen = [await get()];
  for (const operation of ["attachToVPC", "detachFromVPC"]) {
    await ask(202, "POST", `${path}/${operation}`, { vpc_id: vpc.id });
    emulator.settle();
    seen.push(await get());
  }
  const [before = {}, inside = {}, outside = {}] = seen;
  expect(inside).not.toHaveProperty("endpoint");
  expect(inside["vpc_endpoint"]).toMatchObject({ vpc_id: vpc.id, host: anyText, port: anyNumber });
  expect(inside["vpcEndpoint"]).toEqual(inside["vpc_endpoint"]);
  expect(outside).not.toHaveProperty("vpc_endpoint");
  for (const index of [0, 1, 2]) {
    const each = [before, inside, outside].map((found) => JSON.stringify(addresses(found)[index]));
    expect(new Set(each).size).toBe(3);
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

test("a deleted service is DELETING, which may be repeated, then gone everywhere with its replica sets", async () => {
  const { call, path, paths, clock, id, emulator, get, askList } = await openWithService();
  emulator.mutate.createReplicaSet(id);
  const first = await call("DELETE", path);
  expect([first.status, first.text]).toEqual([202, ""]);
  expect(await get()).toMatchObject({ status: "DELETING", read_replica_sets: [{ status: "deleting" }] });
  expect((await call("DELETE", path)).status).toBe(202);
  clock.advance(100);
  expect((await call("GET", path)).json).toMatchObject({ code: "NOT_FOUND" });
  expect((await call("DELETE", path)).status).toBe(404);
  expect(await askList(paths.services)).toEqual([]);
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
  const [one, other, different] = await Promise.all([5, 5, 6].map((seed) => openWithService({ seed })));
  const { initial_password: password, ...made } = one?.made ?? {};
  expect(other?.made).toEqual({ ...made, initial_password: expect.not.stringContaining(String(password)) as string });
  expect(made["service_id"]).not.toBe(different?.made["service_id"]);
  expect(made["service_id"]).toMatch(/^[a-z1-9][a-z0-9]{9}$/);
});

test("a fork inherits type, region and size; not HA, pooler, environment or password", async () => {
  const fields = { environment_tag: "PROD", replica_count: 1, region_code: "eu-west-1" };
  const { ask, path, paths, emulator, id } = await openWithService({}, fields);
  emulator.mutate.service(id, { poolerEnabled: true });
  const made = await ask(202, "POST", `${path}/forkService`, { fork_strategy: "NOW" });
  emulator.settle();
  const fork = await ask(200, "GET", paths.service(String(made["service_id"])));
  expect(fork).toMatchObject({
    name: "orders-fork",
    service_type: "SERIESDB",
    region_code: "eu-west-1",
    resources: [{ spec: { cpu_millis: 500, memory_gbs: 2 } }],
    ha_replicas: { replica_count: 0, sync_replica_count: 0 },
    metadata: { environment: "DEV" },
    forked_from: { service_id: id, project_id: emulator.projectId, is_standby: false },
  });
  expect(fork).not.toHaveProperty("connection_pooler");
  expect(made["initial_password"]).not.toBe(emulator.state().services[0]?.password);
});

test("a fork has the name, size and environment that were sent, from a paused parent too", async () => {
  const { ask, path, emulator, id } = await openWithService();
  emulator.mutate.service(id, { paused: true });
  const asked = { name: "copy", cpu_millis: "2000", memory_gbs: "8", environment_tag: "PROD" };
  await ask(202, "POST", `${path}/forkService`, { fork_strategy: "LAST_SNAPSHOT", ...asked });
  emulator.settle();
  const expected = { name: "copy", cpuMillis: 2000, memoryGbs: 8, environment: "PROD", status: "READY" };
  expect(emulator.state().services[1]).toMatchObject(expected);
});

test.each([
  ["2026-03-01T11:59:59Z", 400],
  ["2026-03-01T12:05:00Z", 400],
  ["2026-03-01T13:00:30+01:00", 202],
])("a fork of the moment %s, a minute after the service was made at 12:00, is %i", async (moment, status) => {
  const { call, path, clock } = await openWithService();
  clock.advance(60_000);
  const body = { fork_strategy: "PITR", target_time: moment };
  expect((await call("POST", `${path}/forkService`, body)).status).toBe(status);
});

test("a replica set is creating, active with addresses, resizing and deleting, then gone from parent and list", async () => {
  const { ask, askList, paths, id, get, clock } = await openWithService();
  const made = await ask(202, "POST", paths.replicaSets(id), replica);
  expect(made).toEqual({ id: anyText, ...replica, status: "creating" });
  const path = paths.replicaSet(id, String(made["id"]));
  clock.advance(100);
  const [active] = await askList(paths.replicaSets(id));
  expect(active).toMatchObject({ status: "active", endpoint: { host: anyText, port: anyNumber } });
  expect((await get())["read_replica_sets"]).toEqual([active]);
  await ask(202, "POST", `${path}/resize`, size);
  expect((await askList(paths.replicaSets(id)))[0]).toMatchObject({ status: "resizing", cpu_millis: 500 });
  clock.advance(100);
  const [resized] = await askList(paths.replicaSets(id));
  expect(resized).toMatchObject({ status: "active", cpu_millis: 1000, memory_gbs: 4 });
  await ask(202, "DELETE", path);
  expect(await get()).toMatchObject({ status: "UPGRADING", read_replica_sets: [{ status: "deleting" }] });
  clock.advance(100);
  expect(await get()).toMatchObject({ status: "READY", read_replica_sets: [] });
});

test("a tag is there at once, and the next change is taken", async () => {
  const { ask, get, path } = await openWithService({ timings: watchableTimings });
  await ask(200, "POST", `${path}/setEnvironment`, { environment: "PROD" });
  expect(await get()).toMatchObject({ status: "READY", metadata: { environment: "PROD" } });
  await ask(202, "POST", `${path}/stop`);
});
