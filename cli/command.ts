// Defines subcommands, and parses their arguments. A subcommand is loaded only when it is called, so that `doctor` works even
// if the others cannot be loaded.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import type { ClientOptions } from "../provider/api/client";
import type { ProcessEnvironment } from "../provider/domain/config/config";
import { nearest } from "../provider/domain/values/nearest";

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Text with its form on a terminal. */
export interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** The environment of a command. */
export interface Io {
  /** Results, to standard output; the line end is the caller's. */
  readonly out: (text: string) => void;
  /** Progress, advice and errors, to standard error; the line end is the caller's. */
  readonly error: (text: string) => void;
  /** Results with colours, which only a terminal shows. Absent: plain text. */
  readonly paint?: (pieces: readonly Piece[]) => void;
  readonly cwd: string;
  readonly environment: ProcessEnvironment;
  /** Ends a command that runs without end. Default: none; Ctrl-C ends the process. */
  readonly signal?: AbortSignal;
  /** Whether standard output is a terminal. */
  readonly isTerminal?: boolean;
  /** The parts of a client that a test replaces. */
  readonly clientParts?: Pick<ClientOptions, "clock" | "wallClock" | "transport">;
}

export interface Command {
  /** Printed for `--help`. Absent: the command reads that by itself. */
  readonly usage?: string;
  /** Resolves with the exit code. */
  run(argv: readonly string[], io: Io): Promise<number>;
}

/** Invalid arguments: exit code 1, and a line that names `--help`. */
export class UsageError extends Error {}

/** The options of every command that calls the API. */
export const accountOptions = {
  project: { type: "string" },
  "base-url": { type: "string" },
} as const;

export const accountUsage = `  --project ID           the project (default: DBCLOUD_PROJECT_ID, or the only one the key can see)
  --base-url URL         the API's address (default: DBCLOUD_BASE_URL)
  --help                 this text

The key comes from DBCLOUD_API_KEY, and every other setting from its DBCLOUD_ variable. A server that does not answer
is given up after half a minute.`;

type Parsed<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ args: string[]; options: O; allowPositionals: true; strict: true }>
>;

export function parse<O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O): Parsed<O> {
  const parsed = parsedStrictly(argv, options);
  for (const [name, value] of Object.entries(parsed.values)) {
    if ([value].flat().includes("")) throw new UsageError(`--${name} needs a value`);
  }
  return parsed;
}

function parsedStrictly<O extends ParseArgsOptionsConfig>(argv: readonly string[], options: O): Parsed<O> {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new UsageError(unknownOption(text, Object.keys(options)) ?? wrongValue(text) ?? text);
  }
}

/** Replaces Node's text for an unknown option. */
function unknownOption(text: string, names: readonly string[]): string | undefined {
  const [, given] = /^Unknown option '(-[^']+)'/.exec(text) ?? [];
  return given === undefined ? undefined : noSuchOption(given, [...names, "help"]);
}

/** Replaces Node's texts for a missing or superfluous value. */
function wrongValue(text: string): string | undefined {
  const [, option, what = ""] = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' (?:argument )?(.*)/.exec(text) ?? [];
  if (option === undefined) return undefined;
  if (what.startsWith("does not take")) return `${option} takes no value`;
  const dash = what.startsWith("is ambiguous") ? `; one that begins with - is written ${option}=-…` : "";
  return `${option} needs a value${dash}`;
}

/** The error for an unknown `--given`, with the name that was probably meant. Two letters are enough if one name begins so. */
export function noSuchOption(given: string, names: readonly string[]): string {
  const word = given.replace(/^-+/, "");
  const [begun, ...others] = names.filter((name) => word.length > 1 && name.startsWith(word));
  const near = nearest(word, names) ?? (others.length === 0 ? begun : undefined);
  return `there is no option ${given}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The end of the message for an unknown word. */
export function didYouMean(given: string, words: readonly string[]): string {
  const near = nearest(given, words);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Node's texts about arguments continue with advice on `--`; their first sentence is enough. */
export function firstSentence(text: string): string {
  return text.replace(/\. .*$/s, "");
}
