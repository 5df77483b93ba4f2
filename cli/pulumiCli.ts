// The Pulumi CLI that a user's next command will be: which version is on the PATH.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { environmentName } from "../provider/domain/config/config";
import { messageOf } from "../provider/domain/errors";
import type { Surroundings } from "./command";

/** The first version whose `import --file` takes outputs. */
export const IMPORT_NEEDS = "3.254.0";

const TIMEOUT_MS = 20_000;
/** A state of many thousand resources. */
const MOST_BYTES = 1 << 30;

/** Like `3.259.0`; undefined where none answers. */
export async function pulumiVersion(where: Surroundings): Promise<string | undefined> {
  try {
    const text = await askPulumi(["version"], where);
    return /\d+\.\d+\.\d+/.exec(text)?.[0];
  } catch {
    return undefined;
  }
}

/** What the CLI prints to standard output. Rejects when there is none, or it fails, or takes long. */
export async function askPulumi(
  args: readonly string[],
  { cwd, environment }: Surroundings,
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  // It needs no key for what it is asked here, and it may start plugins of whatever project lies in the folder.
  const env = { ...environment, PULUMI_SKIP_UPDATE_CHECK: "true", [environmentName("apiKey")]: undefined };
  const { stdout } = await promisify(execFile)("pulumi", [...args], {
    cwd,
    env,
    timeout: timeoutMs,
    maxBuffer: MOST_BYTES,
  });
  return stdout;
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The message of the CLI. */
export function reasonOf(error: unknown): string {
  if (isAbsent(error)) return "there is no Pulumi CLI on the PATH";
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  if (said !== "") return said.replace(/^error: /, "");
  return messageOf(error);
}
