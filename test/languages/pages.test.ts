// The page of other languages, its examples and the page of policies, run as they are printed: with the files of a release,
// in the folders of a user. They show again what shorter tests show, so the build server alone runs them.

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { writeArchives } from "../../scripts/release/archives";
import { writeExecutable } from "../../scripts/release/executable";
import { standIn } from "../support/cli/printed";
import { blocksOf, root, textOf } from "../support/repository";
import { folderWithPackages } from "../support/cli/project";
import { type Environment, fail, type Outcome, runCommand, succeed } from "../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../support/engineWorld";
import { environmentWith, findLanguages, type Languages } from "../support/languages";
import { isBuildServer } from "../support/repeats";
import { skipOrFail } from "../support/required";

const page = textOf("docs/languages.md");
const [installPlugin = "", installPython = "", installGo = "", adopt = ""] = blocksOf(page);
const [firstInPython = "", withPassword = ""] = blocksOf(page, "python");
const template = (language: string, file: string): string => textOf("examples", `template-${language}`, file);

test("the first programs of the page are those of the templates, and of the example with tests", () => {
  expect(firstInPython).toBe(template("python", "__main__.py"));
  expect(firstInPython).toBe(textOf("examples/testing-python/__main__.py"));
  expect(blocksOf(page, "go")).toEqual([template("go", "main.go")]);
  const [yaml = ""] = blocksOf(page, "yaml");
  expect(template("yaml", "Pulumi.yaml").endsWith(`\n${yaml}`)).toBe(true);
});

test("each example of another language is tested here", () => {
  const names = readdirSync(path.join(root, "examples")).filter((name) => /-(?:python|go|yaml)$/.test(name));
  expect(names).toEqual(["component-python", "template-go", "template-python", "template-yaml", "testing-python"]);
});

describe.runIf(isBuildServer)("as printed", () => {
  let tools: Languages | { missing: string };
  let world: EngineWorld;
  /** The folder with the files of a release. */
  let files: string;

  beforeAll(async () => {
    tools = await findLanguages();
    if ("missing" in tools) return undefined;
    world = await openEngineWorld();
    Object.assign(world.environment, environmentWith(tools, world.environment), {
      PULUMI_OPTION_SKIP_PREVIEW: "true",
      PIP_DISABLE_PIP_VERSION_CHECK: "1",
    });
    standIn(world);
    files = path.join(world.folder, "release");
    writeArchives({ ...tools, root, to: files });
    // Beside the tools, which have all that the SDK needs, and are shared.
    const site = path.join(world.folder, "site");
    await succeed(sh(files, installPython, { PIP_TARGET: site, PIP_NO_DEPS: "1", PIP_NO_INDEX: "1" }));
    world.environment["PYTHONPATH"] = site;
    return () => world.close();
  });

  beforeEach(({ skip }) => {
    if ("missing" in tools) skipOrFail(`no other languages: ${tools.missing}`, skip);
    for (const { id } of services()) world.emulator.mutate.deleteService(id);
  });

  const services = () => world.emulator.state().services.toSorted((a, b) => a.name.localeCompare(b.name));

  /** Runs commands in a folder as a shell does; an error of any line ends them. */
  const sh = (folder: string, commands: string, more: Environment = {}): Promise<Outcome> =>
    runCommand("sh", ["-ec", commands], { cwd: folder, environment: { ...world.environment, ...more } });

  /** The blocks of commands of an example's README. */
  const blocksIn = (name: string): string[] => blocksOf(textOf("examples", name, "README.md"));

  /** Makes a project from the template, beside the files of a release and in a backend of its own, and brings it up. */
  async function bringUp(language: string, install = "") {
    const folder = folderWithPackages(world.folder, `new-${language}`);
    cpSync(files, folder, { recursive: true });
    const run = (commands: string): Promise<Outcome> =>
      succeed(sh(folder, commands, { PULUMI_BACKEND_URL: `file://${folder}` }));
    const [create = "", up = "", destroy = ""] = blocksIn(`template-${language}`);
    await run(create);
    await run(install);
    const { text } = await run(up);
    expect(services()).toMatchObject([{ name: "shop-orders-dev", cpuMillis: 500 }]);
    expect(text).toMatch(/url *: \[secret\]/);
    return { folder, run, destroy };
  }

  test("a new project in Python has its database with the first `up`, and then a password of its own", async () => {
    const { folder, run, destroy } = await bringUp("python");
    writeFileSync(path.join(folder, "__main__.py"), withPassword);
    const given = "pulumi config set --secret ordersPassword a-password-of-mine\npulumi up --yes";
    expect((await run(given)).text).toMatch(/reports_url *: \[secret\]/);
    expect(services()).toMatchObject([{ cpuMillis: 1000, poolerEnabled: true, password: "a-password-of-mine" }]);
    await run(destroy);
    expect(services()).toEqual([]);
  });

  test("a new project in Go has its database with the first `up`", async () => {
    const { run, destroy } = await bringUp("go", installGo);
    await run(destroy);
    expect(services()).toEqual([]);
  });

  test("a new project in YAML has its database with the first `up`, and adopts what exists", async () => {
    // The old host of YAML does not see the entry in `Pulumi.yaml`.
    const { folder, run, destroy } = await bringUp("yaml", installPlugin);
    world.emulator.mutate.createVpc({ name: "by-hand", cidr: "10.9.0.0/24" });
    await run(adopt);
    const written = readFileSync(path.join(folder, "declarations"), "utf8");
    const [, lines = ""] = /^resources:\n((?: .*\n)+)/m.exec(written) ?? [];
    expect(lines).toContain("dbcloud:Vpc");
    const file = path.join(folder, "Pulumi.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("\nresources:\n", `$&${lines}`));
    await run("pulumi preview --expect-no-changes");
    await run(destroy);
    expect(services()).toEqual([]);
  });

  test("the plugin as one file needs no Node.js on PATH, and weighs less than 120 MiB", async ({ skip }) => {
    const made = writeExecutable({ root, to: world.folder });
    if ("missing" in made) return skipOrFail(made.missing, skip);
    const folder = path.join(world.folder, "standalone");
    const broken = path.join(folder, "bin");
    mkdirSync(broken, { recursive: true });
    writeFileSync(path.join(broken, "node"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    writeFileSync(
      path.join(folder, "Pulumi.yaml"),
      `name: standalone\nruntime: yaml\n${blocksOf(page, "yaml").join("")}`,
    );
    const more = {
      PATH: [broken, world.environment["PATH"]].join(path.delimiter),
      PULUMI_BACKEND_URL: `file://${folder}`,
      PULUMI_HOME: path.join(folder, "home"),
    };
    const install = installPlugin.replace(/--file .*/, `--file '${made.file}'`);
    await succeed(sh(folder, `${install}pulumi stack init dev\npulumi up --yes`, more));
    expect(services()).toMatchObject([{ name: "standalone-orders-dev" }]);
    await succeed(sh(folder, "pulumi destroy --yes", more));
    const plugins = path.join(folder, "home/plugins/resource-dbcloud-v0.1.0");
    expect(statSync(path.join(plugins, "pulumi-resource-dbcloud")).size).toBeLessThan(120 * 1024 * 1024);
  });

  test("the tests in Python pass, and fail with another program", async () => {
    const { folder } = await world.example("testing-python");
    const [block = ""] = blocksIn("testing-python");
    const commands = block.replace(/^pip .*\n/m, "");
    expect((await succeed(sh(folder, commands))).error).toMatch(/Ran 2 tests[^]*OK/);
    const file = path.join(folder, "__main__.py");
    writeFileSync(
      file,
      readFileSync(file, "utf8")
        .replace("500", "1000")
        .replace(/^.*"url".*\n/m, ""),
    );
    expect((await fail(sh(folder, commands))).error).toMatch(/failures=1, errors=1/);
  });

  test("a program in Python uses a component in TypeScript, whose URL is a secret", async () => {
    const { folder } = await world.example("component-python");
    const database = path.join(folder, "database");
    symlinkSync(path.join(folder, "node_modules"), path.join(database, "node_modules"));
    // What a current language host does with `PulumiPlugin.yaml`.
    const start = `cd "$(dirname "$0")" && exec node node_modules/@pulumi/pulumi/cmd/run-plugin . "$@"`;
    writeFileSync(path.join(database, "pulumi-resource-shop"), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
    const [up = "", destroy = ""] = blocksIn("component-python");
    const { text, out } = await succeed(sh(folder, up));
    expect(services()).toMatchObject([{ name: "component-python-orders-dev", cpuMillis: 500, memoryGbs: 2 }]);
    const [service] = services();
    expect(text).toMatch(/url *: \[secret\]/);
    expect(out.trim().split("\n").at(-1)).toContain(
      `tsdbadmin:${encodeURIComponent(service?.initialPassword ?? "-")}@`,
    );
    const state = await world.at(folder).state();
    expect(state).not.toContain(service?.initialPassword);
    expect(state).toContain("dbcloud:index:Service");
    await succeed(sh(folder, destroy));
    expect(services()).toEqual([]);
  });
});
