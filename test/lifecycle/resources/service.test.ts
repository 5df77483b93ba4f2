// The life of one service, handler by handler. Changes in place and drift are in converge and state.

import { expect, test } from "vitest";
import { ALL, done, NET, refreshed, SMALL, useWorld, world } from "../scene";

useWorld();

test("a service is created with everything it is asked for, and an equal program then calls nothing", async () => {
  const vpc = await world.vpc.create(NET);
  world.calls();
  const args = {
    ...ALL,
    regionCode: "us-east-1",
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    vpcId: vpc.id,
    password: "correct horse",
    deletionProtection: true,
  };
  const kept = await done(world.service.create(args));
  expect(world.calls()).toEqual(["createService", "setHA", "attachToVPC", "enablePooler", "updatePassword"]);
  expect(kept.outputs).toMatchObject({ ...args, status: "READY" });
  expect(await world.service.update(kept, args)).toBe(kept);
  expect(world.calls()).toEqual([]);
});

test("one in trouble says in the preview what is wrong and what can be done, and each of that works", async () => {
  const args = { name: "orders", ...SMALL };
  let kept = await world.service.create(args);
  const look = async (status: string): Promise<string | undefined> => {
    world.emulator.mutate.service(kept.id, { status });
    kept = await refreshed(kept);
    world.restart();
    world.warnings.length = 0;
    world.service.preview(kept, args);
    return world.warnings[0];
  };
  expect(await look("UPGRADING")).toBeUndefined();
  expect(await look("DELETING")).toMatch(/"DELETING" when it was last seen: somebody deletes it/);
  expect(await look("FAILED")).toMatch(/"FAILED" when it was last seen: a change waits/);
  expect(await look("READY")).toBeUndefined();
  await done(world.service.update(kept, { ...args, poolerEnabled: true }));
  await look("FAILED");
  await world.service.remove(kept);
  world.restart();
  const next = await world.service.create(args);
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual([next.id]);
});
