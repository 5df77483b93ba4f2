// A user's project folder: a program, its `Pulumi.yaml`, the installed packages, and the CLI that runs in it.

import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { classIn } from "../../../provider/pulumi/stateNames";
import { type CliRun, type Environment, type Outcome, runCommand, startCli, succeed } from "../cliProcess";

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

export interface State {
  deployment: { resources?: (StateResource & { delete?: boolean })[] };
}

export type Project = ReturnType<typeof projectIn>;

/** For a TypeScript program whose types an earlier run has checked: they are not checked again. */
export const typesChecked: Environment = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

const repository = path.resolve(__dirname, "../../..");

/**
 * A new folder with the two packages that a program needs. A repeated attempt of a test shares nothing with the first.
 */
export function folderWithPackages(parent: string, name: string): string {
  const folder = path.join(parent, name);
  rmSync(folder, { recursive: true, force: true });
  const packages = path.join(folder, "node_modules");
  mkdirSync(path.join(packages, "@pulumi"), { recursive: true });
  symlinkSync(path.join(repository, "node_modules", "@pulumi", "pulumi"), path.join(packages, "@pulumi", "pulumi"));
  symlinkSync(repository, path.join(packages, "pulumi-dbcloud"));
  return folder;
}

export function projectIn(folder: string, cli: string, environment: Environment) {
  const settings = (more: Environment = {}) => ({ cwd: folder, environment: { ...environment, ...more } });
  /** Runs the CLI in this project's folder. The caller gives `--yes` and `--skip-preview`. */
  const pulumi = (args: string | readonly string[], more?: Environment): Promise<Outcome> =>
    runCommand(cli, [...wordsOf(args), "--color=never"], settings(more));
  /** The state as text, as `pulumi stack export` gives it. */
  const state = async (): Promise<string> => {
    const file = onlyStackOf(folder, environment);
    return file === undefined ? (await succeed(pulumi("stack export"))).out : JSON.stringify(stateIn(file));
  };
  return {
    folder,
    write(files: Readonly<Record<string, string>>): void {
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    },
    pulumi,
    /** The same, for a run that is to be killed or interrupted. */
    start: (args: string, more?: Environment): CliRun =>
      startCli(cli, [...wordsOf(args), "--color=never"], settings(more)),
    state,
    /** The resources of this package in the state, by logical name. */
    resources: async () => ownResources(JSON.parse(await state()) as State),
  };
}

function wordsOf(args: string | readonly string[]): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}

/** The resources of this package in an exported state, by logical name. */
export function ownResources({ deployment }: State): Record<string, StateResource> {
  const own = (deployment.resources ?? []).filter(({ type }) => classIn(type) !== undefined);
  return Object.fromEntries(own.map((resource) => [logicalNameOf(resource.urn), resource]));
}

/** The stack file of a project, if it has one stack in a backend that is a folder. */
function onlyStackOf(folder: string, { PULUMI_BACKEND_URL: backend }: Environment): string | undefined {
  const [, name] = /^name: *(\S+)/m.exec(readFileSync(path.join(folder, "Pulumi.yaml"), "utf8")) ?? [];
  if (name === undefined || backend?.startsWith("file://") !== true) return undefined;
  const stacks = path.join(fileURLToPath(backend), ".pulumi", "stacks", name);
  const [first, ...others] = readdirSync(stacks).filter((file) => file.endsWith(".json"));
  return first === undefined || others.length > 0 ? undefined : path.join(stacks, first);
}

/** What `pulumi stack export` would print, read from the backend's file: a call of the CLI takes far longer. */
export function stateIn(file: string): State {
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as { checkpoint: { latest?: State["deployment"] } };
  return { deployment: checkpoint.latest ?? {} };
}

export function logicalNameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}
