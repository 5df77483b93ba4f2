// Read replica sets: made beside a parent that may be busy or too young, found through it, and changed in place.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Kept, World } from "../../support/world";
import { openReplicaSetScene, type ReplicaSetScene } from "./replicaSetScene";

let scene: ReplicaSetScene;
let world: World;
let parent: Kept;
beforeEach(async () => {
  scene = await openReplicaSetScene();
  ({ world, parent } = scene);
});
afterEach(() => world.close());

describe("creation", () => {
  test("sends numbers, waits until it is active, then does what the call cannot take", async () => {
    const kept = await world.readReplicaSet.create(scene.readers({ poolerEnabled: true, environment: "PROD" }));
    expect(kept.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "setReplicaEnvironment", "enableReplicaPooler"]);
    const call = world.emulator.requests().find((request) => request.operation === "createReplicaSet");
    expect(call?.body).toEqual({ name: "readers", nodes: 2, cpu_millis: 500, memory_gbs: 2 });
    expect(kept.outputs).toMatchObject({
      ...scene.readers(),
      poolerEnabled: true,
      environment: "PROD",
      status: "active",
    });
    expect(kept.outputs["endpoint"]).toHaveProperty("host");
    expect(await world.readReplicaSet.update(kept, scene.readers({ poolerEnabled: true, environment: "PROD" }))).toBe(
      kept,
    );
  });

  test("waits for a busy parent, and three sets are made one after the other", async () => {
    world.emulator.settings.timings.resize = 20_000;
    const resizedService = world.service.update(parent, { name: "orders", cpuMillis: 1000, memoryGbs: 4 });
    const sets = await Promise.all(
      ["a", "b", "c"].map((name) => world.readReplicaSet.create(scene.readers({ name, poolerEnabled: true }))),
    );
    expect((await resizedService).failed).toBeUndefined();
    expect(sets.map((set) => set.failed)).toEqual([undefined, undefined, undefined]);
    expect(
      world.emulator
        .state()
        .replicaSets.map((set) => set.name)
        .toSorted(),
    ).toEqual(["a", "b", "c"]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });

  describe("an endpoint that comes after `active`", () => {
    /** Shows no endpoint before that time has passed since the set was first active. */
    const hideFor = (hiddenMs: number, before: unknown = null): void => {
      let firstMs = Number.POSITIVE_INFINITY;
      scene.onRequest(() => {
        const [made] = world.emulator.state().replicaSets;
        if (made === undefined) return;
        if (made.status === "active") firstMs = Math.min(firstMs, world.clock.now());
        const isThere = world.clock.now() >= firstMs + hiddenMs;
        const endpoint = isThere ? { host: "late.example", port: 5432 } : before;
        world.emulator.mutate.replicaSet(made.id, { wire: { endpoint } });
      });
    };

    test.each([null, {}, { host: "", port: 5432 }])("is awaited by the create, after %j", async (before) => {
      hideFor(5_000, before);
      const kept = await world.readReplicaSet.create(scene.readers());
      expect(kept.failed).toBeUndefined();
      expect(kept.outputs).toMatchObject({ host: "late.example", port: 5432 });
      expect(world.warnings).toEqual([]);
    });

    test("is awaited also while another set keeps the parent busy", async () => {
      hideFor(5_000);
      world.emulator.settings.timings.replicaCreate = 120_000;
      const [first, second] = await Promise.all([
        world.readReplicaSet.create(scene.readers({ name: "a" })),
        world.readReplicaSet.create(scene.readers({ name: "b" })),
      ]);
      expect([first.failed, second.failed]).toEqual([undefined, undefined]);
      expect(first.outputs).toMatchObject({ host: "late.example", port: 5432 });
      expect(world.warnings).toEqual([]);
    });

    test("is given up after a while, with a word on the row", async () => {
      hideFor(3_600_000);
      const startedMs = world.clock.now();
      const kept = await world.readReplicaSet.create(scene.readers());
      expect(kept.failed).toBeUndefined();
      expect(kept.outputs).not.toHaveProperty("host");
      expect(world.warnings.at(-1)).toContain("has no endpoint yet");
      expect(world.clock.now() - startedMs).toBeLessThan(90_000);
    });
  });

  test("waits out a parent that somebody else keeps busy", async () => {
    world.emulator.settings.timings.ha = 90_000;
    await world.session.client.services.setHA({ projectId: "proj000001", serviceId: parent.id, replicaCount: 1 });
    const kept = await world.readReplicaSet.create(scene.readers());
    expect(kept.failed).toBeUndefined();
    const refused = world.emulator.requests().filter((request) => request.refusedAsBusy);
    expect(refused.length).toBeLessThan(5);
  });

  test("waits for the parent's first backup", async () => {
    world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 40 * 60_000 });
    const kept = await world.readReplicaSet.create(scene.readers());
    expect(kept.failed).toBeUndefined();
  });

  test("goes on where one read does not find the parent, and the list has it", async () => {
    world.emulator.faults.add({ kind: "status", status: 404, operation: "getService" });
    const kept = await world.readReplicaSet.create(scene.readers());
    expect(kept.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet"]);
  });

  test("is refused for a parent that is not there", async () => {
    await expect(world.readReplicaSet.create(scene.readers({ serviceId: "nobody0000" }))).rejects.toThrow(
      "there is no service",
    );
    expect(world.calls()).toEqual([]);
  });

  test("that ends in an error keeps the set in the state, and says so", async () => {
    world.emulator.faults.add({ kind: "stuck", status: "error", operation: "createReplicaSet" });
    const kept = await world.readReplicaSet.create(scene.readers());
    expect(kept.failed).toContain("it failed (error)");
    expect(kept.id).toBe(world.emulator.state().replicaSets[0]?.id);
    // It holds no data: the next up makes another one by itself.
    const preview = world.readReplicaSet.preview(kept, scene.readers());
    expect(preview).toMatchObject({ changes: true, replaces: ["status"], isOldFirst: true });
    expect(world.warnings.at(-1)).toContain("has failed (error); it is replaced, the old one first");
    world.emulator.mutate.replicaSet(kept.id, { status: "error" });
    world.emulator.faults.clear();
    const whole = await world.readReplicaSet.replace(kept, scene.readers());
    expect(whole.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet", "createReplicaSet"]);
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([whole.id]);
  });

  test("that fails later is replaced after a refresh, or after the first update that meets it", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.mutate.replicaSet(kept.id, { status: "error" });
    const seen = (await world.readReplicaSet.refresh(kept)) ?? kept;
    expect(world.readReplicaSet.preview(seen, scene.readers())).toMatchObject({
      replaces: ["status"],
      isOldFirst: true,
    });
    const large = scene.readers({ cpuMillis: 1000, memoryGbs: 4 });
    const tried = await world.readReplicaSet.update(kept, large);
    expect(tried.failed).toContain("it failed (error)");
    // The inputs differ: the engine names them.
    expect(world.readReplicaSet.preview(tried, large)).toMatchObject({ changes: undefined, replaces: ["status"] });
    const whole = await world.readReplicaSet.replace(tried, large);
    expect(whole.outputs).toMatchObject({ cpuMillis: 1000, status: "active" });
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([whole.id]);
  });
});

test("a refresh that finds another number of nodes does not say that the set is replaced; the preview does", async () => {
  const kept = await world.readReplicaSet.create(scene.readers());
  world.emulator.mutate.replicaSet(kept.id, { nodes: 3 });
  world.restart();
  const seen = (await world.readReplicaSet.refresh(kept)) ?? kept;
  world.readReplicaSet.compare({ ...seen, inputs: kept.inputs });
  expect(world.warnings).toEqual([]);
  expect(world.readReplicaSet.preview(seen, scene.readers())).toMatchObject({ replaces: ["nodes"] });
  expect(world.warnings).toEqual([expect.stringContaining("is replaced: the new one has other addresses")]);
});

describe("changes in place", () => {
  test("size, pooler and tag, in one order, one at a time", async () => {
    const kept = await world.readReplicaSet.create(scene.readers({ poolerEnabled: true }));
    world.calls();
    const args = scene.readers({ poolerEnabled: false, environment: "DEV", cpuMillis: 1000, memoryGbs: 4 });
    const preview = world.readReplicaSet.preview(kept, args);
    expect(preview.operations).toEqual(["setEnvironment", "resize", "disablePooler"]);
    const next = await world.readReplicaSet.update(kept, args);
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["setReplicaEnvironment", "resizeReplicaSet", "disableReplicaPooler"]);
    expect(next.outputs).toMatchObject(args);
  });

  test("wait while the parent is being changed", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.settings.timings.resize = 20_000;
    const [resizedService, resized] = await Promise.all([
      world.service.update(parent, { name: "orders", cpuMillis: 1000, memoryGbs: 4 }),
      world.readReplicaSet.update(kept, scene.readers({ cpuMillis: 1000, memoryGbs: 4 })),
    ]);
    expect([resizedService.failed, resized.failed]).toEqual([undefined, undefined]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });

  test("wait until the parent has settled, on a server that would let them meet", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.calls();
    world.emulator.settings.switches.busy = "allow";
    world.emulator.mutate.service(parent.id, { status: "REBALANCING" });
    const methods: string[] = [];
    scene.onRequest(({ method }) => {
      methods.push(method);
      if (methods.length === 5) world.emulator.mutate.service(parent.id, { status: "READY" });
    });
    const args = scene.readers({ cpuMillis: 1000, memoryGbs: 4 });
    expect((await world.readReplicaSet.update(kept, args)).failed).toBeUndefined();
    expect(new Set(methods.slice(0, 5))).toEqual(new Set(["GET"]));
    expect(world.calls()).toEqual(["resizeReplicaSet"]);
    expect(world.progress.join("\n")).toContain("active, its service REBALANCING");
  });

  test("are not over, and not lost, because the parent's list of sets is missing from some answers", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.settings.timings.replicaResize = 6_000;
    let reads = 0;
    scene.onRequest(({ method }) => {
      if (method === "GET") reads += 1;
      world.emulator.mutate.service(parent.id, {
        wire: { read_replica_sets: [0, 2, 5].includes(reads) ? null : scene.shownSets() },
      });
    });
    const next = await world.readReplicaSet.update(kept, scene.readers({ cpuMillis: 1000, memoryGbs: 4 }));
    expect(next.failed).toBeUndefined();
    expect(next.outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4, status: "active" });
    expect(reads).toBeGreaterThan(5);
  });

  test("are proven by the field: an active one with the old size is not believed", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.settings.stale.reads = 5;
    const next = await world.readReplicaSet.update(kept, scene.readers({ cpuMillis: 1000, memoryGbs: 4 }));
    expect(next.failed).toBeUndefined();
    expect(next.outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
    expect(world.progress.join("\n")).toContain("active with the old cpuMillis/memoryGbs");
  });
});

describe("refresh", () => {
  test("finds it through the parent, and its loss only when the parent's own list lacks it", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    expect((await world.readReplicaSet.refresh(kept))?.outputs).toMatchObject(scene.readers());
    world.emulator.mutate.deleteReplicaSet(kept.id);
    world.restart();
    expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
  });

  test("loses it with its parent", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.emulator.mutate.deleteService(parent.id);
    world.restart();
    expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
  });

  test("keeps it while the parent cannot be read", async () => {
    const kept = await world.readReplicaSet.create(scene.readers());
    world.restart();
    world.emulator.faults.add({ kind: "status", status: 403, times: Infinity });
    await expect(world.readReplicaSet.refresh(kept)).rejects.toThrow("403");
  });
});

test("a parent that shows no sets for one read is no proof that there is none of that name", async () => {
  const made = await world.readReplicaSet.create(scene.readers());
  world.restart();
  const { baseUrl, apiKey, projectId } = world.emulator;
  const answer = await fetch(`${baseUrl}/projects/${projectId}/services/${parent.id}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const { read_replica_sets: sets } = (await answer.json()) as { read_replica_sets: unknown };
  world.emulator.mutate.service(parent.id, { wire: { read_replica_sets: null } });
  const before = world.emulator.requests().length;
  world.onEffect(() => {
    const isRead = world.emulator.requests().length > before;
    if (isRead) world.emulator.mutate.service(parent.id, { wire: { read_replica_sets: sets } });
  });
  await expect(world.readReplicaSet.create(scene.readers())).rejects.toThrow(`there is already`);
  expect(
    world.emulator
      .requests()
      .slice(before)
      .map(({ operation }) => operation),
  ).toContain("getService");
  expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([made.id]);
});
