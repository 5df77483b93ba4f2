// The provider's configuration: one row per key, read alike from stack config, environment and an explicit Provider.
// An explicit Provider's values win over the environment, the environment wins over stack config: destroy and refresh
// see only the copy of the configuration kept in the state, and the environment is how a person corrects that.

import { DURATION_ALLOWED, parseDuration } from "./duration";
import { ConfigError } from "./errors";

export interface ProviderConfig {
  /** Bearer credential; undefined is an error only once a request is to be made. */
  apiKey?: string | undefined;
  projectId?: string | undefined;
  /** Ends in the version segment; undefined is an error only once a request is to be made. */
  baseUrl?: string | undefined;
  pollIntervalMs: number;
  pollIntervalMaxMs: number;
  maxRequestsPerSecond: number;
  maxConcurrency: number;
  allowInsecure: boolean;
  quiet: boolean;
}

/** How fast and how many at once, where nobody says otherwise: more than the engine can feed. */
export const REQUEST_BOUNDS = { maxRequestsPerSecond: 10_000, maxConcurrency: 16 };

interface Key<T> {
  parse: (text: string) => T | undefined;
  allowed: string;
}

interface Keys {
  apiKey: Key<string>;
  projectId: Key<string>;
  baseUrl: Key<string>;
  pollInterval: Key<number>;
  pollIntervalMax: Key<number>;
  maxRequestsPerSecond: Key<number>;
  maxConcurrency: Key<number>;
  allowInsecure: Key<boolean>;
  quiet: Key<boolean>;
}

const text: Key<string> = { parse: (value) => (value === "" ? undefined : value), allowed: "a text that is not empty" };
const flag: Key<boolean> = { parse: parseFlag, allowed: "true or false" };

export const configKeys: Keys = {
  apiKey: text,
  projectId: text,
  baseUrl: { parse: parseBaseUrl, allowed: "an http(s) address that ends in the version segment, like https://…/v1" },
  pollInterval: { parse: parsePositiveDuration, allowed: DURATION_ALLOWED },
  pollIntervalMax: { parse: parsePositiveDuration, allowed: DURATION_ALLOWED },
  maxRequestsPerSecond: { parse: parsePositive, allowed: "a number above 0" },
  maxConcurrency: { parse: parseCount, allowed: "a whole number, at least 1" },
  allowInsecure: flag,
  quiet: flag,
};

export type ConfigKey = keyof Keys;

/** Answers the text configured for a key, or undefined. */
export type ConfigSource = (key: ConfigKey) => string | undefined;

/** `pollInterval` is `DBCLOUD_POLL_INTERVAL`. */
export function environmentName(key: string): string {
  return `DBCLOUD_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export function environmentSource(environment: Readonly<Record<string, string | undefined>>): ConfigSource {
  return (key) => environment[environmentName(key)] || undefined;
}

/** The first source that has a key decides it. A malformed value is an error that names the key, never its secret. */
export function readConfig(sources: readonly ConfigSource[]): ProviderConfig {
  const pick = <T>(key: ConfigKey, row: Key<T>): T | undefined => pickFrom(sources, key, row);
  const pollIntervalMs = pick("pollInterval", configKeys.pollInterval) ?? 1_000;
  return {
    apiKey: pick("apiKey", configKeys.apiKey),
    projectId: pick("projectId", configKeys.projectId),
    baseUrl: pick("baseUrl", configKeys.baseUrl),
    pollIntervalMs,
    pollIntervalMaxMs: Math.max(pollIntervalMs, pick("pollIntervalMax", configKeys.pollIntervalMax) ?? 15_000),
    maxRequestsPerSecond:
      pick("maxRequestsPerSecond", configKeys.maxRequestsPerSecond) ?? REQUEST_BOUNDS.maxRequestsPerSecond,
    maxConcurrency: pick("maxConcurrency", configKeys.maxConcurrency) ?? REQUEST_BOUNDS.maxConcurrency,
    allowInsecure: pick("allowInsecure", configKeys.allowInsecure) ?? false,
    quiet: pick("quiet", configKeys.quiet) ?? false,
  };
}

function pickFrom<T>(sources: readonly ConfigSource[], key: ConfigKey, row: Key<T>): T | undefined {
  for (const source of sources) {
    const given = source(key);
    if (given === undefined) continue;
    const value = row.parse(given);
    if (value !== undefined) return value;
    const shown = key === "apiKey" ? "[secret]" : JSON.stringify(given);
    throw new ConfigError(
      `configuration dbcloud:${key}: given ${shown}; allowed: ${row.allowed}`,
      `Set it with \`pulumi config set dbcloud:${key} …\` or in the environment as ${environmentName(key)}.`,
    );
  }
  return undefined;
}

function parseBaseUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") return undefined;
  return value.replace(/\/+$/, "");
}

function parsePositiveDuration(value: string): number | undefined {
  const ms = parseDuration(value);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

function parsePositive(value: string): number | undefined {
  const number = Number(value);
  return Number.isFinite(number) && number > 0 ? number : undefined;
}

function parseCount(value: string): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number >= 1 ? number : undefined;
}

function parseFlag(value: string): boolean | undefined {
  if (["true", "1", "yes"].includes(value.toLowerCase())) return true;
  if (["false", "0", "no"].includes(value.toLowerCase())) return false;
  return undefined;
}
