// Throw-away stacks for tests of infrastructure programs: the real Pulumi engine and the real provider against an emulator
// in the process of the test. Works with any test runner.

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { DestroyOptions, PreviewOptions, RefreshOptions, Stack, UpOptions } from "@pulumi/pulumi/automation";
import { createEmulator, type Emulator, type EmulatorOptions } from "../emulator/index";
import { requireKnown } from "../emulator/checkedShape";
import { TestStackError } from "./error";
import { openCli, type Cli, type Environment } from "./cli";
import { environmentFor } from "./environment";
import { watchFolder } from "./guard";
import type { Program } from "./program";
import { createRecorder, type CreatedBy, type Recorder, type RunResult, type UpResult } from "./result";
import { findNamed, holdsSecret, readState, stateFile, type TestResource } from "./state";
import { withoutOtherListeners } from "./unhandledErrors";
import { openStack, type ConfigValues, type OpenedStack } from "./workspace";

export { TestStackError } from "./error";
export type { Program } from "./program";
export type { Changes, RunResult, Step, UpResult } from "./result";
export type { TestResource, Values } from "./state";
export type { ConfigValues } from "./workspace";

export interface TestStackOptions {
  /**
   * Declares the resources, or imports the module that does: `() => import("./index.js")`. It runs in the process of the
   * test, again for each `up` and `preview`. This or `workDir`.
   */
  program?: Program;
  /** The folder of a Pulumi project, run as `pulumi` runs it. Nothing is written there. */
  workDir?: string;
  /** Name of the stack, the suffix of default resource names. Default "test". */
  stack?: string;
  /** Name of the project of an inline program. Default "test". */
  project?: string;
  /** Configuration of the stack; keys without a colon are the project's own. */
  config?: ConfigValues;
  /** Environment variables of the programs in a `workDir`, of the provider, and of the look-ups and clients of a `program`. */
  environment?: Readonly<Record<string, string>>;
  /** Options of the emulator. Default: full, quick. */
  emulator?: EmulatorOptions;
  /** The folder whose `bin` has the Pulumi CLI. Default: DBCLOUD_PULUMI_ROOT, else the CLI on PATH. */
  pulumiRoot?: string;
}

/** The compiler reports a missing name. */
const optionNames: Readonly<Record<keyof TestStackOptions, true>> = {
  program: true,
  workDir: true,
  stack: true,
  project: true,
  config: true,
  environment: true,
  emulator: true,
  pulumiRoot: true,
};

/** The options of the Automation API, except those for output and events. */
type Own<Options> = Omit<Options, "onOutput" | "onError" | "onEvent" | "program" | "color">;

export interface TestStack {
  /** The emulator of this stack: its state, requests, faults, clock, and changes out of band. */
  readonly emulator: Emulator;
  /** The stack of the Automation API, for everything else. */
  readonly stack: Stack;
  /** The temporary folder of all files. */
  readonly folder: string;
  up(options?: Own<UpOptions>): Promise<UpResult>;
  preview(options?: Own<PreviewOptions>): Promise<RunResult>;
  refresh(options?: Own<RefreshOptions>): Promise<RunResult>;
  destroy(options?: Own<DestroyOptions>): Promise<RunResult>;
  /** A resource of the state, by its name in the program; by `Service/orders` if several have that name. */
  resource(name: string): TestResource;
  /** All resources of the state. */
  resources(): TestResource[];
  /** Ends running commands and removes everything. You can call it twice. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a stack with its own emulator, backend and passphrase. Rejects if the Pulumi CLI is missing. */
export async function createTestStack(options: TestStackOptions = {}): Promise<TestStack> {
  requireKnown("createTestStack", options, Object.keys(optionNames));
  const { program, workDir } = options;
  if ((program === undefined) === (workDir === undefined)) {
    throw new TestStackError("a test stack takes either a `program` or a `workDir`");
  }
  const folder = mkdtempSync(path.join(tmpdir(), "dbcloud-test-"));
  const unwatch = watchFolder(folder);
  let emulator: Emulator | undefined;
  let cli: Cli | undefined;
  const disposal = new AbortController();
  const dispose = once(async () => {
    disposal.abort();
    await cli?.end();
    await emulator?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    unwatch();
  });
  try {
    emulator = await createEmulator(options.emulator);
    const backend = path.join(folder, "state");
    mkdirSync(backend);
    const passphrase = randomBytes(12).toString("hex");
    const environment = environmentFor({ emulator, folder, backend, passphrase, own: options.environment ?? {} });
    cli = await openCli(options.pulumiRoot, environment);
    const opened = await openStack(options, { folder, cli, environment });
    return testStackOf({ emulator, cli, environment, backend, folder, opened, dispose, disposed: disposal.signal });
  } catch (error) {
    await dispose();
    throw error;
  }
}

interface Parts {
  emulator: Emulator;
  cli: Cli;
  environment: Environment;
  backend: string;
  folder: string;
  opened: OpenedStack;
  dispose: () => Promise<void>;
  disposed: AbortSignal;
}

function testStackOf({ emulator, cli, backend, folder, opened, dispose, disposed }: Parts): TestStack {
  const { stack, project } = opened;
  const runner = runnerOf(stack);
  const state = () => {
    requireOpen(disposed);
    return readState(stateFile(backend, project, stack.name));
  };
  const record = (isPreview: boolean, work: (recorder: Recorder) => Promise<unknown>): Promise<RunResult> =>
    recorded({ emulator, disposed, isPreview }, work);
  const outputs = async (): Promise<UpResult["outputs"]> => {
    const masked = state().outputs;
    const plain = Object.values(masked).some(holdsSecret) ? await plainOutputs(cli, opened) : masked;
    return Object.fromEntries(
      Object.keys(masked).map((name) => [name, { value: plain[name], secret: holdsSecret(masked[name]) }]),
    );
  };
  return {
    emulator,
    stack,
    folder,
    async up(given) {
      const run = await record(false, (hooks) => runner.up({ ...given, ...quiet(hooks) }));
      return { ...run, outputs: await outputs() };
    },
    preview: (given) => record(true, (hooks) => runner.preview({ ...given, ...quiet(hooks) })),
    refresh: (given) => record(false, (hooks) => runner.refresh({ ...given, ...quiet(hooks) })),
    destroy: (given) => record(false, (hooks) => runner.destroy({ ...given, ...quiet(hooks) })),
    resource: (name) => findNamed(state().resources, name),
    resources: () => [...state().resources],
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

interface Recording {
  readonly emulator: Emulator;
  readonly disposed: AbortSignal;
  readonly isPreview: boolean;
}

async function recorded(
  { emulator, disposed, isPreview }: Recording,
  work: (recorder: Recorder) => Promise<unknown>,
): Promise<RunResult> {
  requireOpen(disposed);
  const recorder = createRecorder(isPreview);
  const stop = emulator.watchRequests((request) => recorder.onRequest(request));
  const before = emulator.ledger().length;
  try {
    await withoutOtherListeners(() => work(recorder));
  } catch (error) {
    requireOpen(disposed, error);
    throw error;
  } finally {
    stop();
  }
  const created = emulator
    .ledger()
    .slice(before)
    .filter(({ event }) => event === "created");
  const createdBy: CreatedBy = new Map(created.map(({ id, requestId = "" }) => [id, requestId]));
  return recorder.result(createdBy);
}

function requireOpen(disposed: AbortSignal, cause?: unknown): void {
  if (!disposed.aborted) return;
  const when = cause === undefined ? "was disposed of" : "was disposed of during this run";
  throw new TestStackError(`this test stack ${when}, and nothing is left of it: open another one`, "", { cause });
}

const quiet = ({ onEvent, onOutput }: Recorder) => ({ onEvent, onOutput, color: "never" as const });

/**
 * Pulumi: after a run the Automation API calls the CLI three times more, for outputs and a history that this package
 * does not use.
 */
function runnerOf(stack: Stack): Stack {
  const nothing = { value: () => Promise.resolve({}) };
  return Object.create(stack, { outputs: nothing, info: nothing }) as Stack;
}

async function plainOutputs(cli: Cli, { stack }: OpenedStack): Promise<Record<string, unknown>> {
  const { stdout } = await cli.run(
    ["stack", "output", "--json", "--show-secrets", "--stack", stack.name],
    stack.workspace.workDir,
  );
  return JSON.parse(stdout) as Record<string, unknown>;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
