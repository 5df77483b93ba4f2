// What a user gets: the packed package, installed by npm into an empty folder outside the repository, with a program of
// 20 lines in TypeScript.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Environment,
  fail,
  isAlive,
  type Outcome,
  runCommand,
  startCli,
  succeed,
  until,
} from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld, root } from "../../support/engineWorld";

const program = `import * as pulumi from "@pulumi/pulumi";
import { ReadReplicaSet, Service, Vpc } from "pulumi-dbcloud";

const config = new pulumi.Config();
const regionCode = config.get("region") ?? "us-east-1";
const vpc = new Vpc("main", { cidr: "10.0.0.0/24", regionCode });
const orders = new Service("orders", {
  regionCode,
  cpuMillis: 1000,
  memoryGbs: 4,
  haReplicas: { replicaCount: 1 },
  vpcId: vpc.vpcId,
  poolerEnabled: true,
});
const reports = new ReadReplicaSet("reports", { serviceId: orders.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });

export const url = orders.connectionString({ via: "pooler" });
export const reportsAddress = reports.endpoint;
`;

let world: EngineWorld;

beforeAll(async () => {
  world = await openEngineWorld();
});

afterAll(async () => {
  await world.close();
});

async function npm(cwd: string, ...args: string[]): Promise<void> {
  await promisify(execFile)("npm", [...args, "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd,
  });
}

function pulumiVersion(): string {
  const file = path.join(root, "node_modules", "@pulumi", "pulumi", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

interface SourceMap {
  sources: string[];
  sourcesContent?: (string | null)[];
}

/** Every source map of the installed package, by its file. */
function sourceMapsIn(folder: string): [file: string, map: SourceMap][] {
  const dist = path.join(folder, "node_modules", "pulumi-dbcloud", "dist");
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js.map"))
    .map((file) => [file, JSON.parse(readFileSync(path.join(dist, file), "utf8")) as SourceMap]);
}

test("the packed package works in an empty folder: up, an equal preview, destroy without a change", async () => {
  const folder = path.join(world.folder, "shop");
  mkdirSync(folder);
  await npm(root, "pack", "--pack-destination", world.folder);
  const [tarball] = readdirSync(world.folder).filter((name) => name.endsWith(".tgz"));
  // Each run installs into a folder of its own, and nobody uses what it compiles once more.
  world.environment["NODE_COMPILE_CACHE"] = path.join(world.folder, "compiled");
  const project = world.at(folder);
  project.write({
    "Pulumi.yaml": "name: shop\nruntime: nodejs\nmain: index.ts\n",
    "package.json": '{ "name": "shop", "private": true, "main": "index.ts" }',
    "index.ts": program,
  });
  await npm(folder, "install", path.join("..", tarball ?? "nothing was packed"), `@pulumi/pulumi@${pulumiVersion()}`);

  const maps = sourceMapsIn(folder);
  expect(maps.length).toBeGreaterThan(50);
  const without = maps.filter(([, { sources, sourcesContent }]) => {
    return !sources.every((_, index) => (sourcesContent?.[index] ?? "") !== "");
  });
  // The package holds no sources: a debugger finds them in the maps alone.
  expect(without.map(([file]) => file)).toEqual([]);
  expect(readFileSync(path.join(folder, "node_modules/pulumi-dbcloud/SECURITY.md"), "utf8")).toContain("--event-log");

  await succeed(project.pulumi("stack init dev"));
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({
    vpcs: [{ name: "main-dev" }],
    services: [{ name: "orders-dev", poolerEnabled: true, replicaCount: 1 }],
    replicaSets: [{ name: "reports-dev" }],
  });
  await succeed(project.pulumi("preview --expect-no-changes"));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [], replicaSets: [] });
});

/** The example of tests, beside the packages that the first test has installed, and the runner of this repository. */
function exampleFolder(): string {
  const folder = path.join(world.folder, "testing");
  cpSync(path.join(root, "examples", "testing"), folder, { recursive: true });
  const packages = path.join(world.folder, "shop", "node_modules");
  symlinkSync(path.join(root, "node_modules", "vitest"), path.join(packages, "vitest"));
  symlinkSync(packages, path.join(folder, "node_modules"));
  return folder;
}

/** As a user has it: nothing of this test's account or backend; temporary files in a folder that can be looked at. */
function userEnvironment(temporary: string): Environment {
  mkdirSync(temporary, { recursive: true });
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(PULUMI_|DBCLOUD_(?!PULUMI_ROOT)|VITEST|NODE_OPTIONS$)/.test(key),
  );
  return {
    ...Object.fromEntries(own),
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    HOME: temporary,
    DBCLOUD_BASE_URL: "https://production.example/v1",
  };
}

const tiny = `import { expect, test } from "vitest";
import { Vpc } from "pulumi-dbcloud";
import { createTestStack } from "pulumi-dbcloud/testing";
test("NAME", async () => {
  const program = () => void new Vpc("NAME", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  await using stack = await createTestStack({ program });
  await stack.up();
  expect(stack.emulator.state().vpcs).toMatchObject([{ name: "NAME-test" }]);
});
`;

const optionsSuite = `import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { getServiceOutput, Provider, Service, Vpc } from "pulumi-dbcloud";
import { createTestStack } from "pulumi-dbcloud/testing";

test("configuration, secret outputs, and look-ups, which ask the emulator whatever the environment says", async () => {
  const program = () => {
    const password = new pulumi.Config().requireSecret("password");
    const orders = new Service("orders", { regionCode: new pulumi.Config("other").require("region"), password });
    const found = getServiceOutput({ serviceId: orders.serviceId });
    return { url: orders.connectionString(), found: found.name };
  };
  const config = { password: { value: "a-secret-of-a-test", secret: true }, "other:region": "eu-west-1" } as const;
  await using stack = await createTestStack({ program, config });
  const up = await stack.up();
  expect(up.outputs).toMatchObject({ url: { secret: true }, found: { value: "orders-test", secret: false } });
  expect(up.outputs["url"]?.value).toContain("a-secret-of-a-test");
  expect(stack.resource("Service/orders").inputs).toMatchObject({ password: "[secret]", regionCode: "eu-west-1" });
  expect(up.changes("orders")["password"]).toEqual([undefined, "[secret]"]);
  expect(() => stack.resource("nobody")).toThrow('there is no resource "nobody"; there is Service/orders');
  expect(up.calls()).toEqual(["createService", "updatePassword"]);
});

test("an explicit provider of a real deployment is refused before anything is sent", async () => {
  const program = () => {
    const provider = new Provider("prod", { apiKey: "k", projectId: "p", baseUrl: "https://production.example/v1" });
    return void new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" }, { provider });
  };
  await using stack = await createTestStack({ program });
  await expect(stack.up()).rejects.toThrow(/production\\.example.*; allowed: only "http:\\/\\/127\\.0\\.0\\.1/);
});

test("a project in a folder, in which nothing is written", async () => {
  await using stack = await createTestStack({ workDir: "project", stack: "dev" });
  await stack.up();
  expect(stack.emulator.state().vpcs).toMatchObject([{ name: "net-dev" }]);
  const preview = await stack.preview();
  expect([preview.summary, preview.calls()]).toEqual([{ same: 2 }, []]);
});
`;

const project = {
  "Pulumi.yaml": "name: net\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.js\n",
  "index.js": `import { Vpc } from "pulumi-dbcloud";\nnew Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });\n`,
};

test("the example's suites pass, with eight more files beside them, and leave nothing behind", async () => {
  const cwd = exampleFolder();
  const temporary = path.join(world.folder, "temporary");
  const environment = userEnvironment(temporary);
  const names = Array.from({ length: 8 }, (_, index) => `net-${index}`);
  for (const name of names) writeFileSync(path.join(cwd, "test", `${name}.vitest.ts`), tiny.replaceAll("NAME", name));
  writeFileSync(path.join(cwd, "test", "options.vitest.ts"), optionsSuite);
  mkdirSync(path.join(cwd, "project"));
  for (const [name, text] of Object.entries(project)) writeFileSync(path.join(cwd, "project", name), text);
  const before = filesIn(cwd);
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const suites = await succeed(runCommand(process.execPath, [vitest, "run"], { cwd, environment }));
  expect(suites.text).toMatch(/Tests\s+14 passed \(14\)/);
  expect(suites.text).not.toMatch(/Previewing|Updating|Resources:/);
  const node = await succeed(runCommand(process.execPath, ["--test", "test/stack.node.ts"], { cwd, environment }));
  expect(node.text).toMatch(/pass 3\n/);
  expect(filesIn(cwd)).toEqual(before);
  expect(readdirSync(temporary).filter((name) => name.startsWith("dbcloud-test-"))).toEqual([]);
});

/** Without the packages. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => !file.startsWith("node_modules"));

const endless = `import { Service } from "pulumi-dbcloud";
import { createTestStack } from "pulumi-dbcloud/testing";
const stack = await createTestStack({
  program: () => void new Service("orders", { regionCode: "us-east-1" }),
  emulator: { timings: { create: Infinity } },
});
stack.emulator.watchRequests(({ operation }) => operation === "getService" && console.log("waiting in", stack.folder));
await stack.up();
`;

test("a test that is killed with -9 leaves no process and no folder", async () => {
  const cwd = path.join(world.folder, "testing");
  const temporary = path.join(world.folder, "killed");
  writeFileSync(path.join(cwd, "endless.mjs"), endless);
  const run = startCli(process.execPath, ["endless.mjs"], { cwd, environment: userEnvironment(temporary) });
  try {
    let early: Outcome | undefined;
    void run.outcome.then((outcome) => (early = outcome));
    await until(() => run.printed().includes("waiting in") || early !== undefined);
    expect(early?.text).toBeUndefined();
    const below = run.below();
    expect(run.providers()).toHaveLength(1);
    expect(readdirSync(temporary)).toContain(path.basename(run.printed().trim().split(" ").at(-1) ?? ""));
    run.kill("the CLI");
    await until(() => below.every((pid) => !isAlive(pid)));
    await until(() => !readdirSync(temporary).some((name) => name.startsWith("dbcloud-test-")));
  } finally {
    run.sweep();
  }
  expect(readdirSync(temporary).filter((name) => !/^(automation-logs|node-compile-cache|\.)/.test(name))).toEqual([]);
});

test("without the Pulumi CLI the first line says so, and what to do; a program is a program or a folder", async () => {
  const cwd = path.join(world.folder, "testing");
  const ask = (options: string): Promise<Outcome> => {
    const source = `import { createTestStack } from "pulumi-dbcloud/testing"; await createTestStack(${options});`;
    const environment = {
      ...userEnvironment(path.join(world.folder, "none")),
      DBCLOUD_PULUMI_ROOT: undefined,
      PATH: "/nowhere",
    };
    return runCommand(process.execPath, ["--input-type=module", "--eval", source], { cwd, environment });
  };
  const { text } = await fail(ask("{ program: () => undefined }"));
  expect(text).toMatch(
    /a test stack runs the Pulumi CLI, and there is none on PATH\. Install it \(https.*DBCLOUD_PULUMI_ROOT/,
  );
  expect((await fail(ask("{ program: () => undefined, pulumiRoot: '/x' }"))).text).toContain("there is none in /x/bin");
  expect(readdirSync(path.join(world.folder, "none")).filter((name) => name.startsWith("dbcloud-test-"))).toEqual([]);
});
