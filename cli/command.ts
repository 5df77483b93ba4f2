// Defines subcommands, and parses their arguments.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import type { ClientOptions } from "../provider/api/client";
import { codesOf } from "../provider/api/systemCodes";
import type { ProcessEnvironment } from "../provider/domain/config/config";

/** The environment of a command. */
export interface Io {
  /** Results, to standard output; the line end is the caller's. */
  readonly out: (text: string) => void;
  /** Progress, advice and errors, to standard error; the line end is the caller's. */
  readonly error: (text: string) => void;
  readonly cwd: string;
  readonly environment: ProcessEnvironment;
  /** Ends a command that runs without end. Default: none; Ctrl-C ends the process. */
  readonly signal?: AbortSignal;
  /** The parts of a client that a test replaces. */
  readonly clientParts?: Pick<ClientOptions, "clock" | "wallClock" | "transport">;
}

/** Where the Pulumi CLI is asked. */
export type Surroundings = Pick<Io, "cwd" | "environment">;

export interface Command {
  /** Printed for `--help`. Absent: the command reads that by itself. */
  readonly usage?: string;
  /** Resolves with the exit code. */
  run(argv: readonly string[], io: Io): Promise<number>;
  /** For standard output if the command cannot run, or throws: whatever reads that gets an answer in any case. */
  failure?(argv: readonly string[], error: unknown): string;
}

/** Invalid arguments: exit code 1, and a line that names `--help`. */
export class UsageError extends Error {}

/** The options of every command that calls the API. */
export const accountOptions = {
  project: { type: "string" },
  "base-url": { type: "string" },
} as const;

export const accountUsage = `  --project ID           the project (default: DBCLOUD_PROJECT_ID, else the only one that the key can access)
  --base-url URL         the API's address (default: DBCLOUD_BASE_URL)
  --help                 show this text

The key comes from DBCLOUD_API_KEY, and every other setting from its DBCLOUD_ variable. The command waits up to 30
seconds for a server that does not answer.`;

/** An error of Node's `parseArgs`, also one of the emulator's, as a UsageError; any other error as it is. */
export function asUsageError(error: unknown): unknown {
  if (!(error instanceof TypeError && codesOf(error).some((code) => code.startsWith("ERR_PARSE_ARGS_")))) return error;
  const lacksValue = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument .*$/s;
  // Node's other texts continue with advice on `--`; their first sentence is enough.
  const text = error.message.replace(/\. .*$/s, "");
  return new UsageError(text.replace(lacksValue, "$1 needs a value (if it begins with a dash: $1=VALUE)"));
}

export function parse<O extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: O,
): ReturnType<typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; strict: true }>> {
  const parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  for (const [name, value] of Object.entries(parsed.values)) {
    if ([value].flat().includes("")) throw new UsageError(`--${name} needs a value`);
  }
  return parsed;
}
