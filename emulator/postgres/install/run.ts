// Runs one program to its end, as the account of the servers. The environment is minimal: with root's HOME a standby
// waits forever, because its client library cannot read the certificates there.

import { spawn, type SpawnOptions } from "node:child_process";
import type { Account } from "./account";

export interface Programs {
  readonly account: Account;
  /** For the shared libraries of the programs, if the loader does not find them by itself. */
  readonly libraryPath: string | undefined;
  /** Aborts running programs. */
  readonly closing?: AbortSignal;
}

/** The working directory of the programs stays `cwd`: the clean-up after a killed emulator finds them by it. */
export function spawnOptions({ account, libraryPath }: Programs, cwd: string): SpawnOptions {
  const library = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: cwd,
      LANG: "C",
      TZ: "UTC",
      ...(libraryPath === undefined ? {} : { [library]: libraryPath }),
    },
    // Ctrl-C in a terminal signals the whole process group. The servers must end only when the emulator stops them.
    detached: true,
    ...account.owner,
  };
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
}

/** Resolves with the standard output; if the program fails, rejects with the last lines that it wrote. */
export function run(programs: Programs, file: string, args: readonly string[], options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const { closing } = programs;
    const child = spawn(file, args, {
      ...spawnOptions(programs, options.cwd),
      stdio: ["pipe", "pipe", "pipe"],
      ...(closing && { signal: closing }),
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)));
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${file} ended with ${code ?? signal}: ${errors.trim() || output.trim().slice(-2_000)}`));
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
