// A project folder of a user: a program, its `Pulumi.yaml`, the installed packages, and the CLI that runs in it.

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type CliRun, type Environment, type Outcome, runCommand, startCli, succeed } from "./cliProcess";

/** A resource as `pulumi stack export` shows it. */
export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  protect?: boolean;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  initErrors?: string[];
  sourcePosition?: string;
}

export interface Project {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** The CLI in this project's folder. `--yes` and `--skip-preview` are left to the caller. */
  pulumi(args: string | readonly string[], environment?: Environment): Promise<Outcome>;
  /** The same, for a run that is to be killed or interrupted. */
  start(args: string, environment?: Environment): CliRun;
  /** The state as text, as `pulumi stack export` gives it. */
  state(): Promise<string>;
  /** What the state holds of this package's resources, by logical name. */
  resources(): Promise<Record<string, StateResource>>;
}

const repository = path.resolve(__dirname, "../..");

/** A new folder with the two packages that a program needs. */
export function folderWithPackages(parent: string, name: string): string {
  const folder = path.join(parent, name);
  const packages = path.join(folder, "node_modules");
  mkdirSync(path.join(packages, "@pulumi"), { recursive: true });
  symlinkSync(path.join(repository, "node_modules", "@pulumi", "pulumi"), path.join(packages, "@pulumi", "pulumi"));
  symlinkSync(repository, path.join(packages, "pulumi-dbcloud"));
  return folder;
}

export function projectIn(folder: string, cli: string, environment: Environment): Project {
  const settings = (more: Environment = {}) => ({ cwd: folder, environment: { ...environment, ...more } });
  const run = (args: string | readonly string[], more?: Environment): Promise<Outcome> =>
    runCommand(cli, [...wordsOf(args), "--color=never"], settings(more));
  const exported = async (): Promise<string> => (await succeed(run("stack export"))).out;
  return {
    folder,
    write(files) {
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    },
    pulumi: run,
    start: (args, more) => startCli(cli, [...wordsOf(args), "--color=never"], settings(more)),
    state: exported,
    resources: async () => ownResources(JSON.parse(await exported())),
  };
}

function wordsOf(args: string | readonly string[]): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}

/** The resources of this package in an exported state, by logical name. */
export function ownResources(exported: unknown): Record<string, StateResource> {
  const { deployment } = exported as { deployment: { resources?: StateResource[] } };
  const own = (deployment.resources ?? []).filter(({ type }) => type.includes("dynamic/dbcloud:"));
  return Object.fromEntries(own.map((resource) => [logicalNameOf(resource.urn), resource]));
}

export function logicalNameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
