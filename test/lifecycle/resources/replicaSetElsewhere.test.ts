// A replica set and its service under two provider instances. Each instance has a process of its own, and the processes of one
// run tell each other what they keep and what is protected.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { createSiblingProcesses } from "../../../provider/host/siblingProcesses";
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
  let folder: string;
  let pid = 0;
  let run = 0;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "siblings-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The next process of the same run. */
  const nextProcess = (): void => {
    world.restart();
    pid += 1;
    const siblings = createSiblingProcesses({ engine: `127.0.0.1:${run}`, folder, pid, isAlive: () => true });
    Object.assign(world.memory, { siblings });
  };
  const nextRun = (): void => {
    run += 1;
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

  test.each([{ environment: "PROD" }, { deletionProtection: true }])(
    "that is protected by %j keeps the set",
    async (args) => {
      const { set } = await openPair(args);
      nextRun();
      await expect(world.readReplicaSet.remove(set)).rejects.toThrow("which is protected against deletion");
      expect(world.calls()).toEqual([]);
    },
  );

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
    await world.readReplicaSet.remove(set);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("whose protection ends with an update lets the set go, also one of an older state", async () => {
    const { service, set } = await openPair({ environment: "PROD" });
    const OPEN = { name: "other", environment: "PROD", deletionProtection: false };
    const old = { ...set, outputs: { ...set.outputs, __owner: "untagged" } };
    for (const before of [set, old]) {
      nextRun();
      const freed = await world.service.update(service, OPEN);
      world.service.preview(freed, OPEN);
      nextProcess();
      const args = scene.readers({ serviceId: service.id });
      expect(world.readReplicaSet.preview(before, args).changes).toBe(true);
      const open = await world.readReplicaSet.update(before, args);
      expect(open.outputs["__owner"]).toBe("unprotected");
    }
    const open = { ...set, outputs: { ...set.outputs, __owner: "unprotected" } };
    nextRun();
    await world.readReplicaSet.remove(open);
  });
});
