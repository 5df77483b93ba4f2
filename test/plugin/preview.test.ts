// What the preview of an update shows of the outputs is what the update leaves, for every input that changes in place. And
// each output that an input is said to touch does change by it in one of the cases, so that none is unknown without need.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../emulator/index";
import { containsUnknown, UNKNOWN } from "../../provider/domain/values/unknown";
import { isEqual, type Values } from "../../provider/domain/values/value";
import { resources } from "../../provider/lifecycle/resources/index";
import { service } from "../../provider/lifecycle/resources/service";
import { visible } from "../../provider/lifecycle/state/state";
import { change, type Kept, make, previewed } from "../support/plugin";
import type { Kind } from "../support/providerProcess";
import { openWorld, type World } from "../support/world";

const small = { cpuMillis: 500, memoryGbs: 2 };
const db = { name: "db", regionCode: "us-east-1", ...small };
const net = { name: "net", regionCode: "us-east-1" };

interface Case {
  /** The inputs that change. */
  by: string[];
  from?: Values;
  to: Values;
  options?: EmulatorOptions;
}

/** `@net` and `@other` are the ids of VPCs, and `@db` that of a service. */
const CASES: Readonly<Record<Kind, Readonly<Record<string, Case>>>> = {
  service: {
    "another name": { by: ["name"], to: { name: "renamed" } },
    "another name, where the host has it": {
      by: ["name"],
      from: { poolerEnabled: true },
      to: { name: "renamed" },
      options: { switches: { renameMovesHost: true } },
    },
    "another name in a VPC, where the host has it": {
      by: ["name"],
      from: { vpcId: "@net" },
      to: { name: "renamed" },
      options: { switches: { renameMovesHost: true } },
    },
    "another tag": { by: ["environment"], to: { environment: "PROD" } },
    "a tag beside a protection": {
      by: ["environment"],
      from: { deletionProtection: false },
      to: { environment: "PROD" },
    },
    "another size": { by: ["cpuMillis", "memoryGbs"], to: { cpuMillis: 1000, memoryGbs: 4 } },
    "more replicas": { by: ["haReplicas"], to: { haReplicas: { replicaCount: 2, syncReplicaCount: 1 } } },
    "no replicas": {
      by: ["haReplicas"],
      from: { haReplicas: { replicaCount: 1 } },
      to: { haReplicas: { replicaCount: 0 } },
    },
    "into a VPC": { by: ["vpcId"], to: { vpcId: "@net" } },
    "into a VPC with a pooler": { by: ["vpcId"], from: { poolerEnabled: true }, to: { vpcId: "@net" } },
    "into a VPC, where the public address stays": {
      by: ["vpcId"],
      to: { vpcId: "@net" },
      options: { switches: { endpointInVpc: "kept" } },
    },
    "into another VPC": { by: ["vpcId"], from: { vpcId: "@net" }, to: { vpcId: "@other" } },
    "out of a VPC": { by: ["vpcId"], from: { vpcId: "@net", poolerEnabled: true }, to: { vpcId: undefined } },
    "a pooler": { by: ["poolerEnabled"], to: { poolerEnabled: true } },
    "no pooler": { by: ["poolerEnabled"], from: { poolerEnabled: true }, to: { poolerEnabled: false } },
    "another password": {
      by: ["password"],
      from: { password: "a-first-password" },
      to: { password: "a-second-password" },
    },
    "a first password": { by: ["password"], to: { password: "a-first-password" } },
    "a stop": { by: ["paused"], from: { poolerEnabled: true }, to: { paused: true } },
    "a stop in a VPC": { by: ["paused"], from: { vpcId: "@net" }, to: { paused: true } },
    "a start": { by: ["paused"], from: { paused: true, poolerEnabled: true }, to: { paused: false } },
    "a pooler, while it is paused": { by: ["poolerEnabled"], from: { paused: true }, to: { poolerEnabled: true } },
    "another size, while it is paused": {
      by: ["cpuMillis", "memoryGbs"],
      from: { paused: true },
      to: { cpuMillis: 1000, memoryGbs: 4 },
    },
    "several at once": {
      by: ["name", "cpuMillis", "memoryGbs", "poolerEnabled", "vpcId", "environment"],
      to: { name: "renamed", cpuMillis: 1000, memoryGbs: 4, poolerEnabled: true, vpcId: "@net", environment: "DEV" },
    },
    "an input that is no longer given": {
      by: ["haReplicas", "poolerEnabled", "password"],
      from: { haReplicas: { replicaCount: 1 }, poolerEnabled: true, password: "a-first-password" },
      to: { haReplicas: undefined, poolerEnabled: undefined, password: undefined },
    },
    "a tag that is no longer given": {
      by: ["environment"],
      from: { environment: "PROD" },
      to: { environment: undefined },
    },
    "settings of the provider": {
      by: [],
      to: { deletionProtection: true, onDelete: "stop", timeouts: { create: "2h" } },
    },
    "a protection that is no longer given": {
      by: [],
      from: { deletionProtection: true },
      to: { deletionProtection: undefined },
    },
  },
  vpc: { "another name": { by: ["name"], to: { name: "renamed" } } },
  peering: { "another wait": { by: [], from: { waitFor: "provisioned" }, to: { waitFor: "none" } } },
  readReplicaSet: {
    "another size": { by: ["cpuMillis", "memoryGbs"], to: { cpuMillis: 1000, memoryGbs: 4 } },
    "a pooler": { by: ["poolerEnabled"], to: { poolerEnabled: true } },
    "no pooler": { by: ["poolerEnabled"], from: { poolerEnabled: true }, to: { poolerEnabled: false } },
    "a tag": { by: ["environment"], to: { environment: "DEV" } },
  },
};

const all = Object.entries(CASES).flatMap(([kind, cases]) =>
  Object.entries(cases).map(([name, one]) => ({ kind: kind as Kind, name, ...one })),
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
let world: World;

beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** The arguments of the kind, with objects that the cases name in place of their marks. */
async function argsFor(kind: Kind, values: Values): Promise<Values> {
  const own: Readonly<Record<Kind, Values>> = {
    service: db,
    vpc: { ...net, cidr: "10.0.0.0/24" },
    peering: { vpcId: "@net", peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0abc" },
    readReplicaSet: { serviceId: "@db", name: "reads", nodes: 1, ...small },
  };
  const marks: Readonly<Record<string, () => Promise<Kept>>> = {
    "@net": () => make(world, "vpc", { ...net, cidr: "10.0.0.0/24" }),
    "@other": () => make(world, "vpc", { ...net, name: "other", cidr: "10.1.0.0/24" }),
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

describe("the preview of an update", () => {
  test.each(all)("$kind: $name", async ({ kind, by, from = {}, to, options }) => {
    if (options !== undefined) {
      await world.close();
      world = await openWorld(options);
    }
    const args = await argsFor(kind, from);
    const before = await make(world, kind, args);
    const next = { ...args, ...(await argsFor(kind, { ...args, ...to })) };
    const shown = await previewed(world, before, next);
    const after = await change(world, before, next);
    expect(untrue(shown, after)).toEqual([]);
    for (const key of by) for (const output of changedOutputs(before, after)) moved.add(`${kind} ${key} ${output}`);
  });

  test.each(Object.keys(CASES) as Kind[])(
    "%s: each output that an input touches changes by it in one of the cases",
    (kind) => {
      for (const [key, { touches }] of Object.entries(resources[kind].rows)) {
        const hasCase = all.some((one) => one.kind === kind && one.by.includes(key));
        const unproven = touches.filter((output) => ![...moved, ...UNPROVEN].includes(`${kind} ${key} ${output}`));
        expect({ key, hasCase, unproven }).toEqual({ key, hasCase: true, unproven: [] });
      }
    },
  );

  test("a value that is not known yet: the outputs that it touches are unknown, and no others", async () => {
    const before = await make(world, "service", { ...db, poolerEnabled: true });
    const unknown = { cpuMillis: UNKNOWN, memoryGbs: UNKNOWN };
    const shown = await previewed(world, before, { ...db, poolerEnabled: true, ...unknown });
    expect(unknownOutputs(shown)).toEqual(["cpuMillis", "memoryGbs", "resources"]);
    const after = await change(world, before, { ...db, poolerEnabled: true, cpuMillis: 1000, memoryGbs: 4 });
    expect(untrue(shown, after)).toEqual([]);
  });

  test("a VPC that is not known yet: every address is unknown, the plain ones too", async () => {
    const before = await make(world, "service", { ...db, poolerEnabled: true });
    const shown = await previewed(world, before, { ...db, poolerEnabled: true, vpcId: UNKNOWN });
    const addresses = [
      "connectionPooler",
      "endpoint",
      "host",
      "poolerHost",
      "poolerPort",
      "port",
      "vpcEndpoint",
      "vpcId",
    ];
    expect(unknownOutputs(shown)).toEqual(addresses);
    const { id } = await make(world, "vpc", { ...net, cidr: "10.0.0.0/24" });
    expect(untrue(shown, await change(world, before, { ...db, poolerEnabled: true, vpcId: id }))).toEqual([]);
  });

  test("an owner that moves takes the addresses of what it owns with it", async () => {
    const owner = await make(world, "service", db);
    const set = { serviceId: owner.id, name: "reads", nodes: 1, poolerEnabled: true, ...small };
    const before = await make(world, "readReplicaSet", set);
    const { id } = await make(world, "vpc", { ...net, cidr: "10.0.0.0/24" });
    await previewed(world, owner, { ...db, vpcId: id });
    const shown = await previewed(world, before, set);
    expect(unknownOutputs(shown)).toEqual(["connectionPooler", "endpoint", "host", "poolerHost", "poolerPort", "port"]);
    await change(world, owner, { ...db, vpcId: id });
    const after = await change(world, before, set);
    expect(changedOutputs(before, after)).toContain("host");
    expect(untrue(shown, after)).toEqual([]);
  });

  test("steps that an interrupted run left to do: no output is known, as none was read after them", async () => {
    const before = await make(world, "service", db);
    const { id } = await make(world, "vpc", { ...net, cidr: "10.0.0.0/24" });
    const next = { ...db, vpcId: id, poolerEnabled: true };
    world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 400 });
    const half = await change(world, before, next);
    expect(half.outputs).toMatchObject({ vpcId: id, __pending: ["enablePooler", "addresses moved"] });
    const shown = await previewed(world, half, next);
    const known = outputsOf(shown).filter((key) => !containsUnknown(shown[key]) && !(key in service.fields));
    expect(known).toEqual(["initialPassword"]);
    expect(untrue(shown, await change(world, half, next))).toEqual([]);
  });

  test("a service that an interrupted run had to start, and that no input keeps paused: it is paused again", async () => {
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

  test("a create knows its inputs alone", async () => {
    const urn = "urn:pulumi:dev::shop::dbcloud:index:service::db";
    const { outs } = await world.front("service").create({ urn }, db, true);
    expect(unknownOutputs(outs)).toEqual(expect.arrayContaining(["created", "host", "initialPassword", "resources"]));
    expect(outs).toMatchObject(db);
    expect(world.calls()).toEqual([]);
  });
});

function unknownOutputs(shown: Values): string[] {
  return outputsOf(shown)
    .filter((key) => containsUnknown(shown[key]))
    .toSorted();
}
