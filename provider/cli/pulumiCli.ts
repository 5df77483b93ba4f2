// The Pulumi CLI that a user's next command will be: which version is on the PATH.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { environmentName } from "../domain/config/config";
import type { Io } from "./command";

/** The first version whose `import --file` takes outputs. */
export const IMPORT_NEEDS = "3.254.0";

const PATIENCE_MS = 20_000;
/** A state of many thousand resources. */
const MOST_BYTES = 1 << 30;

/** Like `3.259.0`; undefined where none answers. */
export async function pulumiVersion({
  cwd,
  environment,
}: Pick<Io, "cwd" | "environment">): Promise<string | undefined> {
  try {
    const text = await askPulumi(["version"], { cwd, environment });
    return /\d+\.\d+\.\d+/.exec(text)?.[0];
  } catch {
    return undefined;
  }
}

/** What the CLI prints to standard output. Rejects when there is none, or it fails, or takes long. */
export async function askPulumi(
  args: readonly string[],
  { cwd, environment }: Pick<Io, "cwd" | "environment">,
  patienceMs = PATIENCE_MS,
): Promise<string> {
  // It needs no key for what it is asked here, and it may start plugins of whatever project lies in the folder.
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true", [environmentName("apiKey")]: undefined };
  const { stdout } = await promisify(execFile)("pulumi", [...args], {
    cwd,
    env,
    timeout: patienceMs,
    maxBuffer: MOST_BYTES,
  });
  return stdout;
}

/** Compares what comes before a `-` or `+`; both sides are `major.minor.patch`. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = (text: string): number[] => text.split(/[-+]/, 1).join("").split(".").map(Number);
  const [given, needed] = [parts(version), parts(least)];
  for (const [index, number] of needed.entries()) {
    const difference = (given[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
