// The real engine for tests: the real CLI with a file backend in a temporary folder, the real emulator in this process,
// and projects as users have them, each in a folder of its own, or inline programs of the Automation API.

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LocalWorkspace, type PulumiFn, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";

export const root = path.resolve(__dirname, "../..");

export type Environment = Record<string, string | undefined>;

export interface Outcome {
  code: number;
  /** Standard output and standard error, as they came. */
  text: string;
}

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
  pulumi(args: string, environment?: Environment): Promise<Outcome>;
  /** The state as text, as `pulumi stack export` gives it. */
  state(): Promise<string>;
  /** What the state holds of this package's resources, by logical name. */
  resources(): Promise<Record<string, StateResource>>;
}

export interface World {
  readonly emulator: Emulator;
  readonly folder: string;
  readonly environment: Environment;
  project(name: string, files: Readonly<Record<string, string>>): Promise<Project>;
  /** A folder whose packages are somebody else's business. */
  at(folder: string): Project;
  /** One of the examples, copied as a user would. */
  example(name: string): Promise<Project>;
  inline(name: string, program: PulumiFn): Promise<Stack>;
  /** Operations that were called since the last time, GETs left out. */
  calls(): string[];
  /** Everything that was called since the last time, by method. */
  methods(): string[];
  close(): Promise<void>;
}

/** Long enough for a status to be seen, short enough not to be waited for. */
export async function openWorld(options: EmulatorOptions = {}): Promise<World> {
  const cliRoot = process.env["DBCLOUD_PULUMI_ROOT"];
  const cli = await PulumiCommand.get(cliRoot === undefined ? {} : { root: cliRoot });
  const emulator = await createEmulator({ seed: 1, ...options });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-engine-"));
  const environment = environmentFor(emulator, folder);
  let seen = 0;
  const fresh = () => {
    const all = emulator.requests();
    return all.slice(seen, (seen = all.length));
  };
  return {
    emulator,
    folder,
    environment,
    async project(name, files) {
      const project = projectIn(folderWithPackages(folder, name), cli, environment);
      project.write({ "package.json": "{}", "Pulumi.yaml": manifest(name), ...files });
      await succeed(project.pulumi("stack init test"));
      return project;
    },
    at: (place) => projectIn(place, cli, environment),
    async example(name) {
      const place = folderWithPackages(folder, name);
      cpSync(path.join(root, "examples", name), place, { recursive: true });
      const project = projectIn(place, cli, environment);
      if (existsSync(path.join(place, "Pulumi.yaml"))) await succeed(project.pulumi("stack init test"));
      return project;
    },
    inline(name, program) {
      // The project's file is written there.
      const workDir = path.join(folder, name);
      mkdirSync(workDir);
      return LocalWorkspace.createOrSelectStack(
        { stackName: "test", projectName: name, program },
        {
          pulumiCommand: cli,
          workDir,
          envVars: defined(environment),
          projectSettings: { name, runtime: "nodejs", main: root },
        },
      );
    },
    calls: () => fresh().flatMap(({ method, operation }) => (method === "GET" ? [] : [operation ?? "unknown"])),
    methods: () => fresh().map(({ method }) => method),
    async close() {
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A new folder with the two packages that a program needs. */
function folderWithPackages(folder: string, name: string): string {
  const place = path.join(folder, name);
  const packages = path.join(place, "node_modules");
  mkdirSync(path.join(packages, "@pulumi"), { recursive: true });
  symlinkSync(path.join(root, "node_modules", "@pulumi", "pulumi"), path.join(packages, "@pulumi", "pulumi"));
  symlinkSync(root, path.join(packages, "pulumi-dbcloud"));
  return place;
}

/** Nothing of the machine's own Pulumi or account gets into a test. */
function environmentFor(emulator: Emulator, folder: string): Environment {
  const own = Object.entries(process.env).filter(([key]) => !/^(PULUMI|DBCLOUD)_/.test(key));
  mkdirSync(path.join(folder, "state"));
  return {
    ...Object.fromEntries(own),
    PATH: [path.dirname(process.execPath), process.env["PATH"]].join(path.delimiter),
    PULUMI_HOME: path.join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_SKIP_CHECKPOINTS: "true",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_POLL_INTERVAL: "5ms",
    DBCLOUD_MAX_REQUESTS_PER_SECOND: "10000",
  };
}

function manifest(name: string): string {
  // Without TypeScript a program starts a second sooner; the examples are the ones in TypeScript.
  return `name: ${name}\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.js\n`;
}

function projectIn(folder: string, cli: PulumiCommand, environment: Environment): Project {
  const run = (args: readonly string[], extra: Environment = {}): Promise<Outcome> =>
    new Promise((resolve) => {
      const env = { ...environment, ...extra };
      const options = { cwd: folder, env, maxBuffer: 200_000_000 };
      execFile(cli.command, [...args, "--color=never"], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr });
      });
    });
  const exported = async (): Promise<string> => (await succeed(run(["stack", "export"]))).text;
  return {
    folder,
    write(files) {
      for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    },
    pulumi: (args, extra) => run(args.split(" "), extra),
    state: exported,
    async resources() {
      const { deployment } = JSON.parse(await exported()) as { deployment: { resources?: StateResource[] } };
      const own = (deployment.resources ?? []).filter(({ type }) => type.includes("dynamic/dbcloud:"));
      return Object.fromEntries(own.map((resource) => [nameIn(resource.urn), resource]));
    },
  };
}

function nameIn(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** The outcome of a command that must work. */
export async function succeed(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}:\n${outcome.text}`);
  return outcome;
}

/** The outcome of a command that must not. */
export async function fail(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  if (outcome.code === 0) throw new Error(`it worked:\n${outcome.text}`);
  return outcome;
}

function defined(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
