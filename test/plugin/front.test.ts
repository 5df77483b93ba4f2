// The meaning of the engine's calls: differences by property, imports, refreshes. What the real engine shows is in test/engine/native.

import { expect, test } from "vitest";
import { pick, UNKNOWN, type Values } from "../../provider/domain/values/value";
import { resources } from "../../provider/kinds/index";
import { OF_CLASS } from "../../provider/pulumi/stateNames";
import { textLike } from "../support/matchers";
import { change, compared, imported, type Kept, make, refreshed } from "../support/plugin";
import type { Kind } from "../support/providerProcess";
import { NET, PEER, SMALL, useWorld, world } from "../core/scene";

useWorld();

const db = { name: "db", regionCode: "us-east-1", ...SMALL };

const ha = (replicaCount: unknown, syncReplicaCount?: number): Values => ({
  haReplicas: { replicaCount, ...(syncReplicaCount !== undefined && { syncReplicaCount }) },
});

test.each<[string, from: Values, to: Values, paths: string[]]>([
  ["nothing, if nothing differs", {}, {}, []],
  ["an input that changes", {}, { name: "other" }, ["update name"]],
  ["an input that comes", {}, { environment: "PROD" }, ["update environment"]],
  ["an input that the server did not show", {}, { password: "a-first-password" }, ["add password"]],
  ["the member that changes", ha(1, 0), ha(2, 0), ["update haReplicas.replicaCount"]],
  ["the member that comes", ha(2), ha(2, 1), ["add haReplicas.syncReplicaCount"]],
  ["no member that goes, as it is only no longer managed", ha(2, 1), ha(2), []],
  ["the whole input, if a member is not known yet", ha(1), ha(UNKNOWN), ["update haReplicas"]],
  ["an input no longer managed", { poolerEnabled: true }, { poolerEnabled: undefined }, ["delete poolerEnabled"]],
  ["no input that comes with the value of the object", {}, { poolerEnabled: false, environment: "DEV" }, []],
  ["no value in another spelling", { addons: ["time-series", "ai"] }, { addons: ["ai", "time-series"] }, []],
  ["a setting of the provider that comes", {}, { onMissing: "error" }, ["add onMissing"]],
  ["a setting of the provider that goes", { onMissing: "error" }, { onMissing: undefined }, ["delete onMissing"]],
  ["a setting's member", { timeouts: { create: "1h" } }, { timeouts: { create: "2h" } }, ["update timeouts.create"]],
])("a difference names %s", async (_name, from, to, paths) => {
  const kept = await make(world, "service", { ...db, ...from });
  const { changes, hasChanges, replaces } = await compared(world, kept, { ...db, ...from, ...to });
  expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual(paths);
  expect({ hasChanges, replaces }).toEqual({ hasChanges: paths.length > 0, replaces: [] });
});

test("a difference names a VPC that the service leaves", async () => {
  const { id } = await make(world, "vpc", NET);
  const kept = await make(world, "service", { ...db, vpcId: id });
  expect((await compared(world, kept, db)).changes).toEqual([{ path: "vpcId", kind: "delete", replaces: false }]);
});

test("a difference names a path of `ignoreChanges` that names no input, unless the class has said it", async () => {
  const { urn, id, outputs, inputs } = await make(world, "service", db);
  const front = world.front("service");
  const ignoreChanges = ["cpuMilis", "haReplicas.replicaCount", "*", "timeouts"];
  await front.diff({ urn, ignoreChanges }, id, outputs, inputs, inputs);
  expect(world.warnings).toEqual([textLike(/^`ignoreChanges` names no input: cpuMilis\. The inputs are .*cpuMillis/)]);
  await front.check({ urn }, inputs, { ...inputs, [OF_CLASS]: true });
  await front.diff({ urn, ignoreChanges }, id, outputs, inputs, inputs);
  expect(world.warnings).toHaveLength(1);
});

test("a difference names which of the changes replaces", async () => {
  const { id } = await make(world, "service", db);
  const set = { serviceId: id, name: "reads", nodes: 1, ...SMALL };
  const kept = await make(world, "readReplicaSet", set);
  const difference = await compared(world, kept, { ...set, nodes: 2, poolerEnabled: true });
  expect(difference).toMatchObject({ hasChanges: true, replaces: ["nodes"] });
  expect(difference.changes).toEqual([
    { path: "nodes", kind: "update", replaces: true },
    { path: "poolerEnabled", kind: "update", replaces: false },
  ]);
});

test("a difference names nothing, where an interrupted run left steps to do, and the program has no more than before", async () => {
  const paused = { ...db, paused: true };
  const kept = await make(world, "service", paused);
  world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 400 });
  const half = await change(world, kept, { ...paused, poolerEnabled: true });
  const { props: outputs = {}, inputs = {} } = await refreshed(world, half);
  const seen = { ...half, outputs, inputs };
  const { changes, hasChanges } = await compared(world, seen, paused);
  const paths = changes.map(({ path }) => path);
  expect({ paths, hasChanges }).toEqual({ paths: ["paused", "poolerEnabled"], hasChanges: true });
  expect((await compared(world, seen, db)).hasChanges).toBe(true);
  expect((await change(world, seen, db)).outputs).toMatchObject({ paused: true });
});

/** The objects of somebody else, and what a program says of each. */
async function objects(): Promise<Record<Kind, Kept>> {
  const vpc = await make(world, "vpc", NET);
  const peering = await make(world, "peering", { vpcId: vpc.id, ...PEER });
  const args = { ...db, vpcId: vpc.id, environment: "PROD", poolerEnabled: true, haReplicas: { replicaCount: 1 } };
  const service = await make(world, "service", args);
  const set = { serviceId: service.id, name: "reads", nodes: 1, ...SMALL };
  const readReplicaSet = await make(world, "readReplicaSet", set);
  world.restart();
  return { vpc, peering, service, readReplicaSet };
}

/** Objects inside others are named with them. */
const IDS: Readonly<Record<Kind, (kept: Kept) => string>> = {
  service: ({ id }) => id,
  vpc: ({ id }) => id,
  peering: ({ id, inputs }) => `${String(inputs["vpcId"])}/${id}`,
  readReplicaSet: ({ id, inputs }) => `${String(inputs["serviceId"])}/${id}`,
};

test.each(Object.keys(IDS) as Kind[])(
  "an import of a %s: a program with all that shows no change; what it leaves out ends, and nothing is called",
  async (kind) => {
    const kept = (await objects())[kind];
    world.calls();
    const found = await imported(world, kind, IDS[kind](kept));
    expect(found.id).toBe(kept.id);
    expect(await compared(world, found, found.inputs)).toMatchObject({ hasChanges: false, changes: [] });
    expect(await compared(world, found, kept.inputs)).toMatchObject({ hasChanges: false, changes: [] });
    const needed = (key: string): boolean => key === "name" || resources[kind].fields[key]?.required === true;
    const fewest = Object.fromEntries(Object.entries(found.inputs).filter(([key]) => needed(key)));
    const { changes } = await compared(world, found, fewest);
    const left = Object.keys(found.inputs).filter((key) => !needed(key));
    expect(changes.map(({ path }) => path).toSorted()).toEqual(left.toSorted());
    const updated = await change(world, found, fewest);
    expect(updated.outputs).toMatchObject(found.inputs);
    expect(world.calls()).toEqual([]);
  },
);

test("an import of a part alone needs its parent, and without it nothing is deleted that the program did not reach", async () => {
  const { readReplicaSet, vpc } = await objects();
  await expect(imported(world, "readReplicaSet", readReplicaSet.id)).rejects.toThrow(
    `read replica set "${readReplicaSet.id}" is inside another object, so its id here must name that one too`,
  );
  const { urn, id, outputs, inputs } = vpc;
  await expect(world.front("vpc").delete({ urn }, id, outputs, inputs)).rejects.toThrow("when imported failed");
});

test("an import that is a `get` stays somebody else's: a refresh neither protects it nor gives it inputs", async () => {
  const { readReplicaSet, service } = await objects();
  world.warnings.length = 0;
  for (const { kind, id, inputs } of [service, readReplicaSet]) {
    const located = pick(inputs, ["serviceId"]);
    const urn = `urn:pulumi:dev::shop::dbcloud:index:${kind}::seen`;
    const { props = {}, ...seen } = await world.front(kind).read({ urn }, id, located, {});
    expect({ ...seen, props }).toMatchObject({ id, props: { ...located, cpuMillis: SMALL.cpuMillis } });
    const again = await world.front(kind).read({ urn }, id, props, located);
    expect(again).toEqual({ id, props, inputs: located });
    expect(world.warnings).toEqual([]);
  }
});

test("an import of what is not there is an error that says what to check", async () => {
  await expect(imported(world, "service", "absent0000")).rejects.toMatchObject({
    message: expect.stringContaining('there is no service "absent0000"') as string,
    hint: expect.stringContaining("Check the id and the project id") as string,
  });
});

test("an import of a service in a VPC does not leave it where the program does not say so, and takes over the protection by a tag", async () => {
  const { service } = await objects();
  const found = await imported(world, "service", service.id);
  expect(found.outputs).toMatchObject({ vpcId: service.inputs["vpcId"], deletionProtection: true });
  expect(found.inputs).not.toHaveProperty("vpcId");
  const { urn, id, outputs, inputs } = found;
  world.restart();
  await expect(world.front("service").delete({ urn }, id, outputs, inputs)).rejects.toThrow("protected");
});

test("an import says once that there is no connection string without a password", async () => {
  const { service } = await objects();
  world.warnings.length = 0;
  const found = await imported(world, "service", service.id);
  const said = `service db (${service.id}): its initial password is not known here, so it has no \`connectionUri\`: set \`password\``;
  expect(world.warnings).toEqual([said]);
  await refreshed(world, found);
  expect(world.warnings).toEqual([said]);
});

test("an import is not replaced in the run that imports it, and what it takes the place of is not deleted", async () => {
  const { id } = world.emulator.mutate.createVpc({ name: "net", cidr: "10.0.0.0/24" });
  const found = await imported(world, "vpc", id);
  const moved = compared(world, found, { ...found.inputs, cidr: "10.1.0.0/24" });
  await expect(moved).rejects.toThrow("reads another object under its name, by `get` or an import");
});

test("the engine's time limit counts where `timeouts` gives none", async () => {
  world.emulator.settings.timings.create = 10 * 60_000;
  const urn = "urn:pulumi:dev::shop::dbcloud:index:Service::db";
  const made = (timeouts?: Values): Promise<unknown> =>
    world.front("service").create({ urn, limitMs: 60_000 }, { ...db, ...(timeouts && { timeouts }) }, false);
  await expect(made()).rejects.toThrow("after 1 m");
  world.restart();
  world.emulator.reset();
  await expect(made({ create: "1h" })).resolves.toMatchObject({ outs: { status: "READY" } });
});

test("a refresh answers with nothing for an object that is gone, and with the program's inputs for another", async () => {
  const kept = await make(world, "service", db);
  world.emulator.mutate.service(kept.id, { cpuMillis: 2000, memoryGbs: 8, poolerEnabled: true });
  const seen = await refreshed(world, kept);
  expect(seen.inputs).toEqual({ ...db, cpuMillis: 2000, memoryGbs: 8 });
  expect(seen.props).toMatchObject({ poolerEnabled: true });
  world.emulator.mutate.createService({ name: "bystander" });
  world.emulator.mutate.deleteService(kept.id);
  await world.clock.sleep(30 * 60_000);
  expect(await refreshed(world, kept)).toEqual({});
});

test("an unusual value is warned about for each resource", async () => {
  for (const name of ["first", "second"]) {
    const urn = `urn:pulumi:dev::shop::dbcloud:index:Service::${name}`;
    const { failures } = await world.front("service").check({ urn }, {}, { name, haReplicas: { replicaCount: 3 } });
    expect(failures).toEqual([]);
  }
  const unusual: unknown = expect.stringContaining("haReplicas 3 with 0 synchronous is unusual");
  expect(world.warnings).toEqual([unusual, unusual]);
});

test("the begin of protection names Pulumi's own option, which the classes of TypeScript set and no provider sees", async () => {
  const urn = "urn:pulumi:dev::shop::dbcloud:index:Service::prod";
  const front = world.front("service");
  const news = { ...db, environment: "PROD" };
  await front.check({ urn }, {}, news);
  const { id, outs } = await front.create({ urn }, news, false);
  const said = (): string[] => world.warnings.filter((line) => line.includes("set Pulumi's `protect` option as well"));
  expect(said()).toEqual([expect.stringContaining("service db is protected against deletion")]);
  await front.update({ urn }, id, outs, news, { ...news, poolerEnabled: true }, false);
  expect(said()).toHaveLength(1);
  await front.check({ urn: `${urn}2` }, {}, { ...news, name: "other", __class: true });
  const other = await front.create({ urn: `${urn}2` }, { ...news, name: "other" }, false);
  expect(other.outs).toMatchObject({ deletionProtection: true });
  expect(other.outs).not.toHaveProperty("__class");
  expect(said()).toHaveLength(1);
});
