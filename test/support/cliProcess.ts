// Commands as child processes. A test can kill a run of the CLI (the CLI alone, its provider process alone, or all of
// it, as the kernel or a broken machine would), or interrupt it as from a terminal. Signals only processes that it
// started.

import { execFile, execFileSync, spawn } from "node:child_process";
import type { FaultHandle } from "../../emulator/index";

export type Environment = Record<string, string | undefined>;

export interface Outcome {
  code: number;
  /** Standard output. */
  out: string;
  /** Standard error. */
  error: string;
  /** Both. */
  text: string;
}

export interface Settings {
  cwd: string;
  environment: Environment;
}

/** The outcome of a command, whether it succeeds or fails. */
export function runCommand(file: string, args: readonly string[], { cwd, environment }: Settings): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, [...args], { cwd, env: environment, maxBuffer: 200_000_000 }, (failure, out, error) => {
      resolve({ code: failure === null ? 0 : Number(failure.code), out, error, text: out + error });
    });
  });
}

/** The outcome of a command that must succeed. */
export async function succeed(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}:\n${outcome.text}`);
  return outcome;
}

/** The outcome of a command that must fail. */
export async function fail(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  if (outcome.code === 0) throw new Error(`it worked:\n${outcome.text}`);
  return outcome;
}

export type Victim = "everything" | "the CLI" | "the provider process";

export type CliRun = ReturnType<typeof startCli>;

interface RunningProcess {
  pid: number;
  parent: number;
  command: string;
}

export function startCli(cli: string, args: readonly string[], { cwd, environment }: Settings) {
  const child = spawn(cli, [...args], { cwd, env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${cli} cannot be started`);
  const printed = { out: "", error: "", text: "" };
  const collect = (stream: "out" | "error") => (piece: Buffer) => {
    printed[stream] += piece.toString();
    printed.text += piece.toString();
  };
  child.stdout.on("data", collect("out"));
  child.stderr.on("data", collect("error"));
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    // Surviving processes may hold the CLI's streams open, so open streams do not mean that it runs.
    child.once("exit", (code) => setImmediate(() => resolve({ code: code ?? -1, ...printed })));
  });
  const everSeen = new Map<number, string>();
  const below = (): RunningProcess[] => {
    const found = descendants(pid);
    for (const one of found) everSeen.set(one.pid, one.command);
    return found;
  };
  const pids = (found: readonly RunningProcess[]): number[] => found.map((one) => one.pid);
  const providers = (): number[] => pids(below().filter(isProvider));
  return {
    /** Resolves when the CLI has ended, for any reason; the code -1 means a signal. */
    outcome,
    /** The provider processes. */
    providers,
    /** All descendants of the CLI. */
    below: (): number[] => pids(below()),
    /** What the CLI has printed so far. */
    printed: (): string => printed.text,
    /** Ctrl-C: an interrupt for the process group that a terminal would send it to. */
    interrupt: (): void => void process.kill(-pid, "SIGINT"),
    kill(victim: Victim, signal: NodeJS.Signals = "SIGKILL"): void {
      const victims = { everything: [pid, ...pids(below())], "the CLI": [pid], "the provider process": providers() };
      for (const one of victims[victim]) end(one, signal);
    },
    /** Ends the processes that have outlived their CLI. Resolves when none is left. */
    async sweep(): Promise<void> {
      if (child.exitCode === null && child.signalCode === null) end(pid, "SIGKILL");
      // The pid may belong to another process by then.
      const left = (): RunningProcess[] => processes().filter((one) => everSeen.get(one.pid) === one.command);
      for (const one of left()) end(one.pid, "SIGKILL");
      await until(() => left().length === 0);
    },
  };
}

/** Resolves as soon as the fault has applied to a request; the run must not end before. */
export async function meets(run: CliRun, fault: FaultHandle): Promise<void> {
  let early: Outcome | undefined;
  void run.outcome.then((outcome) => (early = outcome));
  await until(() => fault.struck > 0 || early !== undefined);
  if (fault.struck === 0) throw new Error(`the run ended before:\n${early?.text}`);
}

/** Polls every few milliseconds. The time limit is that of the test. */
export async function until(isSo: () => boolean, everyMs = 5): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, everyMs));
}

/** A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  return processes().some((one) => one.pid === pid);
}

function processes(): RunningProcess[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8", maxBuffer: 64 << 20 });
  return lines.split("\n").flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command ?? "" }];
  });
}

function descendants(pid: number): RunningProcess[] {
  const all = processes();
  const below = (parent: number): RunningProcess[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)]);
  return below(pid);
}

function isProvider({ command }: RunningProcess): boolean {
  return /[\\/]cmd[\\/]dynamic-provider|[\\/]plugin[\\/]main\.js/.test(command) && !/(^|[\\/])sh\s/.test(command);
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile.
  }
}
