// What programs in other languages run with: the tools and SDKs of the set-up, and the plugin as users install it.

import path from "node:path";
import { ensureLanguages } from "../../scripts/setup/languages.mjs";
import { cacheFolder } from "../../scripts/setup/paths.mjs";
import { SetupError } from "../../scripts/setup/step.mjs";
import type { Environment } from "./cliProcess";
import { root } from "./repository";

export type Languages = Awaited<ReturnType<typeof ensureLanguages>>;

/** The tools, or the reason why this machine has none. */
export async function findLanguages(): Promise<Languages | { missing: string }> {
  try {
    return await ensureLanguages({ root, env: process.env, cache: cacheFolder(process.env) });
  } catch (error) {
    if (error instanceof SetupError) return { missing: error.message };
    throw error;
  }
}

/** As a user has it who has installed the hosts. */
export function environmentWith({ bin, python }: Languages, environment: Environment): Environment {
  return {
    PATH: [bin, python, environment["PATH"]].join(path.delimiter),
    // The host of Go builds the program for each command, and these flags find what the set-up has compiled.
    CGO_ENABLED: "0",
    GOFLAGS: "-trimpath '-ldflags=-s -w'",
  };
}
