// States written by every published version keep working: they are read, compared, changed and deleted by the handlers
// of today. `test/states` holds one file per version, never edited once that version is out.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Kept } from "../../support/world";
import { KINDS, NET, nextRun, useWorld, world } from "../scene";

const folder = path.join(__dirname, "..", "..", "states");
const versions = readdirSync(folder).filter((file) => file.endsWith(".json"));
const current = `${(JSON.parse(readFileSync(path.join(folder, "..", "..", "package.json"), "utf8")) as { version: string }).version}.json`;

const programs = {
  vpc: NET,
  peering: { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-1", waitFor: "provisioned" },
  service: {
    name: "orders",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 500,
    memoryGbs: 2,
    environment: "DEV",
    haReplicas: { replicaCount: 1 },
    poolerEnabled: true,
    password: "not a real password",
    onDelete: "delete",
    timeouts: { create: "1h" },
  },
  readReplicaSet: { name: "reports", nodes: 1, cpuMillis: 500, memoryGbs: 2, poolerEnabled: true },
};
type Stack = Record<keyof typeof programs, Kept>;

useWorld();

async function build(): Promise<Stack> {
  const vpc = await world.vpc.create(programs.vpc);
  const peering = await world.peering.create({ ...programs.peering, vpcId: vpc.id });
  const service = await world.service.create({ ...programs.service, vpcId: vpc.id });
  const readReplicaSet = await world.readReplicaSet.create({ ...programs.readReplicaSet, serviceId: service.id });
  return { vpc, peering, service, readReplicaSet };
}

test.each(versions)("a state of %s is read, compared, changed and deleted", async (file) => {
  const now = await build();
  const old = recall(file, now);
  nextRun();
  const refreshed = await refreshAll(old);
  const args = programsOf(now);
  for (const kind of KINDS) {
    expect(world[kind].preview(refreshed[kind], args[kind]).properties).toEqual([]);
  }
  expect(world.calls()).toEqual([]);
  const changed = await world.service.update(refreshed.service, { ...args.service, environment: "PROD" });
  expect(world.calls()).toEqual(["setEnvironment"]);
  const open = await world.service.update(changed, { ...args.service, environment: "PROD", deletionProtection: false });
  const set = await world.readReplicaSet.update(refreshed.readReplicaSet, args.readReplicaSet);
  await world.readReplicaSet.remove(set);
  await world.service.remove(open);
  await world.peering.remove(refreshed.peering);
  await world.vpc.remove(refreshed.vpc);
  const { services, vpcs, peerings, replicaSets } = world.emulator.state();
  expect([services, vpcs, peerings, replicaSets]).toEqual([[], [], [], []]);
});

test("the version in package.json has its state on file", async () => {
  // A new version writes its own file once; those of others are never touched.
  if (process.env["WRITE_STATE"] === "1" && !versions.includes(current)) {
    writeFileSync(path.join(folder, current), `${JSON.stringify(await build(), undefined, 2)}\n`);
  }
  expect(readdirSync(folder)).toContain(current);
});

function programsOf(now: Stack): Record<keyof Stack, Record<string, unknown>> {
  return {
    vpc: programs.vpc,
    peering: { ...programs.peering, vpcId: now.vpc.id },
    service: { ...programs.service, vpcId: now.vpc.id },
    readReplicaSet: { ...programs.readReplicaSet, serviceId: now.service.id },
  };
}

/** The old state, with the ids of the objects that this test has just made. */
function recall(file: string, now: Stack): Stack {
  let text = readFileSync(path.join(folder, file), "utf8");
  const then = JSON.parse(text) as Stack;
  for (const kind of KINDS) text = text.replaceAll(then[kind].id, now[kind].id);
  text = text.replaceAll(String(then.service.outputs["projectId"]), world.emulator.projectId);
  return JSON.parse(text) as Stack;
}

async function refreshAll(old: Stack): Promise<Stack> {
  const refreshed: Stack = { ...old };
  for (const kind of KINDS) {
    const kept = await world[kind].refresh(old[kind]);
    if (kept === undefined) throw new Error(`${kind} is taken for gone`);
    refreshed[kind] = kept;
  }
  return refreshed;
}
