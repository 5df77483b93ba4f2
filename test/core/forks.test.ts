// Forks: from a snapshot, from now, from a moment; what the fork call cannot take is applied afterwards; waiting out a
// parent that is too young; and a database of its own, with its own password and tag.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { ALL, done, errorOf, LARGE, MINUTE_MS, NET, refreshed, useWorld, world } from "./scene";

let parent: Kept;
useWorld({}, async () => {
  parent = await world.service.create({ ...ALL, ...LARGE });
  world.calls();
});

const fork = (more: Values = {}, strategy = "NOW", how: Values = {}) =>
  world.service.create({ name: "copy", forkFrom: { serviceId: parent.id, strategy, ...how }, ...more });

test.each(["LAST_SNAPSHOT", "NOW", "PITR"])("%s: a fork has its parent's size and no more", async (strategy) => {
  await world.clock.sleep(1_000);
  const targetTime = new Date(world.clock.now() - 500).toISOString();
  const how = strategy === "PITR" ? { targetTime } : {};
  const kept = await done(fork({}, strategy, how));
  expect(world.calls()).toEqual(["forkService"]);
  const moment = strategy === "PITR" ? { target_time: targetTime } : {};
  expect(world.requestsOf("forkService")[0]?.body).toEqual({ fork_strategy: strategy, name: "copy", ...moment });
  const forkFrom = { serviceId: parent.id, strategy, ...how };
  expect(kept.outputs).toMatchObject({
    ...LARGE,
    forkFrom,
    forkedFrom: { serviceId: parent.id, isStandby: false },
    environment: "DEV",
    haReplicas: { replicaCount: 0, syncReplicaCount: 0 },
    poolerEnabled: false,
    deletionProtection: false,
  });
  expect(await world.service.update(kept, { name: "copy", forkFrom })).toBe(kept);
  world.restart();
  expect((await refreshed(kept)).outputs).toMatchObject({ forkFrom });
});

test("a fork with every input gets what its call cannot take afterwards", async () => {
  const vpc = await world.vpc.create(NET);
  world.calls();
  const haReplicas = { replicaCount: 2, syncReplicaCount: 1 };
  const { deletionProtection: _, ...all } = ALL;
  const args = { ...all, name: "copy", haReplicas, vpcId: vpc.id, password: "correct horse", paused: true };
  const kept = await done(fork(args));
  expect(world.calls()).toEqual(["forkService", "setHA", "attachToVPC", "enablePooler", "updatePassword", "stop"]);
  expect(kept.outputs).toMatchObject({ ...args, deletionProtection: true, status: "PAUSED" });
  const tags = { fork_strategy: "NOW", name: "copy", environment_tag: "PROD" };
  expect(world.requestsOf("forkService")[0]?.body).toEqual({ ...tags, cpu_millis: "500", memory_gbs: "2" });
});

test("a fork is adopted also where no answer shows of what it is one", async () => {
  const { id } = world.emulator.mutate.createService({ name: "copy" });
  expect((await fork({ adoptId: id })).id).toBe(id);
});

test("a fork has an initial password of its own, which is kept", async () => {
  const kept = await fork();
  const { initialPassword } = kept.outputs;
  expect(initialPassword).toBe(world.emulator.state().services.find(({ id }) => id === kept.id)?.initialPassword);
  expect(initialPassword).not.toBe(parent.outputs["initialPassword"]);
  const next = await world.service.update(kept, { name: "copy", poolerEnabled: true });
  expect((await refreshed(next)).outputs["initialPassword"]).toBe(initialPassword);
});

test("a fork waits for the first backup of a young parent, but no longer than ten minutes", async () => {
  world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 4 * MINUTE_MS });
  await done(fork({}, "LAST_SNAPSHOT"));
  world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 24 * 60 * MINUTE_MS });
  const late = errorOf(fork({ name: "late" }, "LAST_SNAPSHOT"));
  expect(Math.floor((await world.secondsOf(() => late)) / 60)).toBe(10);
  expect((await late).message).toMatch(/doesn't yet have any backups.*; refused for 10 m/);
  expect(world.emulator.state().services).toHaveLength(2);
});

test("a fork waits for a parent that is busy, and for hours where it takes so long itself", async () => {
  Object.assign(world.emulator.settings.timings, { resize: 30_000, fork: 120 * MINUTE_MS });
  const resized = done(world.service.update(parent, ALL));
  const kept = await done(fork({ poolerEnabled: true }));
  await resized;
  expect(kept.outputs["poolerEnabled"]).toBe(true);
  expect(world.overlaps()).toEqual([]);
});

test("a fork waits while a list shows that another process changes the parent, also where the server allows both", async () => {
  world.emulator.settings.switches.busy = "allow";
  world.emulator.mutate.service(parent.id, { status: "UPGRADING" });
  // No list from before is recent enough.
  await world.clock.sleep(5_000);
  const made = done(fork());
  await world.clock.sleep(20_000);
  expect(world.calls()).toEqual([]);
  expect(world.progress).toContain(`forkService: service ${parent.id} is UPGRADING; waiting`);
  world.emulator.mutate.service(parent.id, { status: "READY" });
  await made;
  expect(world.calls()).toEqual(["forkService"]);
});
