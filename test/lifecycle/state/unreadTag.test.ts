// A delete, or the create of a replacement, while nobody can read the tag of the live object.

import { afterEach, beforeEach, expect, test } from "vitest";
import { openWorld, type World } from "../../support/world";
import { urn } from "./heldScene";
import { TAGGED, tagged } from "./taggedScene";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const fail = (status: number): ReturnType<World["emulator"]["faults"]["add"]> =>
  world.emulator.faults.add({ kind: "status", status, operation: "getService", times: Infinity });

test("neither the service nor its replica set is deleted, and the error says why", async () => {
  const { service, set } = await tagged(world);
  fail(500);
  await expect(world.readReplicaSet.remove(set)).rejects.toThrow(
    /^read replica set readers \(\w+\): for 5 m no read told whether the tag PROD protects it \(getService .*500/,
  );
  world.restart();
  const startedMs = world.clock.now();
  await expect(world.service.remove(service)).rejects.toThrow(/^service orders .*nothing was deleted/);
  expect(world.clock.now() - startedMs).toBeGreaterThan(4 * 60_000);
  expect(world.calls()).toEqual([]);
});

test("an outage of four minutes only delays the answer", async () => {
  const { service } = await tagged(world);
  const outage = fail(502);
  const endMs = world.clock.now() + 4 * 60_000;
  world.onEffect(() => {
    if (world.clock.now() > endMs) outage.remove();
  });
  await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test.each([401, 403])("because the key is refused (%i): it ends at once", async (status) => {
  const { service, set } = await tagged(world);
  fail(status);
  const before = world.emulator.requests().length;
  await expect(world.readReplicaSet.remove(set)).rejects.toThrow(String(status));
  await expect(world.service.remove(service)).rejects.toThrow(String(status));
  expect(world.emulator.requests().length - before).toBeLessThanOrEqual(2);
  expect(world.calls()).toEqual([]);
});

test("the service goes once the program has switched the protection off", async () => {
  const kept = await world.service.create({ name: "orders" });
  const broken = fail(500);
  const service = await world.service.update(kept, { name: "orders", deletionProtection: false });
  expect(service.failed).toBeUndefined();
  world.restart();
  world.calls();
  const startedMs = world.clock.now();
  world.onEffect(() => {
    if (world.emulator.requests().some(({ operation }) => operation === "deleteService")) broken.remove();
  });
  await world.service.remove(service);
  expect(world.clock.now() - startedMs).toBeLessThan(30_000);
  expect(world.calls()).toEqual(["deleteService"]);
});

test("no replacement is created either", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const service = await world.service.create(args);
  world.restart();
  world.calls();
  const elsewhere = { ...args, regionCode: "eu-west-1", allowReplace: true };
  fail(500);
  expect(world.service.preview(service, elsewhere).replaces).toEqual(["regionCode"]);
  await expect(world.service.create(elsewhere)).rejects.toThrow(/no read told .*nothing was created/);
  expect(world.calls()).toEqual([]);
});
