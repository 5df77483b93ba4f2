// The Pulumi CLI of a test stack: finds it, or fails with a clear error; runs it without the machine's own Pulumi
// settings or account; ends it with the tests.

import { spawn } from "node:child_process";
import path from "node:path";
import { PulumiCommand } from "@pulumi/pulumi/automation";
import { TestStackError } from "./error";
import { endTree, watchProcess } from "./guard";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of a run's result that the Automation API reads. */
export interface CommandResult {
  stdout: string;
  stderr: string;
  code: number;
}

export interface Cli {
  /** For the Automation API. */
  readonly command: PulumiCommand;
  /** Runs it as the Automation API does. */
  run(args: string[], cwd: string): Promise<CommandResult>;
  /** Ends the running commands, and waits for their end. */
  end(): Promise<void>;
}

const known = new Map<string, Promise<PulumiCommand>>();

/** `root`: the folder whose `bin` has the CLI. Default: DBCLOUD_PULUMI_ROOT, else the CLI on PATH. */
export async function openCli(root: string | undefined, environment: Environment): Promise<Cli> {
  const folder = root ?? process.env["DBCLOUD_PULUMI_ROOT"] ?? "";
  const found = known.get(folder) ?? PulumiCommand.get(folder === "" ? {} : { root: folder });
  known.set(folder, found);
  try {
    return runnerOf(await found, environment);
  } catch (error) {
    known.delete(folder);
    throw missing(folder, error);
  }
}

function missing(root: string, error: unknown): TestStackError {
  const where = root === "" ? "on PATH" : `in ${path.join(root, "bin")}`;
  const said = error instanceof Error ? error.message : String(error);
  const isAbsent = /ENOENT/.test(said);
  return new TestStackError(
    `a test stack runs the Pulumi CLI, and ${isAbsent ? `there is none ${where}` : `the one ${where} cannot be used: ${said}`}. ` +
      "Install it (https://www.pulumi.com/docs/install), or say where it is: `pulumiRoot` or DBCLOUD_PULUMI_ROOT, the folder whose bin has it.",
    "",
    { cause: error },
  );
}

type OnOutput = ((text: string) => void) | undefined;

/** The same command, started by this package's own code. */
function runnerOf(found: PulumiCommand, environment: Environment): Cli {
  const running = new Set<{ pid: number; ended: Promise<unknown> }>();
  const run = async (
    args: string[],
    cwd: string,
    additional: Environment,
    onOutput?: OnOutput,
    onError?: OnOutput,
  ): Promise<CommandResult> => {
    const words = args.includes("--non-interactive") ? args : [...args, "--non-interactive"];
    const env: Record<string, string | undefined> = { ...environment, ...additional, PULUMI_AUTOMATION_API: "true" };
    const PATH = searchPath(found.command, env["PATH"]);
    const child = spawn(found.command, words, { cwd, env: { ...env, PATH }, stdio: ["ignore", "pipe", "pipe"] });
    const { out, all } = collect(child.stdout, child.stderr, onOutput, onError);
    const ended = new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve(code ?? -1));
    });
    const { pid } = child;
    if (pid === undefined) return ended.then((code) => ({ stdout: "", stderr: "", code }));
    const one = { pid, ended: ended.catch(() => undefined) };
    const forget = watchProcess(pid);
    running.add(one);
    const code = await ended.finally(() => {
      running.delete(one);
      forget();
    });
    if (code !== 0) throw new TestStackError(`pulumi ${args[0] ?? ""} failed (exit code ${code})`, all());
    return { stdout: out(), stderr: "", code };
  };
  return {
    command: Object.create(found, { run: { value: run } }) as PulumiCommand,
    run: (args, cwd) => run(args, cwd, {}),
    async end() {
      for (const { pid } of running) endTree(pid);
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

/**
 * Puts the CLI's folder first, for the plugins beside it, then that of the Node that runs the tests, for the programs.
 */
function searchPath(command: string, given: string | undefined): string {
  const folders = [...(path.isAbsolute(command) ? [path.dirname(command)] : []), path.dirname(process.execPath)];
  return [...folders, given ?? ""].join(path.delimiter);
}

function collect(
  stdout: NodeJS.ReadableStream,
  stderr: NodeJS.ReadableStream,
  onOutput: OnOutput,
  onError: OnOutput,
): { out: () => string; all: () => string } {
  let out = "";
  let all = "";
  stdout.setEncoding("utf8").on("data", (piece: string) => {
    out += piece;
    all += piece;
    onOutput?.(piece);
  });
  stderr.setEncoding("utf8").on("data", (piece: string) => {
    all += piece;
    onError?.(piece);
  });
  return { out: () => out, all: () => all };
}
