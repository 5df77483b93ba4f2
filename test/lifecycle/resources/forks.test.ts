// Forks: from a snapshot, from now, from a moment; what the fork call cannot take is applied afterwards; waiting out a
// parent that is too young; and a database of its own, with its own password and tag.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
let parent: Kept;
beforeEach(async () => {
  world = await openWorld();
  parent = await world.service.create({
    name: "orders",
    cpuMillis: 1000,
    memoryGbs: 4,
    environment: "PROD",
    haReplicas: { replicaCount: 1 },
    poolerEnabled: true,
  });
  world.calls();
});
afterEach(() => world.close());

function from(strategy: string, more: Values = {}): Values {
  return { serviceId: parent.id, strategy, ...more };
}

function truthOf(kept: Kept): Record<string, unknown> {
  return { ...world.emulator.state().services.find((service) => service.id === kept.id) };
}

describe("the strategies", () => {
  test.each(["LAST_SNAPSHOT", "NOW"])("%s", async (strategy) => {
    const kept = await world.service.create({ name: "copy", forkFrom: from(strategy) });
    expect(kept.failed).toBeUndefined();
    expect(world.calls()).toEqual(["forkService"]);
    expect(kept.outputs).toMatchObject({
      forkFrom: from(strategy),
      forkedFrom: { serviceId: parent.id, isStandby: false },
      status: "READY",
    });
  });

  test("PITR sends the moment", async () => {
    await world.clock.sleep(1_000);
    const targetTime = new Date(world.clock.now() - 500).toISOString();
    const kept = await world.service.create({ name: "copy", forkFrom: from("PITR", { targetTime }) });
    expect(kept.failed).toBeUndefined();
    const call = world.emulator.requests().find((request) => request.operation === "forkService");
    expect(call?.body).toMatchObject({ fork_strategy: "PITR", target_time: targetTime, name: "copy" });
  });

  test.each<[string, Values, string]>([
    ["PITR without a time", { strategy: "PITR" }, "forkFrom.targetTime: is missing"],
    ["a time without PITR", { strategy: "NOW", targetTime: "2026-01-01T00:00:00Z" }, "forkFrom.targetTime: given"],
    ["an unknown strategy", { strategy: "LATER" }, "forkFrom.strategy: given"],
  ])("%s is an error in preview", async (_name, forkFrom, error) => {
    await expect(
      world.service.create({ name: "copy", forkFrom: { serviceId: parent.id, ...forkFrom } }),
    ).rejects.toThrow(error);
    expect(world.calls()).toEqual([]);
  });

  test.each<[string, Values]>([
    ["regionCode", { regionCode: "us-east-1" }],
    ["addons", { addons: [] }],
  ])("%s beside forkFrom is an error at creation", async (path, more) => {
    await expect(world.service.create({ name: "copy", forkFrom: from("NOW"), ...more })).rejects.toThrow(
      `${path}: given`,
    );
    expect(world.calls()).toEqual([]);
  });
});

describe("what the fork call takes, and what comes after", () => {
  test("without other inputs: sizes of the parent, no replicas, no pooler, DEV", async () => {
    const kept = await world.service.create({ name: "copy", forkFrom: from("NOW") });
    expect(kept.outputs).toMatchObject({
      cpuMillis: 1000,
      memoryGbs: 4,
      environment: "DEV",
      haReplicas: { replicaCount: 0, syncReplicaCount: 0 },
      poolerEnabled: false,
      deletionProtection: false,
    });
    expect(await world.service.update(kept, { name: "copy", forkFrom: from("NOW") })).toBe(kept);
  });

  test("with every input", async () => {
    const vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    world.calls();
    const args = {
      name: "copy",
      forkFrom: from("NOW"),
      cpuMillis: 500,
      memoryGbs: 2,
      environment: "PROD",
      haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
      vpcId: vpc.id,
      poolerEnabled: true,
      password: "correct horse",
      paused: true,
    };
    const kept = await world.service.create(args);
    expect(kept.failed).toBeUndefined();
    expect(world.calls()).toEqual(["forkService", "setHA", "attachToVPC", "enablePooler", "updatePassword", "stop"]);
    expect(kept.outputs).toMatchObject({ ...args, deletionProtection: true, status: "PAUSED" });
    const call = world.emulator.requests().find((request) => request.operation === "forkService");
    expect(call?.body).toEqual({
      fork_strategy: "NOW",
      name: "copy",
      cpu_millis: "500",
      memory_gbs: "2",
      environment_tag: "PROD",
    });
  });

  test("it has a password of its own, which is kept", async () => {
    const kept = await world.service.create({ name: "copy", forkFrom: from("NOW") });
    expect(kept.outputs["initialPassword"]).toBe(truthOf(kept)["initialPassword"]);
    expect(kept.outputs["initialPassword"]).not.toBe(parent.outputs["initialPassword"]);
    const next = await world.service.update(kept, { name: "copy", forkFrom: from("NOW"), poolerEnabled: true });
    const seen = await world.service.refresh(next);
    expect(seen?.outputs["initialPassword"]).toBe(kept.outputs["initialPassword"]);
  });
});

describe("waiting", () => {
  test("for the first backup of a young parent", async () => {
    world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 4 * 60_000 });
    const kept = await world.service.create({ name: "copy", forkFrom: from("LAST_SNAPSHOT") });
    expect(kept.failed).toBeUndefined();
    expect(world.emulator.ledger().filter((entry) => entry.event === "created")).toHaveLength(2);
  });

  test("for that no longer than ten minutes, and says so", async () => {
    world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 24 * 3_600_000 });
    const startedMs = world.clock.now();
    await expect(world.service.create({ name: "copy", forkFrom: from("LAST_SNAPSHOT") })).rejects.toThrow(
      "doesn't yet have any backups or snapshots available",
    );
    expect(world.clock.now() - startedMs).toBeGreaterThanOrEqual(10 * 60_000);
    expect(world.clock.now() - startedMs).toBeLessThan(11 * 60_000);
    expect(world.emulator.state().services).toHaveLength(1);
  });

  test("for a parent that is busy", async () => {
    world.emulator.settings.timings.resize = 30_000;
    const updated = world.service.update(parent, {
      ...Object.fromEntries(Object.entries(parent.inputs).filter(([key]) => !key.startsWith("__"))),
      cpuMillis: 2000,
      memoryGbs: 8,
    });
    const kept = await world.service.create({ name: "copy", forkFrom: from("NOW") });
    expect((await updated).failed).toBeUndefined();
    expect(kept.failed).toBeUndefined();
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });

  test("for hours where the fork takes so long", async () => {
    world.emulator.settings.timings.fork = 2 * 3_600_000;
    const kept = await world.service.create({ name: "copy", forkFrom: from("NOW"), poolerEnabled: true });
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs["poolerEnabled"]).toBe(true);
  });
});

describe("refusals", () => {
  test("a name that exists: nothing is forked", async () => {
    world.emulator.mutate.createService({ name: "copy" });
    world.restart();
    await expect(world.service.create({ name: "copy", forkFrom: from("NOW") })).rejects.toThrow(
      'there is already service "copy"',
    );
    expect(world.calls()).toEqual([]);
  });

  test("a VPC of another region than the parent's: nothing is forked", async () => {
    const far = await world.vpc.create({ name: "far", cidr: "10.0.0.0/24", regionCode: "eu-west-1" });
    world.calls();
    await expect(world.service.create({ name: "copy", forkFrom: from("NOW"), vpcId: far.id })).rejects.toThrow(
      "is in eu-west-1, the service in us-east-1",
    );
    expect(world.calls()).toEqual([]);
  });

  test("a parent that does not exist", async () => {
    const forkFrom = { serviceId: "nobody0000", strategy: "NOW" };
    await expect(world.service.create({ name: "copy", forkFrom })).rejects.toThrow("404");
    expect(world.emulator.state().services).toHaveLength(1);
  });
});
