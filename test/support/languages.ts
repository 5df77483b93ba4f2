// What programs in other languages run with: the tools and SDKs of the set-up, and the plugin as users install it.

import { execFileSync } from "node:child_process";
import path from "node:path";
import { ensureLanguages } from "../../scripts/setup/languages.mjs";
import { cacheFolder } from "../../scripts/setup/paths.mjs";
import { SetupError } from "../../scripts/setup/step.mjs";
import type { Environment } from "./cliProcess";
import { root } from "./engineWorld";

export type Languages = Awaited<ReturnType<typeof ensureLanguages>>;

export const pluginFolder = path.join(root, "dist", "plugin");

/** The tools, or the reason why this machine has none. */
export async function findLanguages(): Promise<Languages | { missing: string }> {
  try {
    return await ensureLanguages({ root, env: process.env, cache: cacheFolder(process.env) });
  } catch (error) {
    if (error instanceof SetupError) return { missing: error.message };
    throw error;
  }
}

/** As a user has it who has installed the hosts and, for Python, the SDK. */
export function environmentWith({ bin, python, sdks }: Languages, environment: Environment): Environment {
  return {
    PATH: [bin, python, environment["PATH"]].join(path.delimiter),
    PYTHONPATH: path.join(sdks, "site"),
    // The host of Go builds the program for each command, and these flags find what the set-up has compiled.
    CGO_ENABLED: "0",
    GOFLAGS: "-trimpath '-ldflags=-s -w'",
  };
}

/** The plugin as an archive, which the CLI installs by itself or by `pulumi plugin install`. */
export function archiveIn(folder: string): string {
  const file = path.join(folder, "plugin.tar.gz");
  // Pulumi: with these two it installs packages into the plugin, and fails because there are none.
  const without = ["PulumiPlugin.yaml", "package.json"].map((name) => `--exclude=${name}`);
  execFileSync("tar", ["-czf", file, ...without, "-C", pluginFolder, "."]);
  return file;
}
