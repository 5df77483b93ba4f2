// What a subcommand is, and how it reads its arguments. Every subcommand loads only when it is called, so that `doctor`
// can speak even where the rest cannot load.

import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import type { ClientOptions } from "../api/client";
import type { ProcessEnvironment } from "../domain/config/config";
import { nearest } from "../domain/values/nearest";

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** Text, and how a terminal shows it. */
export interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** What a command has of its surroundings. */
export interface Io {
  /** Results, to standard output; the line end is the caller's. */
  readonly out: (text: string) => void;
  /** Progress, advice and errors, to standard error; the line end is the caller's. */
  readonly error: (text: string) => void;
  /** Results with colours, which appear on a terminal alone. Absent: plain text. */
  readonly paint?: (pieces: readonly Piece[]) => void;
  readonly cwd: string;
  readonly environment: ProcessEnvironment;
  /** Ends a command that would go on for ever. Default: none; Ctrl-C ends the process. */
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

/** The options that every command has which talks to the API. */
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

/** In place of Node's own text of an option that there is not. */
function unknownOption(text: string, names: readonly string[]): string | undefined {
  const [, given] = /^Unknown option '(-[^']+)'/.exec(text) ?? [];
  return given === undefined ? undefined : noSuchOption(given, [...names, "help"]);
}

/** In place of Node's own texts of a value that is missing, or too much. */
function wrongValue(text: string): string | undefined {
  const [, option, what = ""] = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' (?:argument )?(.*)/.exec(text) ?? [];
  if (option === undefined) return undefined;
  if (what.startsWith("does not take")) return `${option} takes no value`;
  const dash = what.startsWith("is ambiguous") ? `; one that begins with - is written ${option}=-…` : "";
  return `${option} needs a value${dash}`;
}

/** Says so of `--given`, with the one of the names that was probably meant: two letters may begin a single one. */
export function noSuchOption(given: string, names: readonly string[]): string {
  const word = given.replace(/^-+/, "");
  const [begun, ...others] = names.filter((name) => word.length > 1 && name.startsWith(word));
  const near = nearest(word, names) ?? (others.length === 0 ? begun : undefined);
  return `there is no option ${given}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** The end of a message about a word that is none of these. */
export function didYouMean(given: string, words: readonly string[]): string {
  const near = nearest(given, words);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** Node's own texts about arguments go on with advice on `--`; their first sentence is enough. */
export function firstSentence(text: string): string {
  return text.replace(/\. .*$/s, "");
}
