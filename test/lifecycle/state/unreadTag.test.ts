// A delete, or the create of a replacement, while nobody can read the tag of the live object.

import { afterEach, beforeEach, expect, test } from "vitest";
import { RefusedError } from "../../../provider/domain/errors";
import { type Kept, openWorld, type World } from "../../support/world";
import { urn } from "./heldScene";
import { TAGGED, tagged } from "./taggedScene";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

type Fault = ReturnType<World["emulator"]["faults"]["add"]>;

const fail = (status: number, headers: Record<string, string> = {}, times = Infinity): Fault =>
  world.emulator.faults.add({ kind: "status", status, headers, operation: "getService", times });

/** Its protection is switched off, and somebody has tagged it PROD since. */
async function switchedOff(): Promise<Kept> {
  const service = await world.service.create({ name: "orders", deletionProtection: false });
  world.emulator.mutate.service(service.id, { environment: "PROD" });
  world.restart();
  world.calls();
  return service;
}

function removeOnceSent(broken: Fault, call: string): void {
  world.onEffect(() => {
    if (world.emulator.requests().some(({ operation }) => operation === call)) broken.remove();
  });
}

const MINUTE_MS = 60_000;

test.each([
  [500, {}],
  [500, { "retry-after": "1" }],
  [503, { "retry-after": "5" }],
])("%i %j: the service is not deleted, and the error says why after five minutes", async (status, headers) => {
  const { service } = await tagged(world);
  fail(status, headers);
  const startedMs = world.clock.now();
  await expect(world.service.remove(service)).rejects.toThrow(
    new RegExp(
      `^service orders .*: for 5 m.* no read told .* protects it \\(getService .*${status}.*; nothing was deleted$`,
    ),
  );
  expect(world.clock.now() - startedMs).toBeGreaterThan(4 * MINUTE_MS);
  expect(world.clock.now() - startedMs).toBeLessThan(7 * MINUTE_MS);
  expect(world.progress.join()).toContain("no read tells yet whether the tag PROD protects it");
  expect(world.calls()).toEqual([]);
});

test("a server that only asks for pauses is obeyed until the deadline", async () => {
  const { service } = await tagged(world);
  fail(429, { "retry-after": "30" });
  await expect(world.service.remove(service)).rejects.toThrow(/^service orders .*: for 45 m.* no read told/);
  expect(world.calls()).toEqual([]);
});

test("a replica set, which holds no data, is deleted after five minutes", async () => {
  const { set } = await tagged(world);
  const broken = fail(500);
  const startedMs = world.clock.now();
  removeOnceSent(broken, "deleteReplicaSet");
  await world.readReplicaSet.remove(set);
  expect(world.clock.now() - startedMs).toBeGreaterThan(4 * MINUTE_MS);
  expect(world.calls()).toEqual(["deleteReplicaSet"]);
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
  removeOnceSent(broken, "deleteService");
  await world.service.remove(service);
  expect(world.clock.now() - startedMs).toBeLessThan(30_000);
  expect(world.calls()).toEqual(["deleteService"]);
});

test("a service that no run has ever read goes, because its tag would not keep it", async () => {
  const broken = fail(500);
  const service = await world.service.create({ name: "orders" });
  expect(service.failed).toBeDefined();
  world.restart();
  world.calls();
  const startedMs = world.clock.now();
  removeOnceSent(broken, "deleteService");
  await world.service.remove(service);
  expect(world.clock.now() - startedMs).toBeLessThan(30_000);
  expect(world.calls()).toEqual(["deleteService"]);
});

test.each<[string, () => void]>([
  ["a pause before a failure is none", () => [fail(503, { "retry-after": "15" }, 1), fail(500, {}, 1)]],
  ["a pause is waited for, whatever the status", () => fail(500, { "retry-after": "60" }, 1)],
])("switched off, and tagged since: %s", async (_name, answer) => {
  const service = await switchedOff();
  answer();
  await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test("switched off: it stays where the server asks for pauses until the deadline", async () => {
  const service = await switchedOff();
  fail(429, { "retry-after": "30" });
  await expect(world.service.remove(service)).rejects.toThrow(/for 45 m.* no read told/);
  expect(world.calls()).toEqual([]);
});

test("a replica set that has less time than that stays, and the error says what helps", async () => {
  const { set } = await tagged(world);
  fail(500);
  const short = { ...set, outputs: { ...set.outputs, timeouts: { delete: "2m" } } };
  const error: unknown = await world.readReplicaSet.remove(short).catch((reason: unknown) => reason);
  if (!(error instanceof RefusedError)) throw error;
  expect(error.fullMessage).toMatch(/for (1 m 5\d|2 m).* no read told/);
  expect(error.fullMessage).toContain("longer time in `timeouts`");
  expect(world.calls()).toEqual([]);
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
