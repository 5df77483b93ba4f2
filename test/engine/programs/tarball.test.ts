// What a user gets: the packed package, installed by each package manager into an empty folder outside the repository,
// with the newest SDK of Pulumi and the oldest that is supported, and a program of each module system. All have the same
// few lines, and each is made, found unchanged and destroyed.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { npm, packedInto } from "../../support/cli/packed";
import { type Project, type State, typesChecked } from "../../support/cli/project";
import { runCommand, succeed } from "../../support/cliProcess";
import { root } from "../../support/repository";
import { isBuildServer } from "../../support/repeats";
import { useEngineWorld, world } from "../world";

const tools = path.join(root, "tools", "installs");
const programs = path.join(tools, "node_modules");
const bun = path.join(programs, "@oven", `bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`);
const { peerDependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  peerDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const newest = devDependencies["@pulumi/pulumi"] ?? "";
const oldest = (peerDependencies["@pulumi/pulumi"] ?? "").replace("^", "");
/** What a project of Pulumi's has for TypeScript; this one is the last with the module resolution of old. */
const TYPESCRIPT = ["typescript@5.9.3", "@types/node@22.20.5"];

/** The command of each package manager that adds packages, and its settings. */
const managers: Readonly<Record<string, { command: readonly string[]; settings?: Record<string, string> }>> = {
  npm: { command: ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"] },
  // A package sees only what it declares. Pulumi: a script of a package below the SDK is not run.
  pnpm: {
    command: [process.execPath, path.join(programs, "pnpm/bin/pnpm.cjs"), "add", "--config.hoist=false"],
    settings: { npm_config_node_linker: "isolated", npm_config_strict_dep_builds: "false" },
  },
  // Pulumi starts programs without Plug'n'Play.
  yarn: {
    command: [process.execPath, path.join(programs, "@yarnpkg/cli-dist/bin/yarn.js"), "add"],
    settings: { YARN_NODE_LINKER: "node-modules", YARN_ENABLE_TELEMETRY: "0", YARN_ENABLE_IMMUTABLE_INSTALLS: "0" },
  },
  bun: { command: [path.join(bun, "bin/bun"), "add"] },
};

const installs = Object.keys(managers).flatMap((manager) => [newest, oldest].map((sdk) => ({ manager, sdk })));

// `found` is what a function saw in the program's own process, `cidr` what the provider process answered.
const body = `
const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
const found = getVpcOutput({ vpcId: net.vpcId });
const orders = new Service("orders", { regionCode: "us-east-1", cpuMillis: 1000, memoryGbs: 4, vpcId: net.vpcId });
`;
const esm = `import { getVpcOutput, Service, Vpc } from "pulumi-dbcloud";
${body}export const cidr = net.cidr;
export const name = found.name;
export const url = orders.connectionString();
`;
const commonjs = `const { getVpcOutput, Service, Vpc } = require("pulumi-dbcloud");
${body}module.exports = { cidr: net.cidr, name: found.name, url: orders.connectionString() };
`;

interface Form {
  main: string;
  text: string;
  type?: "module";
  /** Compiler options; without them the program is JavaScript. */
  tsconfig?: Record<string, string>;
}

// Pulumi: older SDKs take the resolution of old where only `module` is given.
const nodeNext = { module: "NodeNext", moduleResolution: "NodeNext" };
const bundled = "bundle.js";
const forms: Readonly<Record<string, Form>> = {
  CommonJS: { main: "index.js", text: commonjs },
  "ES modules": { main: "index.mjs", text: esm },
  "TypeScript, NodeNext": { main: "index.ts", text: esm, tsconfig: nodeNext },
  "TypeScript, NodeNext, ES modules": { main: "index.ts", text: esm, type: "module", tsconfig: nodeNext },
  "TypeScript, bundler": {
    main: "index.ts",
    text: esm,
    type: "module",
    tsconfig: { module: "ESNext", moduleResolution: "bundler" },
  },
  "TypeScript, classic": { main: "index.ts", text: esm, tsconfig: { module: "CommonJS", moduleResolution: "node10" } },
  "one file, bundled by esbuild": { main: bundled, text: esm },
};
/** How an installer lays out packages matters to the oldest resolution and the newest, and the rest needs one installer. */
const formsFor = (manager: string): string[] =>
  manager === "npm" ? Object.keys(forms) : ["TypeScript, NodeNext, ES modules", "TypeScript, classic"];

let tarball: string;

useEngineWorld({}, async () => {
  await npm(tools, "ci", "--ignore-scripts");
  tarball = await packedInto(world.folder);
  // Each run installs into a folder of its own, and nobody uses what it compiles once more.
  world.environment["NODE_COMPILE_CACHE"] = path.join(world.folder, "compiled");
});

/** A folder in which a package manager has installed the package. */
async function install(manager: string, sdk: string): Promise<Project> {
  const folder = path.join(world.folder, `${manager}-${sdk}`);
  mkdirSync(folder);
  const project = world.at(folder);
  project.write({ "package.json": '{ "name": "shop", "private": true }' });
  const { command, settings } = managers[manager] ?? { command: [] };
  const [program = "", ...args] = command;
  const packages = [`pulumi-dbcloud@file:${tarball}`, `@pulumi/pulumi@${sdk}`, ...TYPESCRIPT];
  const environment = { ...world.environment, ...settings };
  await succeed(runCommand(program, [...args, ...packages], { cwd: folder, environment }));
  return project;
}

async function writeProgram(project: Project, form: Form): Promise<void> {
  const { main, text, type, tsconfig } = form;
  const options = tsconfig === undefined ? "\n  options: { typescript: false }" : "";
  const manifest = readFileSync(path.join(project.folder, "package.json"), "utf8");
  project.write({
    "Pulumi.yaml": `name: shop\nruntime:\n  name: nodejs${options}\nmain: ${main}\n`,
    "package.json": JSON.stringify({ ...(JSON.parse(manifest) as object), type: type ?? "commonjs" }),
    [main === bundled ? "index.mjs" : main]: text,
  });
  if (main === bundled) {
    const esbuild = path.join(programs, "esbuild/bin/esbuild");
    const flags = ["--bundle", "--platform=node", "--external:@pulumi/pulumi", `--outfile=${bundled}`];
    execFileSync(esbuild, ["index.mjs", ...flags, "--log-level=error"], { cwd: project.folder });
  }
  rmSync(path.join(project.folder, "tsconfig.json"), { force: true });
  if (tsconfig === undefined) return;
  const compilerOptions = { target: "ES2022", strict: true, noEmit: true, ...tsconfig };
  project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, files: [main] }) });
  const tsc = path.join(project.folder, "node_modules/typescript/bin/tsc");
  const settings = { cwd: project.folder, environment: world.environment };
  await succeed(runCommand(process.execPath, [tsc, "-p", "tsconfig.json"], settings));
}

describe.runIf(isBuildServer).each(installs)("installed by $manager, with Pulumi $sdk", ({ manager, sdk }) => {
  let project: Project;

  beforeAll(async () => {
    project = await install(manager, sdk);
    project.write({ "Pulumi.yaml": "name: shop\nruntime: nodejs\n" });
    await succeed(project.pulumi(`stack init ${manager}-${sdk.replaceAll(".", "-")}`));
  });

  test.each(formsFor(manager))("a program in %s is made, unchanged and destroyed", async (name) => {
    await writeProgram(project, forms[name] ?? { main: "", text: "" });
    await succeed(project.pulumi("up --yes --skip-preview", typesChecked));
    expect(world.emulator.state()).toMatchObject({ vpcs: [{ cidr: "10.0.0.0/24" }], services: [{ cpuMillis: 1000 }] });
    const { deployment } = JSON.parse((await succeed(project.pulumi("stack export"))).out) as State;
    const stack = deployment.resources?.find(({ type }) => type === "pulumi:pulumi:Stack");
    expect(stack?.outputs).toMatchObject({ cidr: "10.0.0.0/24", name: world.emulator.state().vpcs[0]?.name });
    await succeed(project.pulumi("preview --expect-no-changes", typesChecked));
    await succeed(project.pulumi("destroy --yes --skip-preview", typesChecked));
    expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [] });
  });

  test("the same program goes over to the plugin of the package", async () => {
    const { main, text } = forms["CommonJS"] ?? { main: "", text: "" };
    await writeProgram(project, { main, text });
    await succeed(project.pulumi("up --yes --skip-preview"));
    world.calls();
    await writeProgram(project, { main, text: text.replace('"pulumi-dbcloud"', '"pulumi-dbcloud/native"') });
    const plugin = "plugins:\n  providers:\n    - { name: dbcloud, path: node_modules/pulumi-dbcloud/dist/plugin }\n";
    const manifest = readFileSync(path.join(project.folder, "Pulumi.yaml"), "utf8");
    project.write({ "Pulumi.yaml": manifest + plugin });
    await succeed(project.pulumi("preview --expect-no-changes"));
    await succeed(project.pulumi("up --yes --skip-preview"));
    expect(world.calls()).toEqual([]);
    const types = Object.values(await project.resources()).map(({ type }) => type);
    expect(types.toSorted()).toEqual(["dbcloud:index:Service", "dbcloud:index:Vpc"]);
    await succeed(project.pulumi("preview --refresh --expect-no-changes"));
    await succeed(project.pulumi("destroy --yes --skip-preview"));
    expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [] });
  });
});
