// Drift of every changeable property: shown by its name after a refresh, repaired by one update, and never shown where
// the program has not set it. Repeated on servers that flicker.

import { expect, test } from "vitest";
import type { ServiceMutation } from "../../emulator/driving/mutate";
import type { Values } from "../../provider/domain/values/value";
import { textWith } from "../support/matchers";
import { done, LARGE, NET, refreshed, SMALL, useWorld, world } from "./scene";

useWorld();

const HA = { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } };

/** What the program says, what somebody did in the console, what a preview then shows, and the call that repairs it. */
const DRIFTS: [string, Values, ServiceMutation, string[], string][] = [
  ["a name", {}, { name: "console" }, ["name"], "renameService"],
  ["a tag", { environment: "DEV" }, { environment: "PROD" }, ["environment"], "setEnvironment"],
  ["a size", SMALL, LARGE, ["cpuMillis", "memoryGbs"], "resize"],
  ["half of a size", SMALL, { memoryGbs: 4 }, ["memoryGbs"], "resize"],
  ["replicas", { haReplicas: { replicaCount: 1 } }, { replicaCount: 2 }, ["haReplicas"], "setHA"],
  ["synchronous replicas", HA, { syncReplicaCount: 0 }, ["haReplicas"], "setHA"],
  ["a pooler", { poolerEnabled: true }, { poolerEnabled: false }, ["poolerEnabled"], "enablePooler"],
  ["a stop", { paused: false }, { paused: true }, ["paused"], "start"],
  ["a start", { paused: true }, { paused: false }, ["paused"], "stop"],
];

const NOT_SET: [string, ServiceMutation][] = [
  ["a tag", { environment: "PROD" }],
  ["a size", LARGE],
  ["replicas", { replicaCount: 2, syncReplicaCount: 1 }],
  ["a pooler", { poolerEnabled: true }],
  ["a stop", { paused: true }],
  ["tiering", { wire: { data_tiering: { enabled: true } } }],
  ["a VPC", { vpcId: "7" }],
];

test.each(DRIFTS)("changed outside, %s is shown, and repaired at once", async (_name, said, changed, shown, call) => {
  const args = { name: "orders", ...said };
  const kept = await world.service.create(args);
  world.emulator.mutate.service(kept.id, changed);
  const seen = await refreshed(kept);
  expect(world.service.preview(seen, args).properties).toEqual(shown);
  world.calls();
  const repaired = await world.service.update(seen, args);
  expect(world.calls()).toEqual([call]);
  expect(repaired.outputs).toMatchObject(args);
  expect((await refreshed(repaired)).inputs).toEqual(repaired.inputs);
});

test("changed outside, a VPC that was left, entered and swapped is shown and repaired", async () => {
  const [ours, theirs] = [await world.vpc.create(NET), await world.vpc.create({ ...NET, name: "theirs" })];
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

test.each(NOT_SET)("changed outside, %s that the program never set is no drift", async (_name, changed) => {
  const args = { name: "orders" };
  const kept = await world.service.create(args);
  world.emulator.mutate.service(kept.id, changed);
  const seen = await refreshed(kept);
  expect(world.service.preview(seen, args)).toMatchObject({ changes: undefined, properties: [], operations: [] });
  world.calls();
  expect(await world.service.update(seen, args)).toBe(seen);
  expect(world.calls()).toEqual([]);
});

test("a VPC that was renamed, and one whose block is shown otherwise, which replaces nothing", async () => {
  const args = NET;
  const kept = await world.vpc.create(args);
  world.emulator.mutate.vpc(kept.id, { name: "console" });
  const renamed = await refreshed(kept, "vpc");
  expect(world.vpc.preview(renamed, args)).toMatchObject({ properties: ["name"], operations: ["rename"] });
  const repaired = await world.vpc.update(renamed, args);
  expect(world.emulator.state().vpcs).toMatchObject([{ name: "net" }]);
  world.emulator.mutate.vpc(kept.id, { cidr: "10.9.0.0/24" });
  const moved = await refreshed(repaired, "vpc");
  expect(world.warnings.join()).toContain('the server now shows cidr as "10.9.0.0/24"');
  expect(world.vpc.preview(moved, args)).toMatchObject({ properties: [], replaces: [] });
  expect(world.vpc.preview(moved, { ...args, cidr: "10.9.0.0/24" })).toMatchObject({ replaces: ["cidr"] });
});

test("an update without a refresh names the drift it meets and leaves it alone", async () => {
  const args = { name: "orders", ...SMALL, poolerEnabled: false };
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

test("addresses that moved outside are said once, by the refresh that saves them, and make no plan", async () => {
  const args = { name: "orders" };
  const kept = await world.service.create(args);
  const { endpoint } = kept.outputs as { endpoint: { host: string; port: number } };
  world.emulator.mutate.service(kept.id, {
    wire: { endpoint: { host: "elsewhere.example", port: 1 } },
    poolerEnabled: true,
  });
  const once = await refreshed(kept);
  expect(world.warnings).toEqual([
    textWith(`: outside Pulumi, endpoint moved from ${endpoint.host}:${endpoint.port} to elsewhere.example:1`),
  ]);
  world.emulator.mutate.service(kept.id, { poolerEnabled: false });
  const twice = await refreshed(once);
  expect(world.warnings.at(-1)).toMatch(/connectionPooler .* was removed/);
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

test("a service that somebody attached to a VPC, or detached, says that first, and its address", async () => {
  const kept = await done(world.service.create({ name: "orders" }));
  const { id } = await world.vpc.create(NET);
  world.emulator.mutate.service(kept.id, { vpcId: id });
  const inside = await refreshed(kept);
  const { host, port } = inside.outputs;
  expect(world.warnings).toEqual([
    textWith(`: somebody attached it to VPC ${id}; its address is now ${String(host)}:${String(port)}; the refresh`),
  ]);
  expect(await refreshed(inside)).toEqual(inside);
  world.emulator.mutate.service(kept.id, { vpcId: undefined });
  await refreshed(inside);
  expect(world.warnings.at(-1)).toContain(`: somebody detached it from VPC ${id}; its address is now `);
  expect(world.warnings).toHaveLength(2);
});
