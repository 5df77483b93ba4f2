// Runs programs as the account of the servers. The environment is minimal: with root's HOME a standby waits forever,
// because its client library cannot read the certificates there.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { Account } from "./account";

export interface Programs {
  readonly account: Account;
  /** For the shared libraries of the programs, if the loader does not find them by itself. */
  readonly libraryPath?: string | undefined;
  /** Aborts running programs. */
  readonly closing?: AbortSignal;
  /** Called with each process before its program begins. */
  readonly record?: (pid: number, file: string) => void;
}

interface LaunchOptions {
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The program begins when its process is recorded: if the emulator is killed before, the shell reads no line, and ends.
 * The shell also sets the path of the libraries, because macOS keeps it from programs that a system shell inherits from.
 */
const whenRecorded = 'read -r line && export "$1" && shift && exec "$@"';

export function launch(
  { account, libraryPath, record }: Programs,
  file: string,
  args: readonly string[],
  { input = "", signal }: LaunchOptions = {},
): ChildProcessWithoutNullStreams {
  const library = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  const variable = libraryPath === undefined ? "LANG=C" : `${library}=${libraryPath}`;
  const child = spawn("/bin/sh", ["-c", whenRecorded, "sh", variable, file, ...args], {
    // Not a folder of the servers: root would follow a link there.
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: "/", LANG: "C", TZ: "UTC" },
    // Ctrl-C in a terminal signals the whole process group. The servers must end only when the emulator stops them.
    detached: true,
    ...account.owner,
    ...(signal && { signal }),
  });
  if (child.pid === undefined) {
    // It has no streams then, and reports the reason later.
    child.once("error", () => undefined);
    throw new Error(`${file} cannot be started: this user has too many open files or processes`);
  }
  child.stdin.on("error", () => undefined);
  try {
    record?.(child.pid, file);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  child.stdin.end(`\n${input}`);
  return child;
}

/** Resolves with the standard output; if the program fails, rejects with the last lines that it wrote. */
export function run(programs: Programs, file: string, args: readonly string[], input = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = launch(programs, file, args, { input, signal: programs.closing });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${file} ended with ${code ?? signal}: ${endOf(errors.trim() || output.trim())}`));
    });
  });
}

/** The last lines of what a program wrote; of a full disk, which every file runs into, the first line alone. */
export function endOf(text: string): string {
  const full = text.split("\n").find((line) => /No space left on device|Disk quota exceeded/.test(line));
  if (full !== undefined) return full;
  return text.length > longestEnd ? text.slice(-longestEnd).replace(/^.*\n/, "") : text;
}

const longestEnd = 2_000;

/** Runs a shell script, in which the words are $1, $2 …; it ends with the first command that fails. */
export const script = (programs: Programs, text: string, ...words: readonly string[]): Promise<string> =>
  run(programs, "/bin/sh", ["-euc", text, "sh", ...words]);
