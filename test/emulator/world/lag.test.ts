// Stale answers, lagging lists and 404s of fresh objects, driven over HTTP.

import { expect, test } from "vitest";
import { size } from "../support/refusals";
import { openWithService, openEmulator, someService } from "../support/emulator";

test("after a resize the old READY with the old size shows first, by id and in lists alike", async () => {
  const { ask, askList, path, paths, get, clock } = await openWithService({ stale: { reads: 3 } });
  const shown = async (read: () => Promise<unknown>): Promise<unknown> => {
    const { status, resources } = (await read()) as { status: string; resources: { spec: { cpu_millis: number } }[] };
    return [status, resources[0]?.spec.cpu_millis];
  };
  const listed = async (): Promise<unknown> => (await askList(paths.services))[0];
  expect(await shown(() => ask(202, "POST", `${path}/resize`, size))).toEqual(["READY", 500]);
  for (const read of [get, listed, get]) expect(await shown(read)).toEqual(["READY", 500]);
  expect(await shown(get)).toEqual(["UPGRADING", 500]);
  clock.advance(100);
  expect(await shown(listed)).toEqual(["READY", 1000]);
});

test("a stale READY is refused as busy all the same", async () => {
  const { ask, call, path, get, clock } = await openWithService({ stale: { ms: 500 } });
  await ask(202, "POST", `${path}/resize`, size);
  expect((await get())["status"]).toBe("READY");
  expect((await call("POST", `${path}/stop`)).status).toBe(409);
  clock.advance(100);
  await ask(202, "POST", `${path}/stop`);
});

test("a deleted service shows as READY for a while, then as DELETING, then not at all", async () => {
  const { ask, call, path, get, clock } = await openWithService({ stale: { reads: 1 } });
  await ask(202, "DELETE", path);
  expect((await get())["status"]).toBe("READY");
  expect((await get())["status"]).toBe("DELETING");
  clock.advance(100);
  expect((await call("GET", path)).status).toBe(404);
});

test("old values come back once more after the new ones were seen", async () => {
  const { ask, path, get, clock } = await openWithService({ stale: { comesBack: 1 } });
  await ask(202, "POST", `${path}/setHA`, { replica_count: 1 });
  clock.advance(100);
  const counts = [await get(), await get(), await get()].map((found) => found["ha_replicas"]);
  expect(counts).toMatchObject([{ replica_count: 1 }, { replica_count: 0 }, { replica_count: 1 }]);
});

test("replica sets are stale in their parent", async () => {
  const { ask, paths, id, emulator, get, clock } = await openWithService({ stale: { reads: 1 } });
  const set = emulator.mutate.createReplicaSet(id);
  await ask(202, "POST", `${paths.replicaSet(id, set.id)}/resize`, size);
  const shown = async (): Promise<unknown> => (await get())["read_replica_sets"];
  expect(await shown()).toMatchObject([{ status: "active", cpu_millis: 500 }]);
  expect(await shown()).toMatchObject([{ status: "resizing", cpu_millis: 500 }]);
  clock.advance(100);
  expect(await shown()).toMatchObject([{ status: "active", cpu_millis: 1000 }]);
});

test("a new service, VPC, peering or replica set is missing from lists for so long", async () => {
  const { ask, askList, paths, clock, emulator } = await openEmulator({ listLag: { ms: 50 } });
  const serviceId = emulator.mutate.createService().id;
  await ask(202, "POST", paths.services, someService);
  await ask(202, "POST", paths.replicaSets(serviceId), { name: "r", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  const vpc = await ask(201, "POST", paths.vpcs, { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" });
  const vpcId = String(vpc["id"]);
  await ask(201, "POST", paths.peerings(vpcId), { peer_account_id: "1", peer_region_code: "r", peer_vpc_id: "v" });
  const lists = [paths.services, paths.replicaSets(serviceId), paths.vpcs, paths.peerings(vpcId)];
  const lengths = (): Promise<number[]> => Promise.all(lists.map(async (path) => (await askList(path)).length));
  expect(await lengths()).toEqual([1, 0, 0, 0]);
  clock.advance(50);
  expect(await lengths()).toEqual([2, 1, 1, 1]);
});

test.each([{ ms: 50 }, { reads: 2 }])("a new object answers 404 by id with %j, and lists have it", async (lag) => {
  const { ask, askList, call, paths, clock } = await openEmulator({ notFoundAfterCreate: lag });
  const made = await ask(202, "POST", paths.services, someService);
  const path = paths.service(String(made["service_id"]));
  expect((await call("GET", path)).json).toMatchObject({ message: "no service with that id exists" });
  expect((await call("GET", path)).status).toBe(404);
  expect(await askList(paths.services)).toHaveLength(1);
  clock.advance(50);
  expect((await call("GET", path)).status).toBe(200);
});

test("settings can be changed while it runs, and settle ends every lag", async () => {
  const { ask, emulator, path, get } = await openWithService();
  emulator.settings.stale = { reads: 1 };
  emulator.settings.timings.resize = 0;
  await ask(202, "POST", `${path}/resize`, size);
  expect(await get()).toMatchObject({ resources: [{ spec: { cpu_millis: 500 } }] });
  expect(await get()).toMatchObject({ status: "READY", resources: [{ spec: { cpu_millis: 1000 } }] });
  emulator.settings.stale = { reads: 9 };
  await ask(202, "POST", `${path}/resize`, { cpu_millis: "2000", memory_gbs: "8" });
  emulator.settle();
  expect(await get()).toMatchObject({ resources: [{ spec: { cpu_millis: 2000 } }] });
});

test("durations may be a range or a function of the object, the same for the same object", async () => {
  const { ask, paths, clock, emulator } = await openEmulator({ timings: { queued: 0, create: [2_000, 20_000] } });
  for (let index = 0; index < 50; index += 1) await ask(202, "POST", paths.services, someService);
  const ready = (): number => emulator.state().services.filter((service) => service.status === "READY").length;
  clock.advance(1_999);
  expect(ready()).toBe(0);
  clock.advance(9_001);
  expect(ready()).toBeGreaterThan(10);
  expect(ready()).toBeLessThan(40);
  clock.advance(9_000);
  expect(ready()).toBe(50);
  emulator.settings.timings.create = ({ name }) => (name === "slow" ? 1_000 : 0);
  for (const name of ["slow", "quick"]) await ask(202, "POST", paths.services, { name });
  expect(ready()).toBe(51);
});

test("a clock that is put back hides nothing and begins nothing again", async () => {
  let at = Date.UTC(2030, 0);
  const { ask, askList, paths, emulator } = await openEmulator({ now: () => at });
  const id = String((await ask(202, "POST", paths.services, someService))["service_id"]);
  at += 1_000;
  expect(await ask(200, "GET", paths.service(id))).toMatchObject({ status: "READY" });
  at -= 60_000;
  expect(await ask(200, "GET", paths.service(id))).toMatchObject({ status: "READY" });
  expect(await askList(paths.services)).toHaveLength(1);
  const before = emulator.clock.now();
  at += 7;
  expect(emulator.clock.now()).toBe(before + 7);
});
