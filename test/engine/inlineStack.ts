// Inline programs on the real engine, each run recorded: what it did, step by step, and what it called. Besides, the
// command of this package and projects in folders, as users have them.

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type EngineEvent, LocalWorkspace, type PulumiFn, PulumiCommand, type Stack } from "@pulumi/pulumi/automation";
import type { Emulator, EmulatorOptions } from "../../emulator/index";
import { type Environment, openWorld as openEngine, root, type StateResource } from "./stack";

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

/** What became of a command. */
export interface Ended {
  code: number;
  out: string;
  error: string;
}

export interface World {
  readonly emulator: Emulator;
  readonly folder: string;
  /** Of the CLI and of the provider process; a stack that is opened takes it as it is then. */
  readonly environment: Environment;
  open(program: PulumiFn, options?: { project?: string; name?: string; workDir?: string }): Promise<EngineStack>;
  /** The command of this package, as a user runs it. */
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
  resources(): Promise<Record<string, StateResource>>;
  /** The state as it lies in the backend. */
  text(): string;
}

export async function openWorld(options: EmulatorOptions = {}): Promise<World> {
  const engine = await openEngine(options);
  const { emulator, folder, environment } = engine;
  const cliRoot = process.env["DBCLOUD_PULUMI_ROOT"];
  const cli = await PulumiCommand.get(cliRoot === undefined ? {} : { root: cliRoot });
  const searched = [...(cliRoot === undefined ? [] : [path.join(cliRoot, "bin")]), environment["PATH"]];
  const run = (file: string, args: readonly string[], cwd: string): Promise<Ended> =>
    execute(file, args, cwd, { ...environment, PATH: searched.join(path.delimiter) });
  return {
    emulator,
    folder,
    environment,
    async open(program, { project = "inline", name = "dev", workDir = mkdtempSync(path.join(folder, "work-")) } = {}) {
      const stack = await LocalWorkspace.createOrSelectStack(
        { projectName: project, stackName: name, program },
        {
          pulumiCommand: cli,
          workDir,
          envVars: environment as Record<string, string>,
          // Pulumi: the folder from which the provider process finds this package, wherever the stack's own folder is.
          projectSettings: { name: project, runtime: "nodejs", main: root },
        },
      );
      const file = path.join(folder, "state/.pulumi/stacks", project, `${name}.json`);
      return recorded(stack, { workDir, file, emulator });
    },
    command: (args, cwd = root) => run(process.execPath, [path.join(root, "dist/provider/cli/main.js"), ...args], cwd),
    pulumi: (args, cwd) => run(cli.command, args, cwd),
    close: () => engine.close(),
  };
}

interface Place {
  workDir: string;
  /** Where the backend keeps the state. */
  file: string;
  emulator: Emulator;
}

function recorded(stack: Stack, { workDir, file, emulator }: Place): EngineStack {
  type Hooks = { onOutput: (text: string) => void; onEvent: (event: EngineEvent) => void };
  const record = async (work: (hooks: Hooks) => Promise<unknown>): Promise<Run> => {
    const run: Run = { steps: [], diffs: {}, summary: {}, text: "", calls: [], requests: 0 };
    const before = emulator.requests().length;
    await work({ onOutput: (text) => (run.text += text), onEvent: (event) => note(run, event) });
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
      const { deployment } = (await stack.exportStack()) as { deployment: { resources?: StateResource[] } };
      const own = (deployment.resources ?? []).filter(({ type }) => type.includes("dynamic/dbcloud:"));
      return Object.fromEntries(own.map((resource) => [nameOf(resource.urn), resource]));
    },
    text: () => readFileSync(file, "utf8"),
  };
}

function note(run: Run, { resourcePreEvent, summaryEvent }: EngineEvent): void {
  if (summaryEvent !== undefined) run.summary = { ...summaryEvent.resourceChanges };
  const metadata = resourcePreEvent?.metadata;
  if (metadata === undefined || metadata.op === "same" || !metadata.type.includes("dynamic/dbcloud:")) return;
  run.diffs[nameOf(metadata.urn)] = [...(metadata.diffs ?? [])];
  if (metadata.op !== "refresh") run.steps.push(`${metadata.op} ${nameOf(metadata.urn)}`);
}

function nameOf(urn: string): string {
  return urn.split("::").at(-1) ?? "";
}

function execute(file: string, args: readonly string[], cwd: string, env: Environment): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, [...args], { cwd, env, maxBuffer: 2 ** 26 }, (error, out, text) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, error: text });
    });
  });
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
