// Programs in Python, Go and YAML on the real CLI, through the plugin and the SDKs that are generated from its schema:
// from the first up over a change, drift, its repair and an import to the last delete.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ServiceState } from "../../emulator/index";
import { writeArchives } from "../../scripts/release/archives";
import { repeats } from "../support/repeats";
import { succeed } from "../support/cliProcess";
import type { Project, State } from "../support/cli/project";
import { type EngineWorld, openEngineWorld, root } from "../support/engineWorld";
import { environmentWith, findLanguages } from "../support/languages";
import { skipOrFail } from "../support/required";

const PASSWORD = "a-password-of-the-program";

/**
 * How the CLI finds the plugin, by an entry of `Pulumi.yaml` or installed from an archive; and whether the language host
 * writes the lines of an imported resource.
 */
const languages = [
  { language: "python", plugin: "path", generatesCode: false },
  { language: "yaml", plugin: "archive", generatesCode: true },
  { language: "go", plugin: "archive", generatesCode: false },
] as const;
const tested = repeats<readonly (typeof languages)[number][]>(languages.slice(0, 1), languages);

/** The end of `Pulumi.yaml` with which the CLI finds the plugin in an npm package. */
const pluginByPath = `
plugins:
  providers:
    - { name: dbcloud, path: node_modules/pulumi-dbcloud/dist/plugin }
`;

let tools: Awaited<ReturnType<typeof findLanguages>>;

beforeAll(async () => {
  tools = await findLanguages();
});

beforeEach(({ skip }) => {
  if ("missing" in tools) skipOrFail(`no other languages: ${tools.missing}`, skip);
});

/** Adds the lines that `pulumi import` has printed to the program. */
function addResources({ folder }: Project, printed: string): void {
  const file = path.join(folder, "Pulumi.yaml");
  const [, lines = ""] = /^resources:\n((?: .*\n)+)/m.exec(printed) ?? [];
  writeFileSync(file, readFileSync(file, "utf8").replace("\nresources:\n", `$&${lines}`));
}

/** The module has the name of the repository that a release has. */
function useModule(folder: string, archive: string): void {
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  const [, name = ""] = /^module (\S+)$/m.exec(readFileSync(path.join(folder, "dbcloud", "go.mod"), "utf8")) ?? [];
  for (const file of ["main.go", "go.mod"].map((one) => path.join(folder, one))) {
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("dbcloud/sdk/go/dbcloud", name));
  }
}

describe.each(tested)("a program in $language", ({ language, plugin, generatesCode }) => {
  let world: EngineWorld;
  let project: Project;

  beforeAll(async () => {
    if ("missing" in tools) return undefined;
    world = await openEngineWorld();
    // The keys come from the stack's configuration alone: of the default provider, and of the program's own.
    Object.assign(world.environment, environmentWith(tools, world.environment), { DBCLOUD_API_KEY: undefined });
    project = await world.project(`in-${language}`, {});
    cpSync(path.join(__dirname, language), project.folder, { recursive: true });
    const archives = writeArchives({ ...tools, root, to: path.join(world.folder, "archives") });
    if (language === "go") useModule(project.folder, archives.go);
    if (plugin === "path") appendFileSync(path.join(project.folder, "Pulumi.yaml"), pluginByPath);
    else await succeed(project.pulumi(`plugin install resource dbcloud 0.1.0 --file ${archives.plugins[0]}`));
    const { apiKey } = world.emulator;
    const secrets = [`password=${PASSWORD}`, `apiKey=${apiKey}`, `dbcloud:apiKey=${apiKey}`];
    await succeed(project.pulumi(["config", "set-all", ...secrets.flatMap((one) => ["--secret", one])]));
    return () => world.close();
  });

  function orders(): ServiceState {
    const [service, ...others] = world.emulator.state().services;
    if (service === undefined || others.length > 0) throw new Error("there is not one service");
    return service;
  }

  async function up(...more: string[]): Promise<string> {
    return (await succeed(project.pulumi(["up", "--yes", "--skip-preview", ...more]))).text;
  }

  test("up creates each object once, and no secret is in the state in plain text", async () => {
    const text = await up("-c", "cpuMillis=1000", "-c", "memoryGbs=4");
    expect(world.calls().toSorted()).toEqual([
      "attachToVPC",
      "createPeering",
      "createReplicaSet",
      "createService",
      "createVpc",
      "createVpc",
      "updatePassword",
    ]);
    const { vpcs, peerings, replicaSets } = world.emulator.state();
    expect(orders()).toMatchObject({
      name: `in-${language}-orders-test`,
      cpuMillis: 1000,
      memoryGbs: 4,
      environment: "DEV",
      password: PASSWORD,
      vpcId: vpcs.find(({ name }) => name === `in-${language}-net-test`)?.id,
      status: "READY",
    });
    const uri = `postgresql://tsdbadmin:${PASSWORD}@`;
    expect([vpcs.toSorted((a, b) => a.name.length - b.name.length), peerings, replicaSets]).toMatchObject([
      [{ name: `in-${language}-net-test` }, { name: expect.stringContaining(uri) as unknown }],
      [{}],
      [{ name: `in-${language}-readers-test` }],
    ]);
    expect(text).toMatch(/status +: "READY"/);
    expect(text).toMatch(/host +: "\S+\.example"/);
    expect(text).toMatch(/found +: "postgresql:\/\/tsdbadmin@\S+\.example:\d+\/tsdb\?sslmode=require"/);
    expect(text).toMatch(/readersUri *: \[secret\]/);
    const state = await project.state();
    expect(state).toContain("dbcloud:index:Service");
    for (const secret of [PASSWORD, world.emulator.apiKey, orders().initialPassword]) {
      expect(state).not.toContain(secret);
    }
  });

  test("the connection string is known in previews, where nothing changes and where the address does not", async () => {
    const size = (cpuMillis: number): string[] => [
      "-c",
      `cpuMillis=${cpuMillis}`,
      "-c",
      `memoryGbs=${cpuMillis / 250}`,
    ];
    await succeed(project.pulumi(["preview", "--expect-no-changes", ...size(1000)]));
    const { text } = await succeed(project.pulumi(["preview", ...size(2000)]));
    expect(text).toContain("~ 1 to update");
    expect(text).not.toContain(PASSWORD);
  });

  test("a changed size is one call, and the look-up after it is no change", async () => {
    const text = await up("-c", "cpuMillis=2000", "-c", "memoryGbs=8");
    expect(text).toMatch(/Service +orders +updated .*\[diff: ~cpuMillis,memoryGbs\]/);
    expect(world.calls()).toEqual(["resize"]);
    expect(orders()).toMatchObject({ cpuMillis: 2000, memoryGbs: 8 });
  });

  test("a refresh shows drift by property, and the next up repairs it", async () => {
    world.emulator.mutate.service(orders().id, { environment: "PROD", cpuMillis: 500, memoryGbs: 2 });
    const { text } = await succeed(project.pulumi("refresh --yes --skip-preview"));
    expect(text).toMatch(/Service +orders +updated .*\[diff: ~cpuMillis,environment,memoryGbs\]/);
    expect(world.calls()).toEqual([]);
    await up();
    expect(world.calls().toSorted()).toEqual(["resize", "setEnvironment"]);
    expect(orders()).toMatchObject({ environment: "DEV", cpuMillis: 2000, memoryGbs: 8 });
  });

  test("an object that was made by hand is imported, and the next preview is empty", async () => {
    const made = world.emulator.mutate.createVpc({ name: "by-hand", cidr: "10.9.0.0/24" });
    const args = ["--yes", "--skip-preview", "--protect=false", `--generate-code=${generatesCode}`];
    const { out } = await succeed(project.pulumi(["import", "dbcloud:index:Vpc", "hand", made.id, ...args]));
    if (generatesCode) addResources(project, out);
    // The other programs declare it when a setting says so.
    await succeed(project.pulumi("preview --expect-no-changes -c imported=true"));
    expect(world.calls()).toEqual([]);
  });

  test("destroy leaves nothing behind", async () => {
    await succeed(project.pulumi("destroy --yes --skip-preview"));
    expect(world.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [], replicaSets: [] });
    expect((JSON.parse(await project.state()) as State).deployment.resources ?? []).toEqual([]);
  });
});
