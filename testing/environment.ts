// The environment of a test stack: without the machine's own Pulumi settings or account, and with the emulator as the
// only allowed address.

import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Emulator } from "../emulator/index";
import { RUN_ENVIRONMENT } from "../provider/domain/config/runEnvironment";
import type { Environment } from "./cli";

interface Parts {
  readonly emulator: Pick<Emulator, "baseUrl" | "apiKey" | "projectId">;
  readonly folder: string;
  readonly backend: string;
  readonly passphrase: string;
  readonly own: Environment;
}

export function environmentFor({ emulator, folder, backend, passphrase, own }: Parts): Environment {
  const kept = Object.entries(process.env).filter(
    ([key]) => !/^(?:PULUMI_|DBCLOUD_|NODE_TEST_CONTEXT$|NODE_OPTIONS$)/.test(key),
  );
  return {
    ...Object.fromEntries(kept),
    PULUMI_HOME: pulumiHome(folder),
    PULUMI_BACKEND_URL: String(pathToFileURL(backend)),
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_SELF_MANAGED_STATE_GZIP: "false",
    // A killed run leaves nothing behind in any case.
    PULUMI_SKIP_CHECKPOINTS: "true",
    PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
    DBCLOUD_BASE_URL: emulator.baseUrl,
    DBCLOUD_API_KEY: emulator.apiKey,
    DBCLOUD_PROJECT_ID: emulator.projectId,
    DBCLOUD_POLL_INTERVAL: "5ms",
    DBCLOUD_TEST_TIME_SCALE: "0.01",
    DBCLOUD_SHOW_CALLS: "1",
    ...own,
    // Overrides the program: a test never calls a real deployment.
    DBCLOUD_ONLY_BASE_URL: emulator.baseUrl,
  };
}

/** Own settings, but the machine's plugins: they are large, and other providers need them. */
function pulumiHome(folder: string): string {
  const home = path.join(folder, "home");
  mkdirSync(home);
  const plugins = path.join(process.env["PULUMI_HOME"] ?? path.join(homeOrNone(), ".pulumi"), "plugins");
  if (existsSync(plugins)) symlinkSync(plugins, path.join(home, "plugins"), "junction");
  return home;
}

/** The account of a container may have no home, and no name. */
function homeOrNone(): string {
  try {
    return homedir();
  } catch {
    return "/dev/null";
  }
}

/** Runs a program whose look-ups and clients see this environment instead of the process's. */
export function inEnvironment<T>(environment: Environment, program: () => T): T {
  const known = Reflect.get(globalThis, RUN_ENVIRONMENT) as AsyncLocalStorage<Environment> | undefined;
  const storage = known ?? new AsyncLocalStorage<Environment>();
  Reflect.set(globalThis, RUN_ENVIRONMENT, storage);
  return storage.run(environment, program);
}
