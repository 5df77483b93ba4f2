// Snapshots, reset and the clock: the functions behind the admin API, as a test in the same process calls them.

import { expect, test } from "vitest";
import type { Snapshot } from "../../../emulator/index";
import { kindNames } from "../../../emulator/controlPlane/world/kinds";
import { openEmulator, openWithService, someService } from "../support/emulator";
import { size } from "../support/refusals";

test("a snapshot restores objects, running changes, passwords, ids, ledger and clock", async () => {
  const { emulator, ask, get, path, clock, paths, id } = await openWithService();
  emulator.settings.stale = { ms: 30 };
  const vpcId = emulator.mutate.createVpc({ name: "net" }).id;
  emulator.mutate.createPeering(vpcId);
  emulator.mutate.createReplicaSet(id, { name: "readers" });
  await ask(202, "POST", `${path}/resize`, { cpu_millis: "2000", memory_gbs: "8" });
  clock.advance(40);
  const whole = async () => {
    const now = emulator.clock.now();
    return { state: emulator.state(), ledger: emulator.ledger(), now, seen: await get() };
  };
  const before = await whole();
  const snapshot = emulator.snapshot();
  expect(before.seen["status"]).toBe("UPGRADING");
  expect(new Set(before.ledger.map(({ kind }) => kind))).toEqual(new Set(kindNames));

  clock.advance(5_000);
  await ask(202, "DELETE", path);
  emulator.mutate.deleteVpc(vpcId);
  const madeLater = await ask(202, "POST", paths.services, someService);

  emulator.restore(JSON.parse(JSON.stringify(snapshot)) as Snapshot);
  expect(await whole()).toEqual(before);
  clock.advance(200);
  expect((await get())["resources"]).toMatchObject([{ spec: { cpu_millis: 2000 } }]);
  // What is made up goes on from the snapshot as well.
  const madeAgain = await ask(202, "POST", paths.services, someService);
  expect(madeAgain["service_id"]).toBe(madeLater["service_id"]);
});

test("a snapshot can be restored in another emulator of the same project; endless changes stay endless", async () => {
  const { emulator, ask, id } = await openWithService({ timings: { queued: 0, create: 0, resize: Infinity } });
  await ask(202, "POST", `/projects/${emulator.projectId}/services/${id}/resize`, size);
  const other = await openEmulator();
  other.emulator.restore(emulator.snapshot());
  other.clock.advance(1e9);
  expect(other.emulator.state().services).toMatchObject([{ id, status: "UPGRADING", isBusy: true }]);
  const elsewhere = await openEmulator({ projectId: "another" });
  expect(() => elsewhere.emulator.restore(emulator.snapshot())).toThrow(
    "the snapshot has objects of project proj000001; this emulator has only another",
  );
});

test("an invalid snapshot is refused and changes nothing", async () => {
  const { emulator } = await openWithService();
  const before = emulator.state();
  const good = emulator.snapshot();
  const wrong: object[] = [{}, { ...good, format: 1 }, { ...good, world: { ...good.world, services: [] } }];
  for (const one of wrong) expect(() => emulator.restore(one as Snapshot)).toThrow(/^not a snapshot: /);
  expect(emulator.state()).toEqual(before);
});

test("reset restores the initial state, the ids included", async () => {
  const { emulator, ask, call, paths, id } = await openWithService({ switches: { busyStatus: 423 } });
  emulator.faults.add({ kind: "status", status: 500, times: Infinity });
  emulator.settings.switches.busyStatus = 409;
  emulator.clock.freeze();
  emulator.clock.advance(60_000);
  emulator.reset();
  expect(emulator.state()).toMatchObject({ services: [], vpcs: [] });
  expect([emulator.requests(), emulator.ledger(), emulator.faults.list()]).toEqual([[], [], []]);
  expect(emulator.settings.switches.busyStatus).toBe(423);
  expect(emulator.clock.state().isFrozen).toBe(false);
  expect((await call("GET", paths.services)).status).toBe(200);
  expect((await ask(202, "POST", paths.services, someService))["service_id"]).toBe(id);
});

test("reset gives back what the rate limit has taken", async () => {
  const { emulator, call, paths } = await openEmulator({ rateLimit: { perSecond: 1 } });
  const next = async () => (await call("GET", paths.services)).status;
  expect([await next(), await next()]).toEqual([200, 429]);
  emulator.reset();
  expect(await next()).toBe(200);
});

test("the clock is advanced, frozen, advanced while frozen, and resumed", async () => {
  const { emulator, ask, paths, clock } = await openEmulator();
  const made = await ask(202, "POST", paths.services, someService);
  const status = async () => (await ask(200, "GET", paths.service(String(made["service_id"]))))["status"];
  emulator.clock.freeze();
  clock.advance(1_000);
  expect(await status()).toBe("QUEUED");
  emulator.clock.advance(50);
  expect(await status()).toBe("CONFIGURING");
  emulator.clock.resume();
  expect(await status()).toBe("CONFIGURING");
  clock.advance(60);
  expect(await status()).toBe("READY");
  const before = emulator.clock.now();
  emulator.clock.advance(86_400_000);
  expect(emulator.clock.now() - before).toBe(86_400_000);
});

test("the Date header and the objects' dates use the same clock", async () => {
  const { emulator, call, paths } = await openEmulator();
  emulator.clock.advance(86_400_000);
  const { headers, json } = await call("POST", paths.services, someService);
  const created = Date.parse((json as { created: string }).created);
  expect(Date.parse(headers.get("date") ?? "")).toBe(created - (created % 1_000));
});
