// Reads the states of the chosen stacks through the user's Pulumi CLI, with any backend. Takes no lock. Secrets stay encrypted,
// and no passphrase is needed.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { messageOf, ProviderError } from "../../provider/domain/errors";
import { oneLine, shellWord } from "../../provider/domain/values/printable";
import type { Surroundings } from "../command";
import { askPulumi, isAbsent, reasonOf } from "../pulumiCli";
import { readStack, type StackState } from "./state";

export interface StackChoice {
  stacks: readonly string[];
  all: boolean;
  /** Files that `pulumi stack export` wrote. */
  files: readonly string[];
}

/** A backend in the cloud may be slow. */
const EXPORT_TIMEOUT_MS = 120_000;
/** Each is a process. */
const AT_ONCE = 4;

export interface States {
  stacks: StackState[];
  /** Those that could not be read, by name or file. */
  failures: Failure[];
}

interface Failure {
  stack: string;
  error: ProviderError;
}

/** Throws if none can be read. */
export async function readStacks({ stacks, all, files }: StackChoice, io: Surroundings): Promise<States> {
  const names = new Set([...stacks, ...(all ? await listStacks(io) : [])]);
  const isSelected = names.size === 0 && files.length === 0 && !all;
  const sources = [
    ...(isSelected ? [undefined] : [...names]).map((name) => ({
      name,
      origin: name === undefined ? "the selected stack" : `stack ${name}`,
      export: () => exportStack(name, io),
    })),
    ...[...new Set(files)].map((file) => ({ name: undefined, origin: file, export: () => readState(file, io) })),
  ];
  type Result = { text: string; state: StackState } | Failure;
  const results = await inGroups(sources, async ({ name, origin, export: exported }): Promise<Result> => {
    try {
      const text = await exported();
      return { text, state: readStack(text, name, origin) };
    } catch (error) {
      if (error instanceof ProviderError) return { stack: name ?? origin, error };
      throw error;
    }
  });
  const failures = results.filter((one) => "error" in one);
  const read = results.filter((one) => "state" in one);
  if (read.length === 0 && failures[0] !== undefined) throw failures[0].error;
  // One stack under two names is one stack.
  const different = [...Map.groupBy(read, ({ text }) => text).values()];
  return { stacks: different.flatMap(([first]) => first?.state ?? []), failures };
}

async function listStacks(io: Surroundings): Promise<string[]> {
  const args = ["stack", "ls", "--all", "--json", "--non-interactive"];
  const text = await ask(args, "the stacks cannot be listed", io);
  const all = JSON.parse(text) as { name?: unknown }[];
  return all.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}

function exportStack(name: string | undefined, io: Surroundings): Promise<string> {
  const what = name === undefined ? "the selected stack" : `stack ${oneLine(name)}`;
  const read = (which: readonly string[]): Promise<string> =>
    ask(["stack", "export", "--non-interactive", ...which], `${what} cannot be read`, io);
  if (name === undefined) return read([]);
  return read(["--stack", name]).catch((error: unknown) => {
    if (!isProjectAndStack(name, error)) throw error;
    return read(["--stack", `${ONLY_ORGANIZATION}/${name}`]);
  });
}

/** Pulumi: a backend of one's own has this organization alone, and takes `project/stack`, as in reports, for another one. */
const ONLY_ORGANIZATION = "organization";

function isProjectAndStack(name: string, error: unknown): boolean {
  const isRefused = error instanceof Error && error.message.includes("organization name must be 'organization'");
  return isRefused && name.split("/").length === 2;
}

async function readState(file: string, { cwd }: Surroundings): Promise<string> {
  try {
    return await readFile(path.resolve(cwd, file), "utf8");
  } catch (error) {
    const message = `the state ${shellWord(file)} cannot be read: ${messageOf(error)}`;
    throw new ProviderError("INPUT", "state-unreadable", message);
  }
}

async function ask(args: readonly string[], failure: string, io: Surroundings): Promise<string> {
  try {
    return await askPulumi(args, io, EXPORT_TIMEOUT_MS);
  } catch (error) {
    throw new ProviderError("CONFIG", "stack-unreadable", `${failure}: ${reasonOf(error)}`, remedyFor(error, args));
  }
}

function remedyFor(error: unknown, args: readonly string[]): string {
  if (isAbsent(error)) return "Install it: https://www.pulumi.com/docs/install/; or use --state FILE.";
  const words = args.filter((word) => word !== "--non-interactive");
  const command = ["pulumi", ...words.map((word) => (word.startsWith("--") ? word : shellWord(word)))].join(" ");
  return `To see why, run \`${command}\` in this folder.`;
}

/** Runs a few at a time; returns the results in the same order. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}
