// Reads the states of the chosen stacks through the user's Pulumi CLI, with any backend. Takes no lock. Secrets stay encrypted,
// and no passphrase is needed.

import { readFile } from "node:fs/promises";
import path from "node:path";
import { ProviderError } from "../../provider/domain/errors";
import { oneLine, shellWord } from "../../provider/domain/values/printable";
import { type Surroundings, UsageError } from "../command";
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

export function checkChoice({ stacks, all, files }: StackChoice): void {
  if (all && stacks.length > 0) throw new UsageError("--stack and --all-stacks exclude each other");
  if (all && files.length > 0) throw new UsageError("--state and --all-stacks exclude each other");
}

export async function readStacks({ stacks, all, files }: StackChoice, io: Surroundings): Promise<StackState[]> {
  const names = all ? await listStacks(io) : [...new Set(stacks)];
  const isSelected = names.length === 0 && files.length === 0 && !all;
  const exported = isSelected
    ? [{ text: await exportStack(undefined, io), name: undefined, origin: "the selected stack" }]
    : await inGroups(names, async (name) => ({ text: await exportStack(name, io), name, origin: `stack ${name}` }));
  const written = await Promise.all(
    [...new Set(files)].map(async (file) => ({ text: await readState(file, io), name: undefined, origin: file })),
  );
  // One stack under two names is one stack.
  const texts = new Set<string>();
  return [...exported, ...written].flatMap(({ text, name, origin }) => {
    if (texts.has(text)) return [];
    texts.add(text);
    return [readStack(text, name, origin)];
  });
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
    const why = error instanceof Error ? error.message : String(error);
    throw new ProviderError("INPUT", "state-unreadable", `the state ${shellWord(file)} cannot be read: ${why}`);
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
  return `Run \`${command}\` in this folder, or set the stacks with --stack.`;
}

/** Runs a few at a time; returns the results in the same order. */
async function inGroups<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results;
}
