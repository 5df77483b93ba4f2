// A create with everything (VPC, service, HA, attach, pooler, password) on the real CLI, which dies or is stopped in the
// middle, and what must hold after that: one service, whole, and nothing still to do.

import { afterEach, beforeEach, expect } from "vitest";
import type { OperationName } from "../../../emulator/index";
import { type CliRun, type Environment, fail, type Outcome, succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { Project } from "../../support/cli/project";

const PASSWORD = "a-password-for-the-shop";
const programWith = (classes: Classes): string => `
const { Service, Vpc } = require(${JSON.stringify(classes)});
const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
new Service("shop", {
  regionCode: "us-east-1", environment: "DEV", cpuMillis: 500, memoryGbs: 2,
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  vpcId: net.id, poolerEnabled: true, password: ${JSON.stringify(PASSWORD)},
});
`;

export type Classes = "pulumi-dbcloud" | "pulumi-dbcloud/native";

/** The exit code of a CLI that a signal has ended. */
export const KILLED = -1;

/** What the next `up` finds: nothing it must ask about, or an object that it names. */
export type Found = "nothing" | "the VPC" | "the service";

// Pulumi: without checkpoints the engine itself would forget what it knew when it is killed.
const checkpoints: Environment = { PULUMI_SKIP_CHECKPOINTS: undefined };

export let world: EngineWorld;
let project: Project;
let current: CliRun | undefined;

/** A world of its own for each test, in which nothing is made yet. */
export function useShop(): void {
  beforeEach(async () => {
    world = await openEngineWorld();
    project = await world.project("death", {});
  });
  afterEach(async () => {
    await current?.sweep();
    await world.close();
  });
}

/** The first run, which makes everything. */
export function startUp(classes: Classes = "pulumi-dbcloud"): CliRun {
  project.write({ "index.js": programWith(classes) });
  return (current = project.start("up --yes --skip-preview", checkpoints));
}

export function pulumi(args: string, extra: Environment = {}): Promise<Outcome> {
  return project.pulumi(args, { ...checkpoints, ...extra });
}

/** The next up ends, or stops and names what it found, and then ends with the adoption said. */
export async function goOn(found: Found): Promise<void> {
  const { services, vpcs } = world.emulator.state();
  world.calls();
  if (found === "nothing") await succeed(pulumi("up --yes --skip-preview"));
  if (found === "the VPC") await adopt(`net=${vpcs[0]?.id}`, "createVpc");
  if (found === "the service") await adopt(`shop=${services[0]?.id}`, "createService");
  expectAtMostOne();
}

async function adopt(word: string, create: OperationName): Promise<void> {
  const { text } = await fail(pulumi("up --yes --skip-preview"));
  expect(text).toContain(`DBCLOUD_ADOPT=${word} for one run`);
  expect(text).not.toContain(PASSWORD);
  expect(world.calls()).toEqual([]);
  expectAtMostOne();
  const told = await succeed(pulumi("preview", { DBCLOUD_ADOPT: word }));
  expect(told.text).toMatch(/adoptId: the existing .* will be adopted .*no new one is created/);
  await succeed(pulumi("up --yes --skip-preview", { DBCLOUD_ADOPT: word }));
  expect(world.calls()).not.toContain(create);
}

/** Of all there ever was, not only of what is left. */
export function expectAtMostOne(): void {
  const made = world.emulator.ledger().filter(({ event }) => event === "created");
  expect(made.filter(({ kind }) => kind === "service").length).toBeLessThanOrEqual(1);
  expect(made.filter(({ kind }) => kind === "vpc").length).toBeLessThanOrEqual(1);
  expect(world.emulator.ledger().filter(({ event }) => event === "deleted")).toEqual([]);
}

/** The service is as the program says, no operation is pending, and nothing is still to do. */
export async function expectWhole(): Promise<void> {
  const { services, vpcs } = world.emulator.state();
  expect(services).toHaveLength(1);
  expect(vpcs).toHaveLength(1);
  expect(services[0]).toMatchObject({ name: "death-shop-test", status: "READY", password: PASSWORD });
  await succeed(pulumi("refresh --yes --skip-preview --clear-pending-creates"));
  const { deployment } = JSON.parse(await project.state()) as { deployment: { pending_operations?: unknown[] } };
  expect(deployment.pending_operations ?? []).toEqual([]);
  const kept = await project.resources();
  expect(kept["net"]?.id).toBe(vpcs[0]?.id);
  expect(kept["shop"]).toMatchObject({
    id: services[0]?.id,
    outputs: { vpcId: vpcs[0]?.id, poolerEnabled: true, haReplicas: { replicaCount: 2, syncReplicaCount: 1 } },
  });
  await succeed(pulumi("preview --expect-no-changes"));
}
