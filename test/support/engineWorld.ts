// The real engine for tests: the real CLI with a file backend in a temporary folder, the real emulator in this process,
// and stacks: project folders as users have them, and inline programs of the Automation API.

import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { LocalWorkspace, PulumiCommand, Stack } from "@pulumi/pulumi/automation";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";
import { type Environment, type Outcome, runCommand } from "./cliProcess";
import { type InlineStack, inlineStackOf, type Program, pulumiFnOf } from "./cli/inlineStack";
import { keyServiceEnvironment } from "./cli/keyService";
import { addStack } from "./cli/newStack";
import { pulumiNode } from "./cli/nodeStart";
import { folderWithPackages, type Project, projectIn } from "./cli/project";
import { root } from "./repository";

export type EngineWorld = Awaited<ReturnType<typeof openEngineWorld>>;

export interface InlineOptions {
  project?: string;
  name?: string;
  /** The environment of a stack that was opened before. */
  workDir?: string;
}

/** For programs of `pulumi-dbcloud/native`; others do not start it. */
const PLUGINS = { providers: [{ name: "dbcloud", path: path.join(root, "dist", "plugin") }] };
const cliRoot = process.env["DBCLOUD_PULUMI_ROOT"];
/** The CLI of all worlds of this process; finding its version takes a run of it. */
let found: Promise<PulumiCommand> | undefined;

export async function openEngineWorld(options: EmulatorOptions = {}) {
  const cli = await (found ??= PulumiCommand.get(cliRoot === undefined ? {} : { root: cliRoot }));
  const emulator = await createEmulator({ seed: 1, ...options });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-engine-"));
  const environment = { ...environmentFor(emulator, folder), ...(await keyServiceEnvironment()) };
  const add = (place: string, stack: string) => addStack({ cli: cli.command, folder: place, stack, environment });
  const at = (place: string): Project => projectIn(place, cli.command, environment);
  let reported = 0;
  const fresh = () => {
    const all = emulator.requests();
    return all.slice(reported, (reported = all.length));
  };
  return {
    emulator,
    folder,
    /** The environment of the CLI and of the provider process; an inline stack copies it when the stack is opened. */
    environment,
    /** A folder that has its packages already. */
    at,
    /** A new project folder with a stack, `test` unless another name is given. */
    async project(name: string, files: Readonly<Record<string, string>>, stack = "test"): Promise<Project> {
      const project = at(folderWithPackages(folder, name));
      project.write({ "package.json": "{}", "Pulumi.yaml": manifest(name), ...files });
      await add(project.folder, stack);
      return project;
    },
    /** One of the examples, copied as a user would. */
    async example(name: string): Promise<Project> {
      const project = at(folderWithPackages(folder, name));
      cpSync(path.join(root, "examples", name), project.folder, { recursive: true });
      if (existsSync(path.join(project.folder, "Pulumi.yaml"))) await add(project.folder, "test");
      return project;
    },
    /** A stack with an inline program. Default: stack `dev` of the project `inline`, in a work folder of its own. */
    async open(program: Program, given: InlineOptions = {}): Promise<InlineStack> {
      const { project = "inline", name = "dev", workDir: existing } = given;
      const workDir = existing ?? mkdtempSync(path.join(folder, "work-"));
      // Pulumi: the folder from which the provider process finds this package, wherever the stack's own folder is.
      const projectSettings = { name: project, runtime: "nodejs" as const, main: root, plugins: PLUGINS };
      const workspace = await LocalWorkspace.create({
        pulumiCommand: cli,
        workDir,
        program: pulumiFnOf(program),
        envVars: defined(environment),
        projectSettings,
      });
      if (existing === undefined) await add(workDir, name);
      const stack = await Stack.select(name, Object.assign(workspace, { selectStack: () => Promise.resolve() }));
      const stateFile = path.join(folder, "state/.pulumi/stacks", project, `${name}.json`);
      return inlineStackOf(stack, { workDir, stateFile, emulator });
    },
    /** Runs the command of this package as a user does. */
    command: (args: readonly string[], cwd = root): Promise<Outcome> =>
      runCommand(process.execPath, [path.join(root, "dist/cli/main.js"), ...args], { cwd, environment }),
    /** Runs the Pulumi CLI in any folder. */
    pulumi: (args: readonly string[], cwd: string): Promise<Outcome> => at(cwd).pulumi(args),
    /** Operations called since the last time, except GETs. */
    calls: (): string[] =>
      fresh().flatMap(({ method, operation }) => (method === "GET" ? [] : [operation ?? "unknown"])),
    /** All requests since the last time, by method. */
    methods: (): string[] => fresh().map(({ method }) => method),
    async close(): Promise<void> {
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Keeps the machine's own Pulumi settings and account out of the tests. Waits are short, but the statuses are seen. */
function environmentFor(emulator: Emulator, folder: string): Environment {
  const own = Object.entries(process.env).filter(([key]) => !/^(PULUMI|DBCLOUD)_/.test(key));
  const cliFolders = cliRoot === undefined ? [] : [path.join(cliRoot, "bin")];
  mkdirSync(path.join(folder, "state"));
  return {
    ...Object.fromEntries(own),
    ...pulumiNode,
    PATH: [path.dirname(process.execPath), ...cliFolders, process.env["PATH"]].join(path.delimiter),
    PULUMI_HOME: path.join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${path.join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_SKIP_CHECKPOINTS: "true",
    // The CLI and its language host end before their garbage matters.
    GOGC: "off",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_POLL_INTERVAL: "5ms",
    DBCLOUD_TEST_TIME_SCALE: "0.01",
    DBCLOUD_MAX_REQUESTS_PER_SECOND: "10000",
  };
}

function manifest(name: string): string {
  // Without TypeScript a program starts a second sooner; the examples cover TypeScript.
  return `name: ${name}\nruntime: { name: nodejs, options: { typescript: false } }\nmain: index.js\nplugins: ${JSON.stringify(PLUGINS)}\n`;
}

function defined(environment: Environment): Record<string, string> {
  const entries = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
