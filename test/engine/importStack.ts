// A stack on the real engine: the real CLI by the Automation API, a file backend in a temporary folder, the real
// emulator. Programs run inline, or from a folder as a user's own project.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { type EngineEvent, LocalWorkspace, type PulumiFn, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../emulator/index";

export const root = path.resolve(__dirname, "../..");

/** What one run of the engine did, without values: secrets never get here. */
export interface Run {
  /** `update orders` for every step that changes something, in the engine's own words. */
  steps: string[];
  /** The properties that each step's row names. */
  diffs: Record<string, string[]>;
  summary: Record<string, number>;
  text: string;
  /** Operations that were called, GETs left out. */
  calls: string[];
  /** Everything that was called. */
  requests: number;
}

export interface Resource {
  urn: string;
  type: string;
  id?: string;
  protect?: boolean;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  initErrors?: string[];
}

/** What became of a command. */
export interface Ended {
  code: number;
  out: string;
  error: string;
}

export interface World {
  readonly emulator: Emulator;
  readonly folder: string;
  /** Of the CLI and of the provider process. */
  readonly environment: Record<string, string>;
  open(program: PulumiFn, options?: { project?: string; name?: string; workDir?: string }): Promise<EngineStack>;
  /** A command of this package, as a user runs it. */
  command(args: readonly string[], cwd?: string): Promise<Ended>;
  /** The Pulumi CLI itself. */
  pulumi(args: readonly string[], cwd: string): Promise<Ended>;
  close(): Promise<void>;
}

export interface EngineStack {
  readonly stack: Stack;
  readonly workDir: string;
  program(program: PulumiFn): void;
  up(options?: Record<string, unknown>): Promise<Run>;
  preview(options?: Record<string, unknown>): Promise<Run>;
  refresh(options?: Record<string, unknown>): Promise<Run>;
  destroy(options?: Record<string, unknown>): Promise<Run>;
  /** Resources of this package, by logical name. */
  resources(): Promise<Record<string, Resource>>;
  /** The state as it lies in the backend. */
  text(): string;
}

export async function openWorld(options: EmulatorOptions = {}): Promise<World> {
  const emulator = await createEmulator({ seed: 1, ...options });
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-engine-"));
  const pulumiRoot = process.env["DBCLOUD_PULUMI_ROOT"];
  const pulumiCommand = await PulumiCommand.get(pulumiRoot === undefined ? {} : { root: pulumiRoot });
  const environment: Record<string, string> = {
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_HOME: path.join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${path.join(folder)}`,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_PROJECT_ID: emulator.projectId,
    DBCLOUD_POLL_INTERVAL: "5ms",
    DBCLOUD_MAX_REQUESTS_PER_SECOND: "10000",
  };
  const opened: EngineStack[] = [];
  const run = (file: string, args: readonly string[], cwd: string) => {
    const searched = [
      path.dirname(process.execPath),
      ...(pulumiRoot === undefined ? [] : [path.join(pulumiRoot, "bin")]),
    ];
    const env = { ...process.env, ...environment, PATH: [...searched, process.env["PATH"]].join(path.delimiter) };
    return execute(file, args, cwd, env);
  };
  return {
    emulator,
    folder,
    environment,
    async open(program, { project = "habits", name = "dev", workDir } = {}) {
      const made = workDir ?? mkdtempSync(path.join(folder, "work-"));
      const stack = await LocalWorkspace.createOrSelectStack(
        { projectName: project, stackName: name, program },
        {
          pulumiCommand,
          workDir: made,
          envVars: environment,
          // Pulumi: the folder from which the provider process finds this package.
          projectSettings: { name: project, runtime: "nodejs", main: root },
        },
      );
      const open = engineStack(stack, { workDir: made, folder, project, emulator });
      opened.push(open);
      return open;
    },
    command: (args, cwd = root) => run(process.execPath, [path.join(root, "dist/provider/cli/main.js"), ...args], cwd),
    pulumi: (args, cwd) => run(pulumiCommand.command, args, cwd),
    async close() {
      await emulator.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Place {
  workDir: string;
  folder: string;
  project: string;
  emulator: Emulator;
}

function engineStack(stack: Stack, { workDir, folder, project, emulator }: Place): EngineStack {
  const record = async (
    work: (options: { onOutput: (text: string) => void; onEvent: (event: EngineEvent) => void }) => Promise<unknown>,
  ): Promise<Run> => {
    const run: Run = { steps: [], diffs: {}, summary: {}, text: "", calls: [], requests: 0 };
    const before = emulator.requests().length;
    await work({
      onOutput: (text) => (run.text += text),
      onEvent: ({ resourcePreEvent, summaryEvent }) => {
        if (summaryEvent !== undefined) run.summary = { ...summaryEvent.resourceChanges };
        const metadata = resourcePreEvent?.metadata;
        if (metadata === undefined || metadata.op === "same" || !metadata.type.includes("dbcloud")) return;
        const name = metadata.urn.split("::").at(-1) ?? "";
        run.diffs[name] = [...(metadata.diffs ?? [])];
        if (metadata.op !== "refresh") run.steps.push(`${metadata.op} ${name}`);
      },
    }).catch((error: unknown) => {
      throw error instanceof Error && run.text !== ""
        ? new Error(`${error.message}\n${run.text}`, { cause: error })
        : error;
    });
    const requests = emulator.requests().slice(before);
    run.requests = requests.length;
    run.calls = requests.filter(({ method }) => method !== "GET").map(({ operation }) => operation ?? "none");
    return run;
  };
  return {
    stack,
    workDir,
    program: (program) => {
      stack.workspace.program = program;
    },
    up: (options) => record((hooks) => stack.up({ ...options, ...hooks })),
    preview: (options) => record((hooks) => stack.preview({ ...options, ...hooks })),
    refresh: (options) => record((hooks) => stack.refresh({ ...options, ...hooks })),
    destroy: (options) => record((hooks) => stack.destroy({ ...options, ...hooks })),
    async resources() {
      const { deployment } = (await stack.exportStack()) as { deployment: { resources?: Resource[] } };
      const own = (deployment.resources ?? []).filter(({ type }) => type.includes("dbcloud"));
      return Object.fromEntries(own.map((resource) => [resource.urn.split("::").at(-1) ?? "", resource]));
    },
    text: () => readFileSync(path.join(folder, ".pulumi/stacks", project, `${stack.name}.json`), "utf8"),
  };
}

async function execute(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  try {
    const { stdout, stderr } = await promisify(execFile)(file, [...args], { cwd, env, maxBuffer: 2 ** 26 });
    return { code: 0, out: stdout, error: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
    if (typeof code !== "number") throw error;
    return { code, out: stdout ?? "", error: stderr ?? "" };
  }
}

/** Standard output of a command that must succeed. */
export async function ok(ended: Promise<Ended>): Promise<string> {
  const { code, out, error } = await ended;
  if (code !== 0) throw new Error(`ended with ${code}:\n${out}\n${error}`);
  return out;
}

/** A user's own project folder: a program, its `Pulumi.yaml`, and this package installed. */
export function projectFolder(
  parent: string,
  name: string,
  files: Readonly<Record<string, string>>,
  packageJson: Readonly<Record<string, unknown>> = {},
): string {
  const folder = path.join(parent, `project-${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, private: true, ...packageJson }));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return folder;
}
