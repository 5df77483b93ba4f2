// The tag of the live object before a delete, whatever single answers say, and however its letters are written.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index";
import { type Kept, openWorld, type World } from "../../support/world";
import { urn } from "./heldScene";
import { SET, TAGGED, tagged } from "./taggedScene";

let world: World;
afterEach(() => world.close());

/** A service with a replica set, tagged PROD in the console since; another process then. */
async function openTagged(options?: EmulatorOptions): Promise<{ service: Kept; set: Kept }> {
  world = await openWorld(options);
  return tagged(world);
}

/** What the next read of the service shows in place of its tag. */
function hideTagOnce(id: string): void {
  const before = world.emulator.requests().length;
  world.emulator.mutate.service(id, { wire: { metadata: null } });
  world.onEffect(() => {
    const isShown = world.emulator
      .requests()
      .slice(before)
      .some(({ operation }) => operation === "getService");
    if (isShown) world.emulator.mutate.service(id, { wire: { metadata: { environment: "PROD" } } });
  });
}

const wrongAnswers: [string, (id: string) => void][] = [
  ["404", () => world.emulator.faults.add({ kind: "status", status: 404, operation: "getService" })],
  ["500", () => world.emulator.faults.add({ kind: "status", status: 500, operation: "getService" })],
  ["no JSON", () => world.emulator.faults.add({ kind: "html", operation: "getService" })],
  ["no tag", hideTagOnce],
];

describe.each(wrongAnswers)("one wrong answer, %s", (_, answer) => {
  test("deletes neither the service nor its replica set", async () => {
    const { service, set } = await openTagged();
    answer(service.id);
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow(TAGGED);
    world.restart();
    answer(service.id);
    await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
    expect(world.calls()).toEqual([]);
  });
});

test("a service whose entry has no tag is protected by the one that it got since", async () => {
  world = await openWorld({
    onRequest: () => {
      for (const { id, environment } of world.emulator.state().services) {
        world.emulator.mutate.service(id, { wire: { metadata: environment === "PROD" ? { environment } : {} } });
      }
    },
  });
  const service = await world.service.create({ name: "orders" });
  expect(service.outputs).not.toHaveProperty("environment");
  world.emulator.mutate.service(service.id, { environment: "PROD" });
  world.restart();
  await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
});

test("a replica set stays where the delete of its replaced service is refused for the tag", async () => {
  const { service, set } = await openTagged();
  const elsewhere = { name: "orders", regionCode: "eu-west-1", allowReplace: true };
  expect(world.service.preview(service, elsewhere).replaces).not.toEqual([]);
  await expect(world.readReplicaSet.removePending(set)).rejects.toThrow(TAGGED);
  await expect(world.service.removePending(service)).rejects.toThrow(TAGGED);
  expect(world.calls()).toEqual([]);
});

/** So many services, tagged PROD in the console since. */
async function openManyTagged(count: number): Promise<Kept[]> {
  world = await openWorld();
  const all: Kept[] = [];
  for (let index = 0; index < count; index += 1) all.push(await world.service.create({ name: `orders-${index}` }));
  for (const { id } of all) world.emulator.mutate.service(id, { environment: "PROD" });
  world.restart();
  world.calls();
  return all;
}

describe("a read that has to wait is no failed one", () => {
  test.each([429, 503])("after one %i with Retry-After: 30", async (status) => {
    const { service } = await openTagged();
    const headers = { "retry-after": "30" };
    world.emulator.faults.add({ kind: "status", status, headers, operation: "getService" });
    await expect(world.service.remove(service)).rejects.toThrow(TAGGED);
    expect(world.calls()).toEqual([]);
  });

  test("where many wait for one request a second", async () => {
    const all = await openManyTagged(24);
    const { baseUrl, apiKey, projectId } = world.emulator;
    const slow = world.elsewhere({ baseUrl, apiKey, projectId, maxRequestsPerSecond: "1" });
    const ended = await Promise.allSettled(all.map((one) => slow.service.removePending(one)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(world.calls()).toEqual([]);
  });

  test("where the server lets few requests through", async () => {
    const all = await openManyTagged(64);
    const { baseUrl, apiKey, projectId } = world.emulator;
    world.emulator.settings.rateLimit = { perSecond: 5, burst: 5 };
    const limited = world.elsewhere({ baseUrl, apiKey, projectId });
    const ended = await Promise.allSettled(all.map((one) => limited.service.removePending(one)));
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(world.calls()).toEqual([]);
  });
});

describe("a delete that is refused, because the service is being tagged", () => {
  const BUSY = { code: "CONFLICT", message: "service is already being updated" };

  /** The tag comes while the server is busy with it. */
  async function openBusy(operation: "deleteService" | "deleteReplicaSet"): Promise<{ service: Kept; set: Kept }> {
    world = await openWorld();
    const service = await world.service.create({ name: "orders" });
    const set = await world.readReplicaSet.create({ ...SET, serviceId: service.id });
    world.restart();
    world.emulator.faults.add({ kind: "status", status: 409, body: BUSY, operation, times: 3 });
    let isTagged = false;
    world.onEffect(() => {
      if (isTagged || !world.emulator.requests().some((request) => request.operation === operation)) return;
      isTagged = true;
      world.emulator.mutate.service(service.id, { environment: "PROD" });
    });
    return { service, set };
  }

  test("is not sent again, for the service or for its set", async () => {
    const { service } = await openBusy("deleteService");
    await expect(world.service.removePending(service)).rejects.toThrow(TAGGED);
    expect(world.emulator.state().services).toMatchObject([{ id: service.id, status: "READY" }]);
    await world.close();
    const { set } = await openBusy("deleteReplicaSet");
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow(TAGGED);
    expect(world.emulator.state().replicaSets).toHaveLength(1);
  });
});

describe("the create of a replacement", () => {
  const args = { name: "orders", regionCode: "us-east-1", ...urn("db") };
  const elsewhere = { ...args, regionCode: "eu-west-1", allowReplace: true };
  let service: Kept;
  beforeEach(async () => {
    world = await openWorld();
    service = await world.service.create(args);
    world.restart();
    world.calls();
  });

  test.each(["PROD", "prod"])("is refused where the old service was tagged %s since", async (environment) => {
    world.emulator.mutate.service(service.id, { environment: "PROD", wire: { metadata: { environment } } });
    expect(world.service.preview(service, elsewhere).replaces).toEqual(["regionCode"]);
    await expect(world.service.create(elsewhere)).rejects.toThrow(
      /environment tag PROD.*not replaced; nothing was created/,
    );
    expect(world.calls()).toEqual([]);
  });

  const others: [string, () => unknown][] = [
    ["has no such tag", () => undefined],
    ["is gone", () => world.emulator.mutate.deleteService(service.id)],
    [
      "is stopped and left",
      async () => {
        service = await world.service.update(service, { ...args, onDelete: "stop" });
        world.emulator.mutate.service(service.id, { environment: "PROD" });
        world.restart();
      },
    ],
  ];

  test.each(others)("goes on where the old service %s", async (_, prepare) => {
    await prepare();
    world.service.preview(service, elsewhere);
    await world.service.create(elsewhere);
    expect(world.calls()).toEqual(["createService"]);
  });
});

describe("a server that shows tags in lower case", () => {
  beforeEach(async () => {
    world = await openWorld({
      onRequest: () => {
        for (const { id, environment } of world.emulator.state().services) {
          world.emulator.mutate.service(id, { wire: { metadata: { environment: environment.toLowerCase() } } });
        }
      },
    });
  });

  test.each(["DEV", "PROD"])(
    "a create and an update with %s end at once, and a refresh finds no change",
    async (tag) => {
      const args = { name: "orders", environment: tag };
      const startedMs = world.clock.now();
      const kept = await world.service.create(args);
      expect(kept.failed).toBeUndefined();
      const other = { ...args, environment: tag === "DEV" ? "PROD" : "DEV" };
      const changed = await world.service.update(kept, other);
      expect(changed.failed).toBeUndefined();
      const seen = (await world.service.refresh(changed)) ?? changed;
      expect(world.service.preview(seen, other).changes).toBe(false);
      expect(world.clock.now() - startedMs).toBeLessThan(120_000);
      expect(world.calls()).toEqual(["createService", "setEnvironment"]);
      expect(seen.outputs["deletionProtection"]).toBe(other.environment === "PROD");
    },
  );
});
