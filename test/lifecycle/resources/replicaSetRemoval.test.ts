// Read replica sets are replaced where no call exists, and deleted, together with their parent too.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept, World } from "../../support/world";
import { openReplicaSetScene, type ReplicaSetScene, URN } from "./replicaSetScene";

let scene: ReplicaSetScene;
let world: World;
let parent: Kept;
beforeEach(async () => {
  scene = await openReplicaSetScene();
  ({ world, parent } = scene);
});
afterEach(() => world.close());

describe("replacement", () => {
  test.each<[string, Values]>([
    ["name", { name: "others" }],
    ["nodes", { nodes: 3 }],
  ])("%s, the new one first", async (key, change) => {
    const kept = await world.readReplicaSet.create(scene.readers({ __urn: URN }));
    world.restart();
    const args = scene.readers({ ...change, __urn: URN });
    expect(world.readReplicaSet.preview(kept, args)).toMatchObject({ replaces: [key], isOldFirst: false });
    const next = await world.readReplicaSet.replace(kept, args);
    expect(next.failed).toBeUndefined();
    expect(world.emulator.state().replicaSets.map((set) => set.id)).toEqual([next.id]);
    const events = world.emulator.ledger().filter((entry) => entry.kind === "replicaSet");
    expect(events.map((entry) => entry.operation)).toEqual([
      "createReplicaSet",
      "createReplicaSet",
      "deleteReplicaSet",
    ]);
  });

  test("an unknown parent is another parent; an unknown size is not", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    expect(world.readReplicaSet.preview(kept, scene.readers({ serviceId: UNKNOWN })).replaces).toEqual(["serviceId"]);
    expect(world.readReplicaSet.preview(kept, scene.readers({ cpuMillis: UNKNOWN, nodes: UNKNOWN })).replaces).toEqual(
      [],
    );
  });
});

describe("deletion", () => {
  test("of the parent and its sets in one go, in either order", async () => {
    const [a, b] = await Promise.all([
      world.readReplicaSet.create(scene.readers({ name: "a" })),
      world.readReplicaSet.create(scene.readers({ name: "b" })),
    ]);
    await Promise.all([world.service.remove(parent), world.readReplicaSet.remove(a), world.readReplicaSet.remove(b)]);
    expect(world.emulator.state()).toMatchObject({ services: [], replicaSets: [] });
  });

  test("of one that is gone already, and of one whose parent is", async () => {
    const [a, b] = await Promise.all([
      world.readReplicaSet.create(scene.readers({ name: "a" })),
      world.readReplicaSet.create(scene.readers({ name: "b" })),
    ]);
    world.emulator.mutate.deleteReplicaSet(a.id);
    await world.readReplicaSet.remove(a);
    world.emulator.mutate.deleteService(parent.id);
    await world.readReplicaSet.remove(b);
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test("is not over because the parent's list of sets is missing from one answer", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.settings.timings.replicaDelete = 20_000;
    let reads = 0;
    scene.onRequest(({ method }) => {
      if (method === "GET") reads += 1;
      world.emulator.mutate.service(parent.id, { wire: { read_replica_sets: reads === 0 ? null : scene.shownSets() } });
    });
    await world.readReplicaSet.remove(kept);
    expect(world.emulator.state().replicaSets).toEqual([]);
    expect(reads).toBeGreaterThan(3);
  });
});

describe("of a protected service", () => {
  const PROD = { name: "orders", environment: "PROD" };
  const OPEN = { ...PROD, deletionProtection: false };
  let service: Kept;
  let set: Kept;
  beforeEach(async () => {
    service = await world.service.update(parent, PROD);
    set = await world.readReplicaSet.create(scene.readers());
    world.restart();
    world.calls();
  });

  test("a set is refused together with its service, before anything is deleted", async () => {
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) {
        // With --refresh the engine reads and compares what is about to be deleted as well.
        service = (await world.service.refresh(service)) ?? service;
        set = (await world.readReplicaSet.refresh(set)) ?? set;
        world.service.compare(service);
        world.readReplicaSet.compare(set);
      }
      await expect(world.readReplicaSet.remove(set)).rejects.toThrow(
        `read replica set readers (${set.id}) belongs to service ${parent.id}, which is protected against deletion`,
      );
      await expect(world.service.remove(service)).rejects.toThrow("is protected against deletion");
    }
    expect(world.calls()).toEqual([]);
  });

  test("a set goes alone while the program still declares the service", async () => {
    world.service.preview(service, PROD);
    await world.readReplicaSet.removePending(set);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("a set is replaced, also where the service itself is not read", async () => {
    const next = await world.readReplicaSet.replace(set, scene.readers({ nodes: 3 }));
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet"]);
  });

  test("what the set knows keeps step with its service, in a preview that says so", async () => {
    world.service.preview(service, OPEN);
    expect(world.readReplicaSet.preview(set, scene.readers())).toMatchObject({ changes: true, operations: [] });
    expect(world.progress.at(-1)).toMatch(/its service is no longer protected against deletion, and this one with it/);
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, scene.readers());
    world.restart();
    await world.readReplicaSet.remove(freed);
    await world.service.remove(open);
    expect(world.calls()).toEqual(["deleteReplicaSet", "deleteService"]);
  });

  test("a set of an unprotected service learns of its protection, and of that by a drifted tag", async () => {
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, scene.readers());
    world.restart();
    const closed = await world.service.update(open, PROD);
    expect(world.readReplicaSet.preview(freed, scene.readers())).toMatchObject({ changes: true, operations: [] });
    const held = await world.readReplicaSet.update(freed, scene.readers());
    world.restart();
    await expect(world.readReplicaSet.remove(held)).rejects.toThrow("belongs to service");
    await expect(world.service.remove(closed)).rejects.toThrow("is protected");
    // A tag that a refresh sees is stored as protection.
    world.restart();
    const plain = await world.service.create({ name: "plain" });
    const beside = await world.readReplicaSet.create(scene.readers({ serviceId: plain.id }));
    world.emulator.mutate.service(plain.id, { environment: "PROD" });
    const drifted = (await world.service.refresh(plain)) ?? plain;
    world.service.preview(drifted, { name: "plain" });
    world.service.preview(drifted, { name: "plain" });
    expect(world.readReplicaSet.preview(beside, scene.readers({ serviceId: plain.id })).changes).toBe(true);
  });

  test("an old state says nothing: no plan comes of it, and a refresh makes it known", async () => {
    const { __owner: _, ...outputs } = set.outputs;
    const old = { ...set, outputs };
    world.service.preview(service, PROD);
    expect(world.readReplicaSet.preview(old, scene.readers()).changes).toBeUndefined();
    world.restart();
    const [, seen = old] = await Promise.all([world.service.refresh(service), world.readReplicaSet.refresh(old)]);
    world.restart();
    await expect(world.readReplicaSet.remove(seen)).rejects.toThrow("belongs to service");
  });
});
