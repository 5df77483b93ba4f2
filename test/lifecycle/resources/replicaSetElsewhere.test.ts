// A replica set and its service under two provider instances. Each instance has a process of its own.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { createRunBus } from "../../support/runBus";
import type { Kept, World } from "../../support/world";
import { openReplicaSetScene, type ReplicaSetScene } from "./replicaSetScene";

let scene: ReplicaSetScene;
let world: World;
beforeEach(async () => {
  scene = await openReplicaSetScene();
  ({ world } = scene);
});
afterEach(() => world.close());

describe("a service under another provider instance, which another process serves", () => {
  let bus = createRunBus();
  /** The next process of the same run. */
  const nextProcess = (): void => world.restart(bus.join());
  const nextRun = (): void => {
    bus = createRunBus();
    nextProcess();
  };
  async function openPair(args: Values): Promise<{ service: Kept; set: Kept }> {
    nextRun();
    const service = await world.service.create({ name: "other", ...args });
    nextProcess();
    const set = await world.readReplicaSet.create(scene.readers({ serviceId: service.id }));
    world.calls();
    return { service, set };
  }

  test("that is tagged PROD keeps the set", async () => {
    const { set } = await openPair({ environment: "PROD" });
    nextRun();
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow("has the environment tag PROD");
    expect(world.calls()).toEqual([]);
  });

  test("that was tagged PROD since keeps the set", async () => {
    const { service, set } = await openPair({});
    world.emulator.mutate.service(service.id, { environment: "PROD" });
    nextRun();
    await expect(world.readReplicaSet.remove(set)).rejects.toThrow("has the environment tag PROD");
  });

  test("lets the set go alone while the program has the service", async () => {
    const { service, set } = await openPair({ environment: "PROD" });
    nextRun();
    world.service.preview(service, { name: "other", environment: "PROD" });
    nextProcess();
    await world.readReplicaSet.removePending(set);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });
});
