// What comes out of a service: forks and read replica sets.

import { expect, test } from "vitest";
import { anyNumber, anyText, openWithService } from "../support/emulator";

test("fork: inherits type, region and size; not HA, pooler, VPC, environment or password", async () => {
  const { ask, path, paths, emulator, id } = await openWithService(
    {},
    { environment_tag: "PROD", replica_count: 1, region_code: "eu-west-1" },
  );
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

test("fork: name, size and environment as sent, from a paused parent too", async () => {
  const { ask, path, emulator, id } = await openWithService();
  emulator.mutate.service(id, { paused: true });
  const asked = { name: "copy", cpu_millis: "2000", memory_gbs: "8", environment_tag: "PROD" };
  await ask(202, "POST", `${path}/forkService`, { fork_strategy: "LAST_SNAPSHOT", ...asked });
  emulator.settle();
  expect(emulator.state().services[1]).toMatchObject({
    name: "copy",
    cpuMillis: 2000,
    memoryGbs: 8,
    environment: "PROD",
    status: "READY",
  });
});

test("fork at a point in time: between the creation and now", async () => {
  const { call, path, clock } = await openWithService();
  clock.advance(60_000);
  const fork = (target_time?: string): Promise<{ status: number }> =>
    call("POST", `${path}/forkService`, {
      fork_strategy: "PITR",
      ...(target_time === undefined ? {} : { target_time }),
    });
  expect((await fork()).status).toBe(400);
  expect((await fork("2026-03-01T11:59:59Z")).status).toBe(400);
  expect((await fork("2026-03-01T12:05:00Z")).status).toBe(400);
  expect((await fork("2026-03-01T13:00:30+01:00")).status).toBe(202);
});

test("replica set: creating, active with addresses, resizing, deleting, gone from parent and list", async () => {
  const { ask, askList, paths, id, get, clock } = await openWithService();
  const made = await ask(202, "POST", paths.replicaSets(id), { name: "r", nodes: 2, cpu_millis: 500, memory_gbs: 2 });
  expect(made).toEqual({
    id: anyText,
    name: "r",
    nodes: 2,
    cpu_millis: 500,
    memory_gbs: 2,
    status: "creating",
  });
  const path = paths.replicaSet(id, String(made["id"]));
  clock.advance(100);
  const [active] = await askList(paths.replicaSets(id));
  expect(active).toMatchObject({ status: "active", endpoint: { host: anyText, port: anyNumber } });
  expect((await get())["read_replica_sets"]).toEqual([active]);
  await ask(202, "POST", `${path}/resize`, { cpu_millis: "1000", memory_gbs: "4" });
  expect((await askList(paths.replicaSets(id)))[0]).toMatchObject({ status: "resizing", cpu_millis: 500 });
  clock.advance(100);
  expect((await askList(paths.replicaSets(id)))[0]).toMatchObject({
    status: "active",
    cpu_millis: 1000,
    memory_gbs: 4,
  });
  await ask(202, "DELETE", path);
  expect(await get()).toMatchObject({ status: "UPGRADING", read_replica_sets: [{ status: "deleting" }] });
  clock.advance(100);
  expect(await get()).toMatchObject({ status: "READY", read_replica_sets: [] });
});
