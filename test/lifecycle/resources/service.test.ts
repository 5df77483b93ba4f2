// The life of one service, handler by handler, against the emulator.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const SIZE = { cpuMillis: 500, memoryGbs: 2 };

test("a service is created with everything it is asked for, and an equal program then calls nothing", async () => {
  const vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  world.calls();
  const args = {
    name: "orders",
    regionCode: "us-east-1",
    ...SIZE,
    environment: "PROD",
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    vpcId: vpc.id,
    poolerEnabled: true,
    password: "correct horse",
  };
  const kept = await world.service.create(args);
  expect(kept.failed).toBeUndefined();
  expect(world.calls()).toEqual(["createService", "setHA", "attachToVPC", "enablePooler", "updatePassword"]);
  expect(kept.outputs).toMatchObject({ ...args, deletionProtection: true, status: "READY", paused: false });
  expect(await world.service.update(kept, args)).toBe(kept);
  expect(world.calls()).toEqual([]);
});

test("every change is made in the one order, and nothing else", async () => {
  const kept = await world.service.create({ name: "orders", ...SIZE });
  world.calls();
  const args = { name: "bills", cpuMillis: 1000, memoryGbs: 4, environment: "PROD", poolerEnabled: true, paused: true };
  const next = await world.service.update(kept, args);
  expect(next.failed).toBeUndefined();
  expect(world.calls()).toEqual(["renameService", "setEnvironment", "resize", "enablePooler", "stop"]);
  expect(next.outputs).toMatchObject({ ...args, status: "PAUSED" });
});

test("drift is shown by property and repaired by one update", async () => {
  const args = { name: "orders", ...SIZE, poolerEnabled: true };
  const kept = await world.service.create(args);
  world.emulator.mutate.service(kept.id, { cpuMillis: 1000, memoryGbs: 4, environment: "PROD" });
  const seen = await world.service.refresh(kept);
  expect(seen).toBeDefined();
  if (seen === undefined) return;
  expect(world.service.preview(seen, args).properties).toEqual(["cpuMillis", "memoryGbs"]);
  world.calls();
  const repaired = await world.service.update(seen, args);
  expect(world.calls()).toEqual(["resize"]);
  expect(repaired.outputs).toMatchObject(SIZE);
});

test("delete waits until it is gone, and a protected one is refused", async () => {
  const kept = await world.service.create({ name: "orders", environment: "PROD" });
  await expect(world.service.remove(kept)).rejects.toThrow("protected against deletion");
  const open = await world.service.update(kept, { name: "orders", environment: "PROD", deletionProtection: false });
  await world.service.remove(open);
  expect(world.emulator.state().services).toEqual([]);
});

test("one in trouble says in the preview what is wrong and what can be done, and each of that works", async () => {
  const args = { name: "orders", ...SIZE };
  let kept = await world.service.create(args);
  const look = async (status: string): Promise<string | undefined> => {
    world.emulator.mutate.service(kept.id, { status });
    kept = (await world.service.refresh(kept)) ?? kept;
    world.restart();
    world.warnings.length = 0;
    world.service.preview(kept, args);
    return world.warnings[0];
  };
  expect(await look("UPGRADING")).toBeUndefined();
  expect(await look("DELETING")).toMatch(/was "DELETING" when it was last seen: somebody deletes it/);
  expect(await look("FAILED")).toMatch(/service orders .* was "FAILED" when it was last seen: a change waits/);
  expect(await look("READY")).toBeUndefined();
  expect((await world.service.update(kept, { ...args, poolerEnabled: true })).failed).toBeUndefined();
  await look("FAILED");
  await world.service.remove(kept);
  world.restart();
  const next = await world.service.create(args);
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual([next.id]);
});

describe("an address that comes a moment after READY", () => {
  const gap = async (ms: number, before: object | null = null): Promise<{ kept: Kept; tookMs: number }> => {
    let shownAtMs = Number.POSITIVE_INFINITY;
    const watched = await openWorld({
      onRequest: () => {
        const [made] = watched.emulator.state().services;
        if (made === undefined) return;
        if (made.status === "READY") shownAtMs = Math.min(shownAtMs, watched.clock.now() + ms);
        const isThere = watched.clock.now() >= shownAtMs;
        watched.emulator.mutate.service(made.id, {
          wire: { endpoint: isThere ? { host: "late.example", port: 5432 } : before },
        });
      },
    });
    await world.close();
    world = watched;
    const startedMs = world.clock.now();
    const kept = await world.service.create({ name: "orders" });
    return { kept, tookMs: world.clock.now() - startedMs };
  };

  test.each([null, {}, { host: "", port: 5432 }])("is awaited by the create, after %j", async (before) => {
    const { kept } = await gap(5_000, before);
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs["endpoint"]).toEqual({ host: "late.example", port: 5432 });
    expect(world.warnings).toEqual([]);
  });

  test.each(["in a VPC", "in none"])(
    "is awaited by the create of a service %s, after one without a host",
    async (where) => {
      let firstMs = Number.POSITIVE_INFINITY;
      const late = await openWorld({
        onRequest: () => {
          const [made] = late.emulator.state().services;
          if (made === undefined) return;
          if (made.status === "READY") firstMs = Math.min(firstMs, late.clock.now());
          const isThere = late.clock.now() >= firstMs + 5_000;
          const address = isThere ? { host: "late.example", port: 5432 } : {};
          const inside = { vpc_id: made.vpcId, ...address };
          late.emulator.mutate.service(made.id, {
            wire:
              where === "in none"
                ? { endpoint: address, vpc_endpoint: {} }
                : { vpc_endpoint: inside, vpcEndpoint: inside },
          });
        },
      });
      await world.close();
      world = late;
      const vpc = await world.vpc.create({ name: "network", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
      const args = where === "in a VPC" ? { name: "orders", vpcId: vpc.id } : { name: "orders" };
      const kept = await world.service.create(args);
      expect(kept.failed).toBeUndefined();
      expect(kept.outputs).toMatchObject({ host: "late.example", port: 5432 });
    },
  );

  test("is given up after a while, with a word on the row", async () => {
    const { kept, tookMs } = await gap(3_600_000);
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs).not.toHaveProperty("endpoint");
    expect(world.warnings.at(-1)).toContain("has no endpoint yet");
    expect(tookMs).toBeLessThan(90_000);
  });
});
