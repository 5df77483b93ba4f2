// What the preview of an update shows of the outputs is what the update leaves, for every input that changes in place. And
// each output that an input is said to touch does change by it in one of the cases, so that none is unknown without need.

import { describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { containsUnknown, isEqual, UNKNOWN, type Values } from "../../provider/domain/values/value";
import { resources } from "../../provider/kinds/index";
import { service } from "../../provider/kinds/service/definition";
import { visible } from "../../provider/core/state";
import { change, type Kept, make, previewed } from "../support/plugin";
import type { Kind } from "../support/providerProcess";
import { LARGE, NET, open, PEER, SMALL, useWorld, world } from "../core/scene";

useWorld();

const db = { name: "db", regionCode: "us-east-1", ...SMALL };

/** The inputs that change, what the program says of them before and then, and what the server does differently. */
type Case = readonly [name: string, by: string, from: Values, to: Values, switches?: EmulatorOptions["switches"]];

const ha = (replicaCount: number): Values => ({ haReplicas: { replicaCount } });
const size = "cpuMillis memoryGbs";

const first = { password: "a-first-password" };
const all = { name: "renamed", ...LARGE, poolerEnabled: true, vpcId: "@net", environment: "DEV" };

/** `@net` and `@other` are the ids of VPCs, and `@db` that of a service. */
const CASES: Readonly<Record<Kind, readonly Case[]>> = {
  service: [
    ["another name", "name", {}, { name: "renamed" }],
    ["another name of the host", "name", { poolerEnabled: true }, { name: "renamed" }, { renameMovesHost: true }],
    ["another name of the host in a VPC", "name", { vpcId: "@net" }, { name: "renamed" }, { renameMovesHost: true }],
    ["another tag", "environment", {}, { environment: "PROD" }],
    ["a tag beside a protection", "environment", { deletionProtection: false }, { environment: "PROD" }],
    ["another size", size, {}, LARGE],
    ["more replicas", "haReplicas", {}, { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } }],
    ["no replicas", "haReplicas", ha(1), ha(0)],
    ["a VPC", "vpcId", {}, { vpcId: "@net" }],
    ["a VPC with a pooler", "vpcId", { poolerEnabled: true }, { vpcId: "@net" }],
    ["a VPC where the public address stays", "vpcId", {}, { vpcId: "@net" }, { endpointInVpc: "kept" }],
    ["another VPC", "vpcId", { vpcId: "@net" }, { vpcId: "@other" }],
    ["no VPC", "vpcId", { vpcId: "@net", poolerEnabled: true }, { vpcId: undefined }],
    ["a pooler", "poolerEnabled", {}, { poolerEnabled: true }],
    ["no pooler", "poolerEnabled", { poolerEnabled: true }, { poolerEnabled: false }],
    ["another password", "password", first, { password: "a-second-password" }],
    ["a first password", "password", {}, first],
    ["a stop", "paused", { poolerEnabled: true }, { paused: true }],
    ["a stop in a VPC", "paused", { vpcId: "@net" }, { paused: true }],
    ["a start", "paused", { paused: true, poolerEnabled: true }, { paused: false }],
    ["a pooler while it is paused", "poolerEnabled", { paused: true }, { poolerEnabled: true }],
    ["another size while it is paused", size, { paused: true }, LARGE],
    ["several at once", Object.keys(all).join(" "), {}, all],
    [
      "inputs that are no longer given",
      "haReplicas poolerEnabled password",
      { ...ha(1), poolerEnabled: true, ...first },
      { haReplicas: undefined, poolerEnabled: undefined, password: undefined },
    ],
    ["a tag that is no longer given", "environment", { environment: "PROD" }, { environment: undefined }],
    ["settings of the provider", "", {}, { deletionProtection: true, onMissing: "error", timeouts: { create: "2h" } }],
    ["a protection that is no longer given", "", { deletionProtection: true }, { deletionProtection: undefined }],
  ],
  vpc: [["another name", "name", {}, { name: "renamed" }]],
  peering: [["another wait", "", { waitFor: "provisioned" }, { waitFor: "none" }]],
  readReplicaSet: [
    ["another size", size, {}, LARGE],
    ["a pooler", "poolerEnabled", {}, { poolerEnabled: true }],
    ["no pooler", "poolerEnabled", { poolerEnabled: true }, { poolerEnabled: false }],
    ["a tag", "environment", {}, { environment: "DEV" }],
  ],
};

const cases = Object.entries(CASES).flatMap(([kind, rows]) =>
  rows.map(([name, by, from, to, switches]) => {
    return { kind: kind as Kind, name, by: by.split(" ").filter(Boolean), from, to, switches };
  }),
);

/**
 * What the emulator never changes, and a server may: what is allocated is a list, which may show replicas too, and a paused
 * service may show no address.
 */
const UNPROVEN = [
  "service haReplicas resources",
  ...["endpoint", "vpcEndpoint", "connectionPooler"].map((output) => `service paused ${output}`),
];
/** `service vpcId endpoint`: in one of the cases this input alone changed this output. */
const moved = new Set<string>();

/** The arguments of the kind, with objects that the cases name in place of their marks. */
async function argsFor(kind: Kind, values: Values): Promise<Values> {
  const own: Readonly<Record<Kind, Values>> = {
    service: db,
    vpc: NET,
    peering: { vpcId: "@net", ...PEER },
    readReplicaSet: { serviceId: "@db", name: "reads", nodes: 1, ...SMALL },
  };
  const marks: Readonly<Record<string, () => Promise<Kept>>> = {
    "@net": () => make(world, "vpc", NET),
    "@other": () => make(world, "vpc", { ...NET, name: "other", cidr: "10.1.0.0/24" }),
    "@db": () => make(world, "service", db),
  };
  const made: Values = {};
  for (const [key, value] of Object.entries({ ...own[kind], ...values })) {
    made[key] = (await marks[String(value)]?.())?.id ?? value;
  }
  return made;
}

function outputsOf(state: Values): string[] {
  return Object.keys(visible(state));
}

/** The outputs that differ from what the preview showed. */
function untrue(shown: Values, { outputs }: Kept): string[] {
  return [...new Set([...outputsOf(shown), ...outputsOf(outputs)])].filter(
    (key) => !containsUnknown(shown[key]) && !isEqual(shown[key], outputs[key]),
  );
}

function changedOutputs(before: Kept, after: Kept): string[] {
  return [...new Set([...outputsOf(before.outputs), ...outputsOf(after.outputs)])].filter(
    (key) => !isEqual(before.outputs[key], after.outputs[key]),
  );
}

describe("a preview", () => {
  test.each(cases)("of a $kind shows what $name leaves", async ({ kind, by, from, to, switches }) => {
    if (switches !== undefined) await open({ switches });
    const args = await argsFor(kind, from);
    const before = await make(world, kind, args);
    const next = { ...args, ...(await argsFor(kind, { ...args, ...to })) };
    const shown = await previewed(world, before, next);
    const after = await change(world, before, next);
    expect(untrue(shown, after)).toEqual([]);
    for (const key of by) for (const output of changedOutputs(before, after)) moved.add(`${kind} ${key} ${output}`);
  });

  test.each(Object.keys(CASES) as Kind[])("of a %s has a case for each output that an input touches", (kind) => {
    for (const [key, { touches }] of Object.entries(resources[kind].rows)) {
      const hasCase = cases.some((one) => one.kind === kind && one.by.includes(key));
      const unproven = touches.filter((output) => ![...moved, ...UNPROVEN].includes(`${kind} ${key} ${output}`));
      expect({ key, hasCase, unproven }).toEqual({ key, hasCase: true, unproven: [] });
    }
  });

  test("has the outputs that a value not known yet touches as unknown, and no others", async () => {
    const before = await make(world, "service", { ...db, poolerEnabled: true });
    const unknown = { cpuMillis: UNKNOWN, memoryGbs: UNKNOWN };
    const shown = await previewed(world, before, { ...db, poolerEnabled: true, ...unknown });
    expect(unknownOutputs(shown)).toEqual(["cpuMillis", "memoryGbs", "resources"]);
    const after = await change(world, before, { ...db, poolerEnabled: true, cpuMillis: 1000, memoryGbs: 4 });
    expect(untrue(shown, after)).toEqual([]);
  });

  test("knows the connection strings, unless the change touches the address or the password is not known", async () => {
    const args = { ...db, poolerEnabled: true, ...first };
    const before = await make(world, "service", args);
    const { connectionUri, poolerConnectionUri } = before.outputs;
    expect(await previewed(world, before, { ...args, ...LARGE })).toMatchObject({ connectionUri, poolerConnectionUri });
    const off = await previewed(world, before, { ...args, poolerEnabled: false });
    expect(off).toMatchObject({ connectionUri, poolerConnectionUri: UNKNOWN });
    const unknown = await previewed(world, before, { ...args, password: UNKNOWN });
    expect(unknown).toMatchObject({ connectionUri: UNKNOWN, poolerConnectionUri: UNKNOWN });
  });

  test("does not know what a fork has and no read has shown", async () => {
    const source = await make(world, "service", db);
    const args = { name: "copy", ...SMALL, forkFrom: { serviceId: source.id, strategy: "NOW" } };
    const before = await make(world, "service", args);
    const { forkedFrom, resources: sizes, ...outputs } = before.outputs;
    const shown = await previewed(world, { ...before, outputs }, { ...args, name: "renamed" });
    expect(shown).toMatchObject({ forkedFrom: UNKNOWN, resources: UNKNOWN });
    const after = await change(world, { ...before, outputs }, { ...args, name: "renamed" });
    expect(after.outputs).toMatchObject({ forkedFrom, resources: sizes });
    const plain = await previewed(world, source, { ...db, name: "renamed" });
    expect(plain).not.toHaveProperty("forkedFrom");
  });

  test("does not know the addresses of a paused service that no read has shown", async () => {
    const args = { ...db, poolerEnabled: true, paused: true };
    const before = await make(world, "service", args);
    const { endpoint, connectionPooler, host, port, connectionUri: _, ...outputs } = before.outputs;
    const shown = await previewed(world, { ...before, outputs }, { ...args, ...LARGE });
    expect(shown).toMatchObject({ endpoint: UNKNOWN, connectionPooler: UNKNOWN, host: UNKNOWN, port: UNKNOWN });
    const after = await change(world, { ...before, outputs }, { ...args, ...LARGE });
    expect(after.outputs).toMatchObject({ endpoint, connectionPooler, host, port });
    expect(shown).not.toHaveProperty("vpcEndpoint");
  });

  test("does not know the protection where no read has shown a tag", async () => {
    const before = await make(world, "service", db);
    const { environment: _, ...outputs } = before.outputs;
    world.emulator.mutate.service(before.id, { environment: "PROD" });
    const shown = await previewed(world, { ...before, outputs }, { ...db, ...LARGE });
    expect(shown["deletionProtection"]).toBe(UNKNOWN);
    const after = await change(world, before, { ...db, ...LARGE });
    expect(after.outputs["deletionProtection"]).toBe(true);
  });

  test("has every address as unknown, the plain ones too, where the VPC is not known yet", async () => {
    const before = await make(world, "service", { ...db, poolerEnabled: true });
    const shown = await previewed(world, before, { ...db, poolerEnabled: true, vpcId: UNKNOWN });
    const addresses =
      "connectionPooler connectionUri endpoint host poolerConnectionUri poolerHost poolerPort port vpcEndpoint vpcId";
    expect(unknownOutputs(shown).join(" ")).toBe(addresses);
    const { id } = await make(world, "vpc", NET);
    expect(untrue(shown, await change(world, before, { ...db, poolerEnabled: true, vpcId: id }))).toEqual([]);
  });

  test("has the addresses of what an owner owns as unknown where the owner moves", async () => {
    const owner = await make(world, "service", db);
    const set = { serviceId: owner.id, name: "reads", nodes: 1, poolerEnabled: true, ...SMALL };
    const before = await make(world, "readReplicaSet", set);
    const { id } = await make(world, "vpc", NET);
    await previewed(world, owner, { ...db, vpcId: id });
    const shown = await previewed(world, before, set);
    expect(unknownOutputs(shown)).toEqual(["connectionPooler", "endpoint", "host", "poolerHost", "poolerPort", "port"]);
    await change(world, owner, { ...db, vpcId: id });
    const after = await change(world, before, set);
    expect(changedOutputs(before, after)).toContain("host");
    expect(untrue(shown, after)).toEqual([]);
  });

  test("knows no output where an interrupted run left steps to do, as none was read after them", async () => {
    const before = await make(world, "service", db);
    const { id } = await make(world, "vpc", NET);
    const next = { ...db, vpcId: id, poolerEnabled: true };
    world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 400 });
    const half = await change(world, before, next);
    expect(half.outputs).toMatchObject({ vpcId: id, __pending: ["enablePooler", "addresses moved"] });
    const shown = await previewed(world, half, next);
    const known = outputsOf(shown).filter((key) => !containsUnknown(shown[key]) && !(key in service.fields));
    expect(known).toEqual(["initialPassword", "serviceId"]);
    expect(untrue(shown, await change(world, half, next))).toEqual([]);
  });

  test("knows no input that lists have left out so far, as a read of the object alone shows it", async () => {
    await open({ switches: { omitZeroHa: true } });
    const [before] = await Promise.all([make(world, "service", db), make(world, "service", { ...db, name: "other" })]);
    expect(before.outputs["haReplicas"]).toBeUndefined();
    const next = { ...db, ...LARGE };
    const shown = await previewed(world, before, next);
    const after = await change(world, before, next);
    expect(after.outputs["haReplicas"]).toEqual({ replicaCount: 0, syncReplicaCount: 0 });
    expect(unknownOutputs(shown)).toEqual(["haReplicas", "poolerEnabled", "resources"]);
    expect(untrue(shown, after)).toEqual([]);
  });

  test("has a service as paused again that an interrupted run had to start, and that no input keeps paused", async () => {
    const made = await make(world, "service", { ...db, paused: true });
    const paused = await change(world, made, db);
    world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 400 });
    const next = { ...db, poolerEnabled: true };
    const half = await change(world, paused, next);
    expect(half.outputs).toMatchObject({ paused: false, __pending: ["enablePooler", "stop again"] });
    const shown = await previewed(world, half, next);
    const after = await change(world, half, next);
    expect(after.outputs["paused"]).toBe(true);
    expect(untrue(shown, after)).toEqual([]);
  });

  test("of a create knows its inputs alone", async () => {
    const urn = "urn:pulumi:dev::shop::dbcloud:index:service::db";
    const { outs } = await world.front("service").create({ urn }, db, true);
    expect(unknownOutputs(outs)).toEqual(expect.arrayContaining(["created", "host", "initialPassword", "resources"]));
    expect(outs).toMatchObject({ ...db, connectionUri: UNKNOWN });
    expect(world.calls()).toEqual([]);
  });
});

function unknownOutputs(shown: Values): string[] {
  return outputsOf(shown)
    .filter((key) => containsUnknown(shown[key]))
    .toSorted();
}
