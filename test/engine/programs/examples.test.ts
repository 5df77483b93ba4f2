// The examples as a user copies them, and the pages of docs/: each block of commands runs as it is printed, in the folder of
// the example, and is judged by what is then on the server. `testing` has a test of its own (testingPackage.test.ts).

import { readdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { standIn } from "../../support/cli/printed";
import { blocksOf, root, textOf } from "../../support/repository";
import { folderWithPackages } from "../../support/cli/project";
import { type Environment, fail, type Outcome, runCommand, succeed } from "../../support/cliProcess";
import { needPostgres } from "../../support/required";
import { useEngineWorld, world } from "../world";
import { isBuildServer } from "../../support/repeats";

const LAB_KEY = "key-of-the-lab";
const PROJECTS = [
  { id: "shop000001", name: "shop" },
  { id: "lab0000001", name: "lab" },
];

useEngineWorld(
  {
    postgres: "auto",
    projects: PROJECTS,
    callers: [{ token: LAB_KEY, kind: "pat", projectId: "lab0000001" }],
    timings: { peeringActive: Infinity },
  },
  async () => {
    // `aws` writes down what it was told.
    standIn(world, { aws: 'printf "%s " "$@" > aws.txt', curl: "exit 0" });
    Object.assign(world.environment, {
      DBCLOUD_PROJECT_ID: "shop000001",
      SHOP_KEY: world.emulator.apiKey,
      LAB_KEY,
      NODE_EXTRA_CA_CERTS: world.emulator.caFile,
      PGSSLROOTCERT: world.emulator.caFile,
      // Pulumi: each run would check the types of the program, which `npm test` checks once, and preview it first.
      PULUMI_NODEJS_TRANSPILE_ONLY: "true",
      PULUMI_OPTION_SKIP_PREVIEW: "true",
    });
  },
);

/** What a failed test has left must not fail the next one. */
beforeEach(() => {
  for (const { id } of services()) world.emulator.mutate.deleteService(id);
});

/** By example, the blocks of its README that its test has not run. */
const left = new Map<string, string[]>();

afterEach(({ task }) => {
  const unrun = [...left.values()].flat();
  left.clear();
  if (unrun.length > 0 && task.result?.state !== "fail") throw new Error(`not run: ${unrun.join("\n")}`);
});

interface Example {
  folder: string;
  /** Runs the next block of commands of the README. */
  next: (environment?: Environment) => Promise<Outcome>;
}

async function example(name: string, folder?: string): Promise<Example> {
  const place = folder ?? (await world.example(name)).folder;
  const blocks = blocksOf(textOf("examples", name, "README.md"));
  return {
    folder: place,
    next: (more = {}) => {
      const block = blocks.shift() ?? "exit 99";
      left.set(name, blocks);
      return runCommand("sh", ["-ec", block], { cwd: place, environment: { ...world.environment, ...more } });
    },
  };
}

const services = () => world.emulator.state().services.toSorted((a, b) => a.name.localeCompare(b.name));
const lastLine = ({ out }: Outcome): string => out.trim().split("\n").at(-1) ?? "";

test("minimal is one database, whose address only a secret output shows", async () => {
  const { next } = await example("minimal");
  const up = await succeed(next());
  expect(services()).toMatchObject([{ name: "minimal-orders-dev", cpuMillis: 500, environment: "DEV" }]);
  expect(lastLine(up)).toContain(encodeURIComponent(services()[0]?.initialPassword ?? "-"));
  expect(up.text).toMatch(/url +: \[secret\]/);
  await succeed(next());
  expect(services()).toEqual([]);
});

test.runIf(isBuildServer)("private-service makes its half of a peering, and the other side accepts it", async () => {
  const { folder, next } = await example("private-service");
  await succeed(next());
  await succeed(next());
  const [peering] = world.emulator.state().peerings;
  const told = readFileSync(path.join(folder, "aws.txt"), "utf8");
  expect(told).toContain(`--vpc-peering-connection-id ${peering?.provisionedId} `);
  world.emulator.mutate.peering(peering?.id ?? "", { status: "active" });
  const refreshed = await succeed(next());
  const { office } = await world.at(folder).resources();
  expect(office?.outputs).toMatchObject({ status: "active" });
  expect(lastLine(refreshed)).toMatch(/^postgresql:\/\/.+:.+@.+:\d+\//);
  await succeed(next());
  expect(world.emulator.state()).toMatchObject({ services: [], peerings: [], vpcs: [] });
});

test.runIf(isBuildServer)("production is kept by a destroy, and goes once its lock is open", async () => {
  const { next } = await example("production");
  await succeed(next());
  const before = world.emulator.state();
  expect(before.services).toMatchObject([{ environment: "PROD", replicaCount: 2, poolerEnabled: true }]);
  expect((await fail(next({ PULUMI_OPTION_SKIP_PREVIEW: undefined }))).text).toContain("Preview failed");
  expect(world.emulator.state()).toMatchObject({ services: before.services, replicaSets: before.replicaSets });
  await succeed(next());
  expect(world.emulator.state()).toMatchObject({ services: [], replicaSets: [] });
});

test.runIf(isBuildServer)(
  "staging-from-production copies a service that it only names, previews without a key, and makes the copy anew",
  async () => {
    const fields = { name: "orders-prod", cpuMillis: 4000, memoryGbs: 16, environment: "PROD" };
    const original = world.emulator.mutate.createService({ projectId: "shop000001", ...fields });
    const { folder, next } = await example("staging-from-production");
    await succeed(next({ PRODUCTION_ID: original.id }));
    const environment = { ...world.environment, DBCLOUD_API_KEY: undefined };
    await succeed(runCommand("pulumi", ["preview", "--expect-no-changes"], { cwd: folder, environment }));
    const [, first] = services();
    expect(services()).toMatchObject([
      { id: original.id },
      { name: "staging-from-production-copy-staging", cpuMillis: 500, forkedFrom: { serviceId: original.id } },
    ]);
    await succeed(next());
    expect(services()).toMatchObject([{ id: original.id }, { name: "staging-from-production-copy-staging" }]);
    expect(services()[1]?.id).not.toBe(first?.id);
    await succeed(next());
    expect(services()).toMatchObject([{ id: original.id, environment: "PROD" }]);
  },
);

test.runIf(isBuildServer)("multi-environment has a database for each stack, as its configuration says", async () => {
  const { next } = await example("multi-environment");
  await succeed(next());
  expect(services()).toMatchObject([
    { name: "multi-environment-orders-dev", cpuMillis: 500, environment: "DEV", replicaCount: 0 },
    { name: "multi-environment-orders-prod", cpuMillis: 2000, environment: "PROD", replicaCount: 1 },
  ]);
  expect((await succeed(next())).out).toContain("No drift");
  await succeed(next());
  expect(services()).toMatchObject([{ name: "multi-environment-orders-prod" }]);
  await succeed(next());
  expect(services()).toEqual([]);
});

test.runIf(isBuildServer)("component gives its children its account, and strings to write and to read", async () => {
  const { next } = await example("component");
  await succeed(next());
  expect(services()).toMatchObject([
    { name: "component-orders-dev", projectId: "shop000001" },
    { name: "component-scratch-dev", projectId: "lab0000001" },
  ]);
  expect(world.emulator.state().replicaSets).toMatchObject([{ name: "component-orders-readers-dev", nodes: 2 }]);
  await succeed(next());
  expect(services()).toEqual([]);
});

test.runIf(isBuildServer)("several-accounts creates each database with its provider's key and project", async () => {
  const { folder, next } = await example("several-accounts");
  const { text } = await succeed(next({ DBCLOUD_API_KEY: undefined }));
  expect(text).toMatch(/labServices: \[\s+\[0\]: "several-accounts-scratch-dev"/);
  expect(services()).toMatchObject([
    { name: "several-accounts-orders-dev", projectId: "shop000001" },
    { name: "several-accounts-scratch-dev", projectId: "lab0000001" },
  ]);
  const state = await world.at(folder).state();
  expect(state).not.toContain(LAB_KEY);
  expect(state).not.toContain(world.emulator.apiKey);
  await succeed(next({ DBCLOUD_API_KEY: undefined }));
  expect(services()).toEqual([]);
});

test.runIf(isBuildServer)(
  "automation makes and destroys a database, shows progress, and fails as commands do",
  async () => {
    const { next } = await example("automation");
    // What fails must not look like a database that is there.
    const refused = await fail((await example("automation")).next({ DBCLOUD_API_KEY: "wrong" }));
    expect(refused.error).toContain("does not accept the API key");
    // What is over sooner shows no row.
    world.emulator.settings.timings.create = 1_000;
    const up = await succeed(next());
    expect(services()).toMatchObject([{ id: lastLine(up), name: "review-42" }]);
    expect(up.error).toContain("review: createService: review-42\n");
    await succeed(next());
    expect(services()).toEqual([]);
  },
);

test.runIf(isBuildServer)("migrations has its tables after the first `up`", async ({ skip }) => {
  needPostgres(world.emulator.state(), skip);
  const { folder, next } = await example("migrations");
  for (const name of ["pg", "@types"]) {
    symlinkSync(path.join(root, "node_modules", name), path.join(folder, "node_modules", name));
  }
  const up = await succeed(next());
  expect(up.out).toMatch(/count *\n-+\n +0\n/);
  await succeed(next());
  expect(services()).toEqual([]);
});

test("template is a new project of `pulumi new`", async () => {
  const folder = folderWithPackages(world.folder, "template");
  const { next } = await example("template", folder);
  await succeed(next());
  expect(services()).toMatchObject([{ name: "shop-database-dev", regionCode: "us-east-1" }]);
  expect(readFileSync(path.join(folder, "Pulumi.yaml"), "utf8")).toContain("name: shop\n");
  await succeed(next());
  expect(services()).toEqual([]);
});

/** Pages whose commands run one after the other. */
const PAGES = ["configuration", "passwords", "drift", "adopting", "upgrading"];
/** Pages whose commands have tests of their own; those of `forks` are in the README of `staging-from-production`. */
const ELSEWHERE = [
  "automation",
  "emulator",
  "emulator-data",
  "errors",
  "forks",
  "getting-started",
  "languages",
  "plugin",
];

test.runIf(isBuildServer)("the pages' commands run as printed, in a project that the first page sets up", async () => {
  const docs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
  const blocks = docs.map((name) => [path.parse(name).name, blocksOf(textOf("docs", name))] as const);
  const withCommands = blocks.flatMap(([name, { length }]) => (length > 0 ? [name] : []));
  expect(withCommands.toSorted()).toEqual([...PAGES, ...ELSEWHERE].toSorted());

  const { folder } = await world.example("minimal");
  const run = async (block: string): Promise<Outcome> =>
    succeed(runCommand("sh", ["-ec", block], { cwd: folder, environment: world.environment }));
  const pageOf = (name: string): string => new Map(blocks).get(name)?.join("") ?? "";
  await run(`${pageOf("configuration")}pulumi stack select --create prod\npulumi stack select --create dev`);
  await run(pageOf("passwords"));
  expect(services()).toMatchObject([{ name: "shop-orders-dev" }]);
  const reports = await run(`pulumi stack export --file dev.json\n${pageOf("drift")}`);
  expect(reports.out.match(/No drift/g)).toHaveLength(4);
  await run(`mv index.ts before.ts\n${pageOf("adopting")}mv before.ts index.ts`);
  expect(readFileSync(path.join(folder, "import.json"), "utf8")).toContain('"resources"');
  // The jobs of a pipeline, each of GitHub and of GitLab: a preview that may change nothing, the `up`, and the report.
  const jobs = textOf("docs", "ci.md").matchAll(/^ +- (?:run: )?((?:npm|npx|pulumi|curl) .*)$/gm);
  const commands = Array.from(jobs, ([, command = ""]) => command);
  expect(commands.filter((one) => /^(?:pulumi|npx)/.test(one))).toHaveLength(6);
  for (const command of commands) {
    const guard = command.startsWith("pulumi preview") ? "export DBCLOUD_READ_ONLY=1\n" : "";
    await run(`export GITHUB_STEP_SUMMARY=summary.md\n${guard}${command}`);
  }
  expect(readFileSync(path.join(folder, "summary.md"), "utf8")).toContain("No drift");
  expect(services()).toMatchObject([{ name: "shop-orders-dev" }, { name: "shop-orders-prod" }]);
  // Nobody manages them any more, and their passwords are known.
  await run(pageOf("upgrading"));
  expect(services()).toMatchObject([{ name: "shop-orders-dev" }, { name: "shop-orders-prod" }]);
  expect(readFileSync(path.join(folder, "outputs.json"), "utf8")).toContain("postgresql://");
});

test("each example is tested, and has a README that the list of examples links to", () => {
  const folder = path.join(root, "examples");
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  // The program of the README has its test beside this one.
  const names = folders.map(({ name }) => name).filter((name) => name !== "demo" && name !== "quickstart");
  const list = textOf("examples", "README.md");
  const listed = Array.from(list.matchAll(/^\| \[`(.*)`\]\(\1\/README\.md\)/gm), ([, name = ""]) => name);
  expect(new Set(listed)).toEqual(new Set(names));
  const own = readFileSync(__filename, "utf8").matchAll(/await example\("(.*?)"/g);
  const tested = Array.from(own, ([, name = ""]) => name);
  // Those of other languages are in test/languages.
  const inOtherLanguages = names.filter((name) => /-(?:python|go|yaml)$/.test(name));
  expect(new Set(["testing", ...tested, ...inOtherLanguages])).toEqual(new Set(names));
});
