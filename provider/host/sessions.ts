// The sessions of one provider process, one for each configuration.

import { version as pulumiVersion } from "@pulumi/pulumi/version";
import { createClient } from "../api/client";
import { isLoopback } from "../api/http/origin";
import { systemClock } from "../api/clock";
import { VERSION } from "../api/version";
import type { ProcessEnvironment, ProviderConfig } from "../domain/config/config";
import { required } from "../domain/config/remedies";
import type { Locks } from "../core/session";
import { type ClientSession, createSession } from "../core/createSession";

export type OpenSession = (config: ProviderConfig) => ClientSession;

interface SharedParts {
  locks: Locks;
  environment: ProcessEnvironment;
  /** Aborted when the engine ends. */
  signal: AbortSignal;
  /** Hears the line of each request. */
  trace: ((line: string) => void) | undefined;
}

/** Returns the same session for the same configuration. Throws a ConfigError if a setting is missing. */
export function createSessions({ locks, environment, signal, trace }: SharedParts): OpenSession {
  const sessions = new Map<string, ClientSession>();
  const heard = [environment["DBCLOUD_DEBUG"] === "1" ? debugLine : undefined, trace].filter(
    (one) => one !== undefined,
  );
  return (config) => {
    const key = JSON.stringify({ ...config, keyRemedy: undefined, readOnlyRemedy: undefined });
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const client = createClient({
      baseUrl: needed("baseUrl", config, "DBCLOUD_BASE_URL", "pulumi config set dbcloud:baseUrl https://…/v1"),
      apiKey: needed("apiKey", config, "DBCLOUD_API_KEY", "pulumi config set --secret dbcloud:apiKey …"),
      keyRemedy: config.keyRemedy,
      allowInsecure: config.allowInsecure,
      readOnly: config.readOnly,
      readOnlyRemedy: config.readOnlyRemedy,
      maxRequestsPerSecond: config.maxRequestsPerSecond,
      maxConcurrency: config.maxConcurrency,
      userAgent: `pulumi-dbcloud/${VERSION} pulumi/${pulumiVersion}`,
      environment,
      until: signal,
      ...(heard.length > 0 && { debug: (line) => heard.forEach((hear) => hear(line)) }),
    });
    const timeScale = timeScaleIn(environment, config);
    const session = createSession({ config, client, clock: systemClock, locks, timeScale });
    sessions.set(key, session);
    return session;
  };
}

/** Tests with the real CLI shorten the longest waits. They call an emulator; a real deployment gets the whole time. */
function timeScaleIn(environment: ProcessEnvironment, { baseUrl = "" }: ProviderConfig): number {
  const scale = Number(environment["DBCLOUD_TEST_TIME_SCALE"]);
  return scale > 0 && scale < 1 && isLoopback(new URL(baseUrl)) ? scale : 1;
}

function debugLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function needed(key: "apiKey" | "baseUrl", config: ProviderConfig, variable: string, command: string): string {
  return required(
    key,
    config[key],
    `dbcloud:${key} or ${variable}`,
    `Set ${variable} in the environment, or run \`${command}\`. \`refresh\` and \`destroy\` use the configuration saved in the state: for them, use the environment, or --run-program.`,
  );
}
