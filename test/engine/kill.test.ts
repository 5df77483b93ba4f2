// Process death on the real CLI, at the request boundaries of one create with everything: VPC, service, HA, attach,
// pooler, password. Before a request takes effect, or after it did and before its answer, the CLI and its provider
// process get a SIGKILL. Three boundaries run by default; `KILL_MATRIX=full` runs them all, some 20 s each.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OperationName } from "../../emulator/index";
import {
  type CliRun,
  type Environment,
  fail,
  isAlive,
  meets,
  type Outcome,
  succeed,
  until,
} from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import type { Project } from "../support/project";

const PASSWORD = "a-password-for-the-shop";
const program = `
const { Service, Vpc } = require("pulumi-dbcloud");
const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
new Service("shop", {
  regionCode: "us-east-1", environment: "DEV", cpuMillis: 500, memoryGbs: 2,
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  vpcId: net.id, poolerEnabled: true, password: ${JSON.stringify(PASSWORD)},
});
`;

const KILLED = -1;

/** What the next `up` finds: nothing it must ask about, or an object that it names. */
type Found = "nothing" | "the VPC" | "the service";

/** In the order of the requests; "before" and "after" they took effect. */
const BOUNDARIES: [operation: OperationName, moment: "before" | "after", found: Found][] = [
  ["listVpcs", "before", "nothing"],
  ["createVpc", "before", "nothing"],
  ["createVpc", "after", "the VPC"],
  ["listServices", "before", "nothing"],
  ["createService", "before", "nothing"],
  ["createService", "after", "the service"],
  ["getService", "before", "the service"],
  ["setHA", "before", "the service"],
  ["setHA", "after", "the service"],
  ["attachToVPC", "before", "the service"],
  ["attachToVPC", "after", "the service"],
  ["enablePooler", "before", "the service"],
  ["enablePooler", "after", "the service"],
  ["updatePassword", "before", "the service"],
  ["updatePassword", "after", "the service"],
];
const ALWAYS = ["createService before", "createService after", "attachToVPC after"];
const isFull = process.env["KILL_MATRIX"] === "full";
const matrix = BOUNDARIES.filter(([operation, moment]) => isFull || ALWAYS.includes(`${operation} ${moment}`));

// Pulumi: without checkpoints the engine itself would forget what it knew when it is killed.
const checkpoints: Environment = { PULUMI_SKIP_CHECKPOINTS: undefined };

let world: EngineWorld;
let project: Project;
let current: CliRun | undefined;

beforeEach(async () => {
  world = await openEngineWorld();
  project = await world.project("death", { "index.js": program });
});

afterEach(async () => {
  current?.sweep();
  current = undefined;
  await world.close();
});

describe("SIGKILL of everything", () => {
  test.each(matrix)("%s, %s it took effect: the next up finds %s", async (operation, moment, found) => {
    const run = startUp();
    await meets(run, world.emulator.faults.add({ operation, kind: "stall", commit: moment === "after" }));
    run.kill("everything");
    expect((await run.outcome).code).toBe(KILLED);
    expectAtMostOne();
    await pulumi("cancel --yes");
    await goOn(found);
    await expectWhole();
  });
});

test("SIGKILL of the CLI alone: the provider process finishes the create and ends by itself", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "delay", ms: 500 }));
  const providers = run.providers();
  run.kill("the CLI");
  expect((await run.outcome).code).toBe(KILLED);
  expect(providers).toHaveLength(1);
  await until(() => !providers.some(isAlive));
  expect(world.calls().at(-1)).toBe("updatePassword");
  await pulumi("cancel --yes");
  await goOn("the service");
  await expectWhole();
});

test("SIGKILL of the provider process alone: the CLI says so and ends", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "stall", commit: true }));
  run.kill("the provider process");
  const { text } = await fail(run.outcome);
  expect(text).toContain("Service shop");
  await goOn("the service");
  await expectWhole();
});

test("Ctrl-C once: the create is finished and kept", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "delay", ms: 1_000 }));
  run.interrupt();
  const { text } = await fail(run.outcome);
  expect(text).toContain("update canceled");
  expect(world.calls().at(-1)).toBe("updatePassword");
  await goOn("nothing");
  expect(world.calls()).toEqual([]);
  await expectWhole();
});

test("Ctrl-C twice: it ends at once, and the next up names the service", async () => {
  const run = startUp();
  await meets(run, world.emulator.faults.add({ operation: "attachToVPC", kind: "stall", commit: true }));
  run.interrupt();
  await until(() => /cancell?ing|terminate immediately/i.test(run.printed()));
  run.interrupt();
  const { text } = await fail(run.outcome);
  expect(text).toContain("interrupted");
  await goOn("the service");
  await expectWhole();
});

function startUp(): CliRun {
  return (current = project.start("up --yes --skip-preview", checkpoints));
}

function pulumi(args: string, extra: Environment = {}): Promise<Outcome> {
  return project.pulumi(args, { ...checkpoints, ...extra });
}

/** The next up ends, or stops and names what it found, and then ends with the adoption said. */
async function goOn(found: Found): Promise<void> {
  const { services, vpcs } = world.emulator.state();
  world.calls();
  if (found === "nothing") await succeed(pulumi("up --yes --skip-preview"));
  if (found === "the VPC") await adopt(vpcs[0]?.id, "createVpc");
  if (found === "the service") await adopt(services[0]?.id, "createService");
  expectAtMostOne();
}

async function adopt(id: string | undefined, create: OperationName): Promise<void> {
  const { text } = await fail(pulumi("up --yes --skip-preview"));
  expect(text).toContain(`DBCLOUD_ADOPT=${id}`);
  expect(text).not.toContain(PASSWORD);
  expect(world.calls()).toEqual([]);
  expectAtMostOne();
  await succeed(pulumi("up --yes --skip-preview", { DBCLOUD_ADOPT: id }));
  expect(world.calls()).not.toContain(create);
}

/** Of all there ever was, not only of what is left. */
function expectAtMostOne(): void {
  const made = world.emulator.ledger().filter(({ event }) => event === "created");
  expect(made.filter(({ kind }) => kind === "service").length).toBeLessThanOrEqual(1);
  expect(made.filter(({ kind }) => kind === "vpc").length).toBeLessThanOrEqual(1);
  expect(world.emulator.ledger().filter(({ event }) => event === "deleted")).toEqual([]);
}

/** The service is as the program says, no operation is pending, nothing is left to do, and destroy leaves nothing. */
async function expectWhole(): Promise<void> {
  const { services, vpcs } = world.emulator.state();
  expect(services).toHaveLength(1);
  expect(vpcs).toHaveLength(1);
  expect(services[0]).toMatchObject({ name: "shop-test", status: "READY", password: PASSWORD });
  await succeed(pulumi("refresh --yes --skip-preview --clear-pending-creates"));
  const { deployment } = JSON.parse(await project.state()) as { deployment: { pending_operations?: unknown[] } };
  expect(deployment.pending_operations ?? []).toEqual([]);
  const { shop, net } = await project.resources();
  expect(net?.id).toBe(vpcs[0]?.id);
  expect(shop).toMatchObject({
    id: services[0]?.id,
    outputs: { vpcId: net?.id, poolerEnabled: true, haReplicas: { replicaCount: 2, syncReplicaCount: 1 } },
  });
  await succeed(pulumi("preview --expect-no-changes"));
  await succeed(pulumi("destroy --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({ services: [], vpcs: [] });
}
