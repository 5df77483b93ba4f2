// The workspace of a test stack: its own work folder, also for a project in another folder.

import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { LocalWorkspace, Stack, type ProjectSettings, type PulumiFn } from "@pulumi/pulumi/automation";
import type { Cli, Environment } from "./cli";
import { inEnvironment } from "./environment";
import { TestStackError } from "./error";
import { declaredAnew, type Program } from "./program";

/** A plain or a secret configuration value. */
export type ConfigValues = Readonly<Record<string, string | { value: string; secret: true }>>;

export interface OpenedStack {
  readonly stack: Stack;
  readonly project: string;
}

interface Wanted {
  program?: Program;
  workDir?: string;
  stack?: string;
  project?: string;
  config?: ConfigValues;
}

interface Around {
  readonly folder: string;
  readonly cli: Cli;
  readonly environment: Environment;
}

export async function openStack(wanted: Wanted, { folder, cli, environment }: Around): Promise<OpenedStack> {
  const { program, stack: name = "test", config = {} } = wanted;
  const projectSettings = await settingsOf(wanted, cli);
  const workDir = path.join(folder, "work");
  mkdirSync(workDir);
  const plain = Object.entries(config).filter(([, value]) => typeof value === "string") as [string, string][];
  const workspace = await LocalWorkspace.create({
    pulumiCommand: cli.command,
    workDir,
    projectSettings,
    stackSettings: {
      [name]: { config: Object.fromEntries(plain.map(([key, value]) => [keyIn(projectSettings, key), value])) },
    },
    ...(program && { program: inlineProgram(program, environment) }),
  });
  const stack = await Stack.create(name, workspace);
  const secrets = Object.entries(config).filter(([, value]) => typeof value !== "string");
  if (secrets.length > 0)
    await stack.setAllConfig(Object.fromEntries(secrets) as Record<string, { value: string; secret: true }>);
  return { stack, project: projectSettings.name };
}

/** Pulumi: a key without a colon is the project's own. */
const keyIn = ({ name }: ProjectSettings, key: string): string => (key.includes(":") ? key : `${name}:${key}`);

function inlineProgram(program: Program, environment: Environment): PulumiFn {
  const declare = declaredAnew(program);
  return () => inEnvironment(environment, declare);
}

async function settingsOf({ workDir, project = "test" }: Wanted, cli: Cli): Promise<ProjectSettings> {
  // Pulumi: the provider process resolves this package from the folder that `main` names.
  if (workDir === undefined) return ownSettings(project);
  const folder = path.resolve(workDir);
  const isProject = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"].some((file) => existsSync(path.join(folder, file)));
  if (!isProject) throw new TestStackError(`workDir: there is no Pulumi.yaml in ${folder}`);
  const theirs = await LocalWorkspace.create({ pulumiCommand: cli.command, workDir: folder });
  const settings = await theirs.projectSettings();
  return { ...settings, main: path.resolve(folder, settings.main ?? ".") };
}

/** Programs of `pulumi-dbcloud/native` find the plugin by them; others do not start it. */
function ownSettings(name: string): ProjectSettings {
  const plugins = { providers: [{ name: "dbcloud", path: path.join(packageFolder(), "dist", "plugin") }] };
  // Pulumi: the type of the settings lacks `plugins`, which the file may have.
  const settings = { name, runtime: "nodejs" as const, main: homeOfPackages(), plugins };
  return settings;
}

function packageFolder(): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, "package.json"))) folder = path.dirname(folder);
  return folder;
}

/** The folder whose `node_modules` holds this copy of the package; in this package's own repository, a link is made. */
function homeOfPackages(): string {
  const folder = packageFolder();
  const parts = folder.split(path.sep);
  const at = parts.lastIndexOf("node_modules");
  return at < 0 ? folder : parts.slice(0, at).join(path.sep);
}
