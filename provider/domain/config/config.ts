// The provider's configuration: one row per key, read alike from flags, environment, an explicit Provider and stack config.
// An explicit Provider wins over the environment, and the environment over stack config: destroy and refresh see only the
// configuration that the state has stored, and the environment lets a user correct that.

import { DURATION_ALLOWED, parseDuration } from "../values/duration";
import { ConfigError } from "../errors";
import { show, withoutUndefined } from "../values/value";
import { ADDRESS_ALLOWED, placeOf, problemOf } from "./address";

export interface ProviderConfig {
  /** Bearer credential. Undefined is an error only when a request is made. */
  apiKey?: string | undefined;
  /** Where the key comes from, and how to correct it there. */
  keyRemedy?: string | undefined;
  projectId?: string | undefined;
  /** Ends in the version segment. Undefined is an error only when a request is made. */
  baseUrl?: string | undefined;
  /** The address that this deployment had before. */
  formerBaseUrl?: string | undefined;
  pollIntervalMs: number;
  pollIntervalMaxMs: number;
  maxRequestsPerSecond: number;
  maxConcurrency: number;
  allowInsecure: boolean;
  quiet: boolean;
  /** Protects each object that the program does not say `false` for, if its kind has protection. */
  deletionProtection: boolean;
  readOnly: boolean;
  /** How to allow changes again. */
  readOnlyRemedy?: string | undefined;
}

/** The default rate and concurrency: more than the engine can use. */
export const REQUEST_BOUNDS = { maxRequestsPerSecond: 10_000, maxConcurrency: 16 };

interface Key<T> {
  parse: (text: string) => T | undefined;
  allowed: string;
  /** The form of a malformed value in an error. Default: the value itself. */
  describe?: (text: string) => string | undefined;
}

const text: Key<string> = { parse: (value) => (value === "" ? undefined : value), allowed: "a non-empty string" };
const flag: Key<boolean> = { parse: parseFlag, allowed: "true or false" };
const duration: Key<number> = { parse: (value) => positive(parseDuration(value)), allowed: DURATION_ALLOWED };
const address: Key<string> = {
  parse: (value) => (problemOf(value) === undefined ? placeOf(value) : undefined),
  allowed: ADDRESS_ALLOWED,
  describe: problemOf,
};

export const configKeys = {
  apiKey: { ...text, describe: () => "[secret]" },
  projectId: { ...text, parse: (value) => text.parse(value.trim()) },
  baseUrl: address,
  formerBaseUrl: address,
  pollInterval: duration,
  pollIntervalMax: duration,
  maxRequestsPerSecond: { parse: (value) => positive(Number(value)), allowed: "a number above 0" },
  maxConcurrency: {
    parse: (value) => (Number.isInteger(Number(value)) ? positive(Number(value)) : undefined),
    allowed: "a whole number, at least 1",
  },
  allowInsecure: flag,
  quiet: flag,
  deletionProtection: flag,
  readOnly: flag,
} satisfies Record<string, Key<unknown>>;

export type ConfigKey = keyof typeof configKeys;

const KEYS = Object.keys(configKeys) as ConfigKey[];

type Parsed<Name extends ConfigKey> = ReturnType<(typeof configKeys)[Name]["parse"]>;

/** The sources of a value, the most trusted first. The order decides which values may apply to the API key. */
const ORIGINS = ["flag", "environment", "provider", "stack"] as const;

type Origin = (typeof ORIGINS)[number];

/** Whether a value of one source may apply to a value of another: only from the same source or a more trusted one. */
export function mayDecide(origin: Origin, about: Origin): boolean {
  return ORIGINS.indexOf(origin) <= ORIGINS.indexOf(about);
}

/** Pulumi: only a run of the program without `--refresh` saves the current configuration. */
const UP_SAVES_IT =
  "`refresh`, `destroy` and `--refresh` use the configuration saved in the state. To update it, run `pulumi up` " +
  "once without `--refresh`, or add --run-program to the command.";

/** The place of a value, and how to correct it there. */
const namedBy: Readonly<Record<Origin, (key: ConfigKey) => { name: string; remedy: string }>> = {
  flag: (key) => ({ name: key === "baseUrl" ? "--base-url" : "--project", remedy: "Correct it on the command line." }),
  environment: (key) => ({
    name: `environment variable ${environmentName(key)}`,
    remedy: `Correct ${environmentName(key)} in the environment, or unset it.`,
  }),
  provider: (key) => ({
    name: `argument ${key} of the Provider`,
    remedy: `Correct it where the program creates the \`Provider\`; if you removed that \`Provider\`, add it back, corrected, for one \`pulumi up\`. ${UP_SAVES_IT}`,
  }),
  stack: (key) => ({
    name: `configuration dbcloud:${key}`,
    remedy: `Set it with \`pulumi config set ${key === "apiKey" ? "--secret " : ""}dbcloud:${key} …\` or in the environment as ${environmentName(key)}. Without the variable, ${UP_SAVES_IT}`,
  }),
};

export interface ConfigSource {
  readonly origin: Origin;
  /** The text configured for a key, or undefined. */
  readonly read: (key: ConfigKey) => string | undefined;
}

/** The configuration, and the source of each given value. */
export interface Settings {
  config: ProviderConfig;
  origins: Partial<Record<ConfigKey, Origin>>;
}

/** `pollInterval` is `DBCLOUD_POLL_INTERVAL`. */
export function environmentName(key: string): string {
  return `DBCLOUD_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** The variables of a process, by name. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export function environmentSource(environment: ProcessEnvironment): ConfigSource {
  return { origin: "environment", read: (key) => environment[environmentName(key)] || undefined };
}

/**
 * The first source that has a key decides it. A malformed value is an error that names the key, never its secret.
 * `allowInsecure` counts only from the source of the API key, or from a more trusted one: a file of a repository must not
 * lift the rule for a key of the environment.
 */
export function readSettings(sources: readonly ConfigSource[]): Settings {
  const origins: Settings["origins"] = {};
  const pick = <Name extends ConfigKey>(key: Name): Parsed<Name> | undefined => {
    const source = sources.find(({ read }) => read(key) !== undefined);
    if (source === undefined) return undefined;
    origins[key] = source.origin;
    return readKey(source, key);
  };
  const given = Object.fromEntries(KEYS.map((key) => [key, pick(key)])) as { [Name in ConfigKey]: Parsed<Name> };
  const { apiKey, projectId, baseUrl, formerBaseUrl } = given;
  const { pollInterval = 1_000, pollIntervalMax = 15_000, allowInsecure = false } = given;
  const { maxRequestsPerSecond, maxConcurrency, quiet = false, deletionProtection = false } = given;
  const keyOrigin = origins.apiKey;
  const trusted = sources.filter(({ origin }) => keyOrigin === undefined || mayDecide(origin, keyOrigin));
  const config = {
    apiKey,
    keyRemedy: keyOrigin && remedyOf(keyOrigin, "apiKey"),
    projectId,
    baseUrl,
    formerBaseUrl,
    // Reads that confirm an answer are this far apart: without a limit they would outlast every deadline.
    pollIntervalMs: Math.min(pollInterval, pollIntervalMax),
    pollIntervalMaxMs: pollIntervalMax,
    ...REQUEST_BOUNDS,
    ...withoutUndefined({ maxRequestsPerSecond, maxConcurrency }),
    allowInsecure: allowInsecure && trusted.some(({ read }) => parseFlag(read("allowInsecure")) === true),
    quiet,
    deletionProtection,
    ...readOnlyFrom(sources),
  };
  for (const key of ["baseUrl", "formerBaseUrl", "projectId"] as const) {
    refuseKeyAsValue(key, origins[key] ?? "stack", config[key], apiKey);
  }
  return { config, origins };
}

function remedyOf(origin: Origin, key: ConfigKey): string {
  const { name, remedy } = namedBy[origin](key);
  return `It comes from the ${name}. ${remedy}`;
}

/** As for other keys the first source decides, but no source lifts what the environment forbids. */
function readOnlyFrom(sources: readonly ConfigSource[]): Pick<ProviderConfig, "readOnly" | "readOnlyRemedy"> {
  const decides = sources.find(({ read }) => read("readOnly") !== undefined);
  const environment = sources.find(({ origin }) => origin === "environment");
  const forbidding = [decides, environment].find((source) => source && readKey(source, "readOnly") === true);
  return {
    readOnly: forbidding !== undefined,
    readOnlyRemedy: forbidding && `To change things, set readOnly to false. ${remedyOf(forbidding.origin, "readOnly")}`,
  };
}

/** Undefined if the source does not have the key. */
function readKey<Name extends ConfigKey>({ origin, read }: ConfigSource, key: Name): Parsed<Name> | undefined {
  const row: Key<unknown> = configKeys[key];
  const given = read(key);
  if (given === undefined) return undefined;
  const value = row.parse(given);
  if (value !== undefined) return value as Parsed<Name>;
  const { name, remedy } = namedBy[origin](key);
  throw new ConfigError(
    "setting-invalid",
    `${name}: given ${row.describe?.(given) ?? show(given)}; allowed: ${row.allowed}`,
    remedy,
  );
}

/** A user may mix up two variables. Then no message with the address or the project may show the key. */
function refuseKeyAsValue(key: ConfigKey, origin: Origin, value: string | undefined, apiKey: string | undefined): void {
  if (value === undefined || apiKey === undefined || !value.includes(apiKey.trim())) return;
  if (apiKey.trim().length < SHORTEST_KEY && value !== apiKey) return;
  const { name, remedy } = namedBy[origin](key);
  throw new ConfigError(
    "key-in-setting",
    `${name}: given a value that contains the API key; allowed: ${configKeys[key].allowed}`,
    remedy,
  );
}

/** A shorter key could be part of an address by chance. */
const SHORTEST_KEY = 8;

function positive(number: number | undefined): number | undefined {
  return number !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

const FLAGS = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

function parseFlag(value = ""): boolean | undefined {
  return FLAGS.get(value.toLowerCase());
}
