// Drift of every changeable property: shown by its name after a refresh, repaired by one update, and never shown where
// the program has not set it. Repeated on servers that flicker.

import { afterEach, describe, expect, test } from "vitest";
import type { ServiceMutation } from "../../../emulator/driving/mutate";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
afterEach(() => world.close());

interface Drift {
  /** What the program says. */
  said: Values;
  /** What somebody did in the console. */
  done: ServiceMutation;
  shown: string[];
  calls: string[];
}

const SIZE = { cpuMillis: 500, memoryGbs: 2 };

const DRIFTS: Record<string, Drift> = {
  name: { said: {}, done: { name: "console" }, shown: ["name"], calls: ["renameService"] },
  environment: {
    said: { environment: "DEV" },
    done: { environment: "PROD" },
    shown: ["environment"],
    calls: ["setEnvironment"],
  },
  size: {
    said: SIZE,
    done: { cpuMillis: 1000, memoryGbs: 4 },
    shown: ["cpuMillis", "memoryGbs"],
    calls: ["resize"],
  },
  "half of the size": { said: SIZE, done: { memoryGbs: 4 }, shown: ["memoryGbs"], calls: ["resize"] },
  replicas: {
    said: { haReplicas: { replicaCount: 1 } },
    done: { replicaCount: 2 },
    shown: ["haReplicas"],
    calls: ["setHA"],
  },
  "synchronous replicas": {
    said: { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } },
    done: { syncReplicaCount: 0 },
    shown: ["haReplicas"],
    calls: ["setHA"],
  },
  pooler: {
    said: { poolerEnabled: true },
    done: { poolerEnabled: false },
    shown: ["poolerEnabled"],
    calls: ["enablePooler"],
  },
  stopped: { said: { paused: false }, done: { paused: true }, shown: ["paused"], calls: ["start"] },
  started: { said: { paused: true }, done: { paused: false }, shown: ["paused"], calls: ["stop"] },
};

const NOT_SET: Record<string, ServiceMutation> = {
  environment: { environment: "PROD" },
  size: { cpuMillis: 1000, memoryGbs: 4 },
  replicas: { replicaCount: 2, syncReplicaCount: 1 },
  pooler: { poolerEnabled: true },
  paused: { paused: true },
  tiering: { dataTieringEnabled: true },
};

describe("one property changed outside", () => {
  test.each(Object.entries(DRIFTS))("%s", async (_name, { said, done, shown, calls }) => {
    world = await openWorld();
    const args = { name: "orders", ...said };
    const kept = await world.service.create(args);
    world.emulator.mutate.service(kept.id, done);
    const seen = await refreshed(kept);
    expect(world.service.preview(seen, args).properties).toEqual(shown);
    world.calls();
    const repaired = await world.service.update(seen, args);
    expect(world.calls()).toEqual(calls);
    expect(repaired.outputs).toMatchObject(args);
    expect((await refreshed(repaired)).inputs).toEqual(repaired.inputs);
  });

  test("the VPC: left, entered and swapped", async () => {
    world = await openWorld();
    const ours = await world.vpc.create({ name: "ours", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const theirs = await world.vpc.create({ name: "theirs", cidr: "10.0.1.0/24", regionCode: "us-east-1" });
    const args = { name: "orders", vpcId: ours.id };
    let kept = await world.service.create(args);
    for (const [vpcId, calls] of [
      [undefined, ["attachToVPC"]],
      [theirs.id, ["detachFromVPC", "attachToVPC"]],
    ] as const) {
      world.emulator.mutate.service(kept.id, { vpcId });
      const seen = await refreshed(kept);
      expect(world.service.preview(seen, args).properties).toEqual(["vpcId"]);
      world.calls();
      kept = await world.service.update(seen, args);
      expect(world.calls()).toEqual(calls);
      expect(kept.outputs["vpcId"]).toBe(ours.id);
    }
  });

  test.each(Object.entries(NOT_SET))("%s, which the program never set: no drift, no call", async (_name, done) => {
    world = await openWorld();
    const args = { name: "orders" };
    const kept = await world.service.create(args);
    world.emulator.mutate.service(kept.id, done);
    const seen = await refreshed(kept);
    expect(world.service.preview(seen, args)).toMatchObject({ changes: undefined, properties: [], operations: [] });
    world.calls();
    expect(await world.service.update(seen, args)).toBe(seen);
    expect(world.calls()).toEqual([]);
  });
});

describe("the other resources", () => {
  test("a VPC that was renamed, and one whose block is shown otherwise, which replaces nothing", async () => {
    world = await openWorld();
    const args = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
    const kept = await world.vpc.create(args);
    world.emulator.mutate.vpc(kept.id, { name: "console" });
    const renamed = (await world.vpc.refresh(kept)) ?? kept;
    expect(world.vpc.preview(renamed, args)).toMatchObject({ properties: ["name"], operations: ["rename"] });
    const repaired = await world.vpc.update(renamed, args);
    expect(world.emulator.state().vpcs).toMatchObject([{ name: "net" }]);
    world.emulator.mutate.vpc(kept.id, { cidr: "10.9.0.0/24" });
    const moved = (await world.vpc.refresh(repaired)) ?? repaired;
    expect(world.warnings.join()).toContain('the server now shows cidr as "10.9.0.0/24"');
    expect(world.vpc.preview(moved, args)).toMatchObject({ properties: [], replaces: [] });
    expect(world.vpc.preview(moved, { ...args, cidr: "10.9.0.0/24" })).toMatchObject({ replaces: ["cidr"] });
  });

  test("a read replica set of another size, with a pooler, under another tag", async () => {
    world = await openWorld();
    const parent = await world.service.create({ name: "orders" });
    const args = { serviceId: parent.id, name: "readers", nodes: 1, ...SIZE, poolerEnabled: false, environment: "DEV" };
    const kept = await world.readReplicaSet.create(args);
    world.emulator.mutate.replicaSet(kept.id, {
      cpuMillis: 1000,
      memoryGbs: 4,
      poolerEnabled: true,
      environment: "PROD",
    });
    const seen = (await world.readReplicaSet.refresh(kept)) ?? kept;
    expect(world.readReplicaSet.preview(seen, args).properties.toSorted()).toEqual([
      "cpuMillis",
      "environment",
      "memoryGbs",
      "poolerEnabled",
    ]);
    world.calls();
    const repaired = await world.readReplicaSet.update(seen, args);
    expect(world.calls()).toEqual(["setReplicaEnvironment", "resizeReplicaSet", "disableReplicaPooler"]);
    expect(repaired.outputs).toMatchObject(args);
  });
});

describe("an update without a refresh", () => {
  test("names the drift it meets and leaves it alone", async () => {
    world = await openWorld();
    const args = { name: "orders", ...SIZE, poolerEnabled: false };
    const kept = await world.service.create(args);
    world.emulator.mutate.service(kept.id, { cpuMillis: 1000, memoryGbs: 4 });
    world.calls();
    const next = await world.service.update(kept, { ...args, poolerEnabled: true });
    expect(world.calls()).toEqual(["enablePooler"]);
    expect(world.warnings.at(-1)).toContain(
      "cpuMillis is 1000, the program says 500; memoryGbs is 4, the program says 2",
    );
    // Nor does the next one repair what its preview could not show.
    const further = { ...args, poolerEnabled: true, environment: "PROD", deletionProtection: false };
    expect(world.service.preview(next, further).operations).toEqual(["setEnvironment"]);
    const last = await world.service.update(next, further);
    expect(world.calls()).toEqual(["setEnvironment"]);
    const seen = await refreshed(last);
    expect(world.service.preview(seen, further)).toMatchObject({
      properties: ["cpuMillis", "memoryGbs"],
      operations: ["resize"],
    });
  });
});

describe("addresses", () => {
  test("that moved outside are said once, by the refresh that saves them, and make no plan", async () => {
    world = await openWorld();
    const args = { name: "orders" };
    const kept = await world.service.create(args);
    const { endpoint } = kept.outputs as { endpoint: { host: string; port: number } };
    world.emulator.mutate.service(kept.id, { endpoint: { host: "elsewhere.example", port: 1 }, poolerEnabled: true });
    const once = await refreshed(kept);
    expect(world.warnings).toEqual([
      expect.stringContaining(
        `moved outside Pulumi: endpoint from ${endpoint.host}:${endpoint.port} to elsewhere.example:1`,
      ),
    ]);
    world.emulator.mutate.service(kept.id, { poolerEnabled: false });
    const twice = await refreshed(once);
    expect(world.warnings.at(-1)).toMatch(
      /moved outside Pulumi: connectionPooler from .* to nothing\. This is saved, and nothing is left to do here$/,
    );
    expect(await refreshed(twice)).toEqual(twice);
    expect(world.warnings).toHaveLength(2);
    world.restart();
    expect(world.service.preview(twice, args)).toMatchObject({ changes: undefined, properties: [], operations: [] });
    expect(twice.outputs["endpoint"]).toEqual({ host: "elsewhere.example", port: 1 });
    world.calls();
    expect(await world.service.update(twice, args)).toBe(twice);
    expect(world.calls()).toEqual([]);
    expect(world.warnings).toHaveLength(2);
  });

  test("of a state that was written when such a move was a change: no plan either, and the mark goes", async () => {
    world = await openWorld();
    const args = { name: "orders" };
    const kept = await world.service.create(args);
    const old = { ...kept, outputs: { ...kept.outputs, __drift: ["endpoint"] } };
    expect(world.service.preview(old, args).changes).toBeUndefined();
    expect((await refreshed(old)).outputs).not.toHaveProperty("__drift");
    expect((await world.service.update(old, { ...args, poolerEnabled: true })).outputs).not.toHaveProperty("__drift");
  });
});

describe("a step that an interrupted run owes", () => {
  test("is a change of its own only where the inputs do not show one", async () => {
    world = await openWorld();
    const args = { name: "orders", ...SIZE };
    const kept = await world.service.create(args);
    const owing = { ...kept, outputs: { ...kept.outputs, __pending: ["enablePooler"] } };
    expect(world.service.preview(owing, args)).toMatchObject({ changes: true, properties: [] });
    expect(world.service.preview(owing, { ...args, poolerEnabled: true })).toMatchObject({
      changes: undefined,
      properties: ["poolerEnabled"],
    });
    expect(world.service.preview(owing, { name: "orders" }).changes).toBeUndefined();
  });
});

async function refreshed(kept: Kept): Promise<Kept> {
  const seen = await world.service.refresh(kept);
  if (seen === undefined) throw new Error("it is gone");
  return seen;
}
