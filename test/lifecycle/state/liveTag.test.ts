// The tag of the live object before a delete, whatever single answers say, and however its letters are written.

import { beforeEach, describe, expect, test } from "vitest";
import type { Fault } from "../../../emulator/index";
import type { Kept } from "../../support/world";
import { done, errorOf, nextRun, onRequest, refreshed, settings, urn, useWorld, world } from "../scene";
import { makeTagged, service, set, TAGGED } from "./taggedScene";

useWorld();

/** What the next read of the service shows in place of its tag. */
function hideTagOnce(id: string): void {
  world.emulator.mutate.service(id, { wire: { metadata: null } });
  onRequest(({ operation }) => {
    if (operation === "getService") world.emulator.mutate.service(id, { wire: { metadata: { environment: "PROD" } } });
  });
}

const failing = (fault: Fault) => (): unknown => world.emulator.faults.add({ ...fault, operation: "getService" });
const pause = { "retry-after": "30" };

test.each<[string, (id: string) => unknown]>([
  ["a 404", failing({ kind: "status", status: 404 })],
  ["a 500", failing({ kind: "status", status: 500 })],
  ["no JSON", failing({ kind: "html" })],
  ["no tag", hideTagOnce],
  ["a 429 that asks for a pause", failing({ kind: "status", status: 429, headers: pause })],
  ["a 503 that asks for a pause", failing({ kind: "status", status: 503, headers: pause })],
])("one wrong answer, %s, deletes neither the service nor its replica set", async (_, answer) => {
  await makeTagged();
  answer(service.id);
  await expect(world.readReplicaSet.remove(set)).rejects.toThrow(TAGGED);
  world.restart();
  answer(service.id);
  await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test("a service whose entry has no tag is protected by the one that it got since", async () => {
  onRequest(() => {
    for (const { id, environment } of world.emulator.state().services) {
      world.emulator.mutate.service(id, { wire: { metadata: environment === "PROD" ? { environment } : {} } });
    }
  });
  const plain = await world.service.create({ name: "orders" });
  expect(plain.outputs).not.toHaveProperty("environment");
  world.emulator.mutate.service(plain.id, { environment: "PROD" });
  world.restart();
  await expect(world.service.remove(plain)).rejects.toThrow(TAGGED);
});

test("a replica set stays where the delete of its replaced service is refused for the tag", async () => {
  await makeTagged();
  const elsewhere = { name: "orders", regionCode: "eu-west-1", allowReplace: true };
  expect(world.service.preview(service, elsewhere).replaces).not.toEqual([]);
  await expect(world.readReplicaSet.removePending(set)).rejects.toThrow(TAGGED);
  await expect(world.service.removePending(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

test.each<[string, number, () => Record<string, string>]>([
  ["may send one request a second", 24, () => ({ maxRequestsPerSecond: "1" })],
  [
    "meet a server that lets few requests through",
    64,
    () => {
      world.emulator.settings.rateLimit = { perSecond: 5, burst: 5 };
      return {};
    },
  ],
])("many deletes that %s wait for the reads of their tags", async (_, count, limits) => {
  const names = Array.from({ length: count }, (_unused, index) => `orders-${index}`);
  const all = await Promise.all(names.map((name) => world.service.create({ name })));
  for (const { id } of all) world.emulator.mutate.service(id, { environment: "PROD" });
  world.calls();
  const limited = world.elsewhere(settings(limits()));
  const ended = await Promise.allSettled(all.map((one) => limited.service.removePending(one)));
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["rejected"]));
  expect(world.calls()).toEqual([]);
});

test.each(["deleteService", "deleteReplicaSet"] as const)(
  "%s that is refused because the service is being tagged is not sent again",
  async (operation) => {
    await makeTagged("DEV");
    const body = { code: "CONFLICT", message: "service is already being updated" };
    world.emulator.faults.add({ kind: "status", status: 409, body, operation, times: 3 });
    onRequest((request) => {
      if (request.operation !== operation) return;
      onRequest(() => undefined);
      world.emulator.mutate.service(service.id, { environment: "PROD" });
    });
    const remove = {
      deleteService: () => world.service.removePending(service),
      deleteReplicaSet: () => world.readReplicaSet.remove(set),
    };
    await expect(remove[operation]()).rejects.toThrow(TAGGED);
    expect(world.emulator.state()).toMatchObject({ services: [{ status: "READY" }], replicaSets: [{}] });
  },
);

describe("the create of a replacement", () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const elsewhere = { ...args, regionCode: "eu-west-1", allowReplace: true };
  let old: Kept;
  beforeEach(async () => {
    old = await world.service.create(args);
    nextRun();
  });

  test.each(["PROD", "prod"])("is refused where the old service was tagged %s since", async (environment) => {
    world.emulator.mutate.service(old.id, { environment: "PROD", wire: { metadata: { environment } } });
    expect(world.service.preview(old, elsewhere).replaces).toEqual(["regionCode"]);
    const { message } = await errorOf(world.service.create(elsewhere));
    expect(message).toMatch(/environment tag PROD.*not replaced; nothing was created/);
    expect(world.calls()).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ["has no such tag", () => undefined],
    ["is gone", () => world.emulator.mutate.deleteService(old.id)],
    [
      "is stopped and left",
      async () => {
        old = await world.service.update(old, { ...args, onDelete: "stop" });
        world.emulator.mutate.service(old.id, { environment: "PROD" });
        world.restart();
      },
    ],
  ])("goes on where the old service %s", async (_, prepare) => {
    await prepare();
    world.service.preview(old, elsewhere);
    await world.service.create(elsewhere);
    expect(world.calls()).toEqual(["createService"]);
  });
});

test("on a server that shows tags in lower case, a create and an update end at once, and a refresh finds no change", async () => {
  onRequest(() => {
    for (const { id, environment } of world.emulator.state().services) {
      world.emulator.mutate.service(id, { wire: { metadata: { environment: environment.toLowerCase() } } });
    }
  });
  const startedMs = world.clock.now();
  let kept = await done(world.service.create({ name: "orders", environment: "DEV" }));
  for (const environment of ["PROD", "DEV"]) {
    const args = { name: "orders", environment };
    kept = await refreshed(await done(world.service.update(kept, args)));
    expect(world.service.preview(kept, args).changes).toBe(false);
    expect(kept.outputs["deletionProtection"]).toBe(environment === "PROD");
    kept = { ...kept, outputs: { ...kept.outputs, deletionProtection: false } };
  }
  expect(world.clock.now() - startedMs).toBeLessThan(120_000);
  expect(world.calls()).toEqual(["createService", "setEnvironment", "setEnvironment"]);
});
