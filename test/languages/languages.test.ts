// Programs in Python, Go, YAML and TypeScript on the real CLI, each with the plugin and the package of its language as a
// release has them: from the first up over a change, drift, its repair, an import and the protection to the last delete.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ServiceState } from "../../emulator/index";
import { CLASS_NAMES } from "../../provider/pulumi/stateNames";
import { type Archives, writeArchives } from "../../scripts/release/archives";
import { isBuildServer, repeats } from "../support/repeats";
import { type Environment, fail, runCommand, succeed } from "../support/cliProcess";
import { packedInto } from "../support/cli/packed";
import { type Project, type State, typesChecked } from "../support/cli/project";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import { environmentWith, findLanguages, type Languages } from "../support/languages";
import { root, textOf } from "../support/repository";
import { skipOrFail } from "../support/required";

const PASSWORD = "a-password-of-the-program";
const ENDINGS: Readonly<Record<string, string>> = { python: "py", typescript: "ts" };
const { resources } = JSON.parse(textOf("plugin/schema.json")) as {
  resources: Record<string, { description: string }>;
};
const schema = Object.values(resources)
  .map(({ description }) => description)
  .join("\n");

type Release = Languages & { archives: Archives; tarball: string };

interface Language {
  language: string;
  /** Whether the language host writes the lines of an imported resource. */
  generatesCode?: true;
  /** Puts the package of the language into the folder of the program. */
  install?: (folder: string, release: Release) => Environment | undefined;
  /** The program that finds what is wrong with another one without running it, and its arguments. */
  checks?: (release: Release) => readonly [string, ...string[]];
}

const languages: readonly Language[] = [
  {
    language: "python",
    install: (folder, { python, archives }) => {
      const wheel = archives.python.find((file) => file.endsWith(".whl")) ?? "";
      const args = ["-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--target", "site", wheel];
      execFileSync(path.join(python, "python"), args, { cwd: folder, stdio: "pipe" });
      const site = path.join(folder, "site");
      return { PYTHONPATH: site, MYPYPATH: site };
    },
    checks: ({ python }) => [
      path.join(python, "python"),
      "-m",
      "mypy",
      "--strict",
      "--follow-imports=silent",
      "__main__.py",
    ],
  },
  { language: "yaml", generatesCode: true },
  {
    language: "go",
    install: (folder, { archives }) => {
      execFileSync("tar", ["-xzf", archives.go, "-C", folder]);
      // The module has the name of the repository that a release has.
      const [, name = ""] = /^module (\S+)$/m.exec(readFileSync(path.join(folder, "dbcloud", "go.mod"), "utf8")) ?? [];
      for (const file of ["main.go", "go.mod"].map((one) => path.join(folder, one))) {
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("dbcloud/sdk/go/dbcloud", name));
      }
      return undefined;
    },
    checks: () => ["go", "vet", "./..."],
  },
  {
    language: "typescript",
    install: (folder, { tarball }) => {
      const own = path.join(folder, "node_modules", "pulumi-dbcloud");
      mkdirSync(own, { recursive: true });
      execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
      // A real `npm install` takes far longer; another test covers it.
      for (const other of ["@pulumi", "undici", "zod"]) {
        symlinkSync(path.join(root, "node_modules", other), path.join(folder, "node_modules", other));
      }
      return typesChecked;
    },
    checks: () => [process.execPath, path.join(root, "node_modules/typescript-7/bin/tsc"), "--noEmit", "-p", "."],
  },
];
const tested = repeats(languages.slice(0, 1), languages);

let release: Release | undefined;
let missing = "";

beforeAll(async () => {
  const tools = await findLanguages();
  if ("missing" in tools) {
    missing = tools.missing;
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-release-"));
  const archives = writeArchives({ ...tools, root, to: folder });
  release = { ...tools, archives, tarball: await packedInto(folder) };
  return () => rmSync(folder, { recursive: true });
});

beforeEach(({ skip }) => {
  if (release === undefined) skipOrFail(`no other languages: ${missing}`, skip);
});

/** Adds the lines that `pulumi import` has printed to the program. */
function addResources({ folder }: Project, printed: string): void {
  const file = path.join(folder, "Pulumi.yaml");
  const [, lines = ""] = /^resources:\n((?: .*\n)+)/m.exec(printed) ?? [];
  writeFileSync(file, readFileSync(file, "utf8").replace("\nresources:\n", `$&${lines}`));
}

describe.each(tested)("a program in $language", ({ language, generatesCode = false, install, checks }) => {
  let world: EngineWorld;
  let project: Project;

  beforeAll(async () => {
    if (release === undefined) return undefined;
    world = await openEngineWorld();
    project = await world.project(`in-${language}`, {});
    for (const name of ["node_modules", "package.json"]) rmSync(path.join(project.folder, name), { recursive: true });
    cpSync(path.join(__dirname, language), project.folder, { recursive: true });
    // The keys come from the stack's configuration alone: of the default provider, and of the program's own.
    const own = { ...environmentWith(release, world.environment), DBCLOUD_API_KEY: undefined };
    Object.assign(world.environment, own, install?.(project.folder, release));
    if (!readFileSync(path.join(project.folder, "Pulumi.yaml"), "utf8").includes("plugins:")) {
      await succeed(project.pulumi(`plugin install resource dbcloud 0.1.0 --file ${release.archives.plugins[0]}`));
    }
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

  test.runIf(checks)("the strictest checks of its language find nothing in it or the schema's examples", async () => {
    const examples = [...schema.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, "g"))];
    expect(examples).toHaveLength(Object.keys(CLASS_NAMES).length);
    for (const [index, [, text = ""]] of examples.entries()) {
      const folder = path.join(project.folder, "examples", String(index));
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, `example${index}.${ENDINGS[language] ?? language}`), text);
    }
    const [program, ...args] = (release && checks?.(release)) ?? [""];
    const settings = { cwd: project.folder, environment: world.environment };
    const { code, text } = await runCommand(program, args, settings);
    expect({ code, text }).toEqual({ code: 0, text: expect.any(String) as unknown });
  });

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
    await up("-c", "protected=true");
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

  // Pulumi: in the other languages such an error ends the program.
  test.runIf(language === "go")("what a failed look-up keeps it from declaring stays", async () => {
    await up("-c", `lookedUp=${orders().name}`);
    const { text } = await fail(project.pulumi("up --yes --skip-preview -c lookedUp=missing"));
    expect(text).toContain("was not declared in this run, perhaps because the program ended when getService failed");
    expect(text).toContain('warning: getService has failed: there is no service "missing"');
    expect(world.calls()).toEqual(["createVpc"]);
    await up("-c", "lookedUp=");
    expect(world.calls()).toEqual(["deleteVpc"]);
  });

  test("a destroy deletes nothing while the service is protected, and everything after that", async () => {
    const { text } = await fail(project.pulumi("destroy --yes"));
    expect(text).toMatch(/orders.* cannot be deleted/);
    expect(world.calls()).toEqual([]);
    await up("-c", "protected=false");
    await succeed(project.pulumi("destroy --yes --skip-preview"));
    expect(world.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [], replicaSets: [] });
    expect((JSON.parse(await project.state()) as State).deployment.resources ?? []).toEqual([]);
  });
});

describe.runIf(isBuildServer)("a service that is retained, and replaced with the old one first", () => {
  const program = `name: retained
runtime: yaml
config:
  region: { type: string }
resources:
  orders:
    type: dbcloud:Service
    properties: { name: orders, regionCode: "\${region}", allowReplace: true }
    options: { retainOnDelete: true, deleteBeforeReplace: true }
`;

  test("stays beside its replacement, as the preview says, and a forced replacement is refused", async ({
    onTestFinished,
  }) => {
    if (release === undefined) return;
    const world = await openEngineWorld();
    onTestFinished(() => world.close());
    Object.assign(world.environment, environmentWith(release, world.environment));
    const project = await world.project("retained", { "Pulumi.yaml": program });
    await succeed(project.pulumi(`plugin install resource dbcloud 0.1.0 --file ${release.archives.plugins[0]}`));
    await succeed(project.pulumi("up --yes --skip-preview -c region=us-east-1"));
    const [before] = world.emulator.state().services;
    const { text } = await succeed(project.pulumi("up --yes --skip-preview -c region=eu-west-1"));
    expect(text).toContain(
      "the old one is deleted with its data. If an earlier `up` has saved `retainOnDelete` for it, it stays and keeps its name",
    );
    const { services } = world.emulator.state();
    expect(services.map(({ name, regionCode }) => [name, regionCode])).toEqual([
      ["orders", "us-east-1"],
      ["orders", "eu-west-1"],
    ]);
    expect(services[0]).toEqual(before);
    world.calls();
    const forced = await fail(
      project.pulumi("up --yes --skip-preview --replace urn:pulumi:test::retained::dbcloud:index:Service::orders"),
    );
    expect(forced.text).toContain('there is already service "orders"');
    expect(forced.text).toContain("set the option `deleteBeforeReplace: true`, without `retainOnDelete`");
    expect(world.calls()).toEqual([]);
  });
});
