// The account that a command works on: the environment's settings, and flags before them. Loads the client, not Pulumi.

import { systemClock } from "../provider/api/clock";
import { createClient } from "../provider/api/client";
import { type ConfigSource, environmentSource, readSettings } from "../provider/domain/config/config";
import { ALLOWED_HOSTS, checkKeyRoute } from "../provider/domain/config/keyRoute";
import { required } from "../provider/domain/config/remedies";
import { type ClientSession, createSession } from "../provider/core/createSession";
import type { Io } from "./command";

/** Short, because a user waits. */
const CONNECT_RETRY_MS = 1_500;
const READ_TIMEOUT_MS = 30_000;

export interface AccountFlags {
  project?: string | undefined;
  "base-url"?: string | undefined;
}

const NO_STACK_CONFIG = "This command does not read the configuration of a stack.";

/** The sources of a setting, in order of precedence. */
export function accountSources(flags: AccountFlags, io: Pick<Io, "environment">): ConfigSource[] {
  const given: Record<string, string | undefined> = { projectId: flags.project, baseUrl: flags["base-url"] };
  return [{ origin: "flag", read: (key) => given[key] || undefined }, environmentSource(io.environment)];
}

/**
 * Throws a ConfigError that names a missing setting, or says why the key may not be sent to the address. Sends nothing yet.
 */
export function openAccount(sources: readonly ConfigSource[], io: Io): ClientSession {
  const settings = readSettings(sources);
  checkKeyRoute(settings, io.environment[ALLOWED_HOSTS]);
  const { config } = settings;
  const client = createClient({
    baseUrl: required("baseUrl", config.baseUrl, "--base-url or DBCLOUD_BASE_URL", NO_STACK_CONFIG),
    apiKey: required("apiKey", config.apiKey, "DBCLOUD_API_KEY", NO_STACK_CONFIG),
    keyRemedy: "Set it in the environment as DBCLOUD_API_KEY.",
    allowInsecure: config.allowInsecure,
    readOnly: true,
    readOnlyRemedy: "This command only reads.",
    maxRequestsPerSecond: config.maxRequestsPerSecond,
    maxConcurrency: config.maxConcurrency,
    environment: io.environment,
    connectRetryMs: CONNECT_RETRY_MS,
    readTimeoutMs: READ_TIMEOUT_MS,
    ...io.clientParts,
    ...(io.environment["DBCLOUD_DEBUG"] === "1" ? { debug: (line: string) => io.error(`${line}\n`) } : {}),
  });
  const { clock = systemClock, wallClock } = io.clientParts ?? {};
  return createSession({ config, client, clock, wallClock, timeScale: 0, readLimitMs: READ_TIMEOUT_MS });
}
