// The provider's configuration: one row per key, read alike from flags, environment, an explicit Provider and stack config.
// An explicit Provider wins over the environment, and the environment over stack config: destroy and refresh see only the
// configuration that the state has stored, and the environment lets a user correct that.

import { DURATION_ALLOWED, parseDuration } from "../values/duration";
import { ConfigError } from "../errors";
import { show } from "../values/value";
import { ADDRESS_ALLOWED, placeOf, problemOf } from "./address";
import { UP_SAVES_IT } from "./remedies";

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
  readOnly: { ...flag, parse: (value) => (isProd(value) ? true : parseFlag(value)) },
} satisfies Record<string, Key<unknown>>;

export type ConfigKey = keyof typeof configKeys;

type Parsed<Name extends ConfigKey> = ReturnType<(typeof configKeys)[Name]["parse"]>;

/** The sources of a value, the most trusted first. The order decides which values may apply to the API key. */
const ORIGINS = ["flag", "environment", "provider", "stack"] as const;

export type Origin = (typeof ORIGINS)[number];

/** Whether a value of one source may apply to a value of another: only from the same source or a more trusted one. */
export function mayDecide(origin: Origin, about: Origin): boolean {
  return ORIGINS.indexOf(origin) <= ORIGINS.indexOf(about);
}

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

/** The configuration, the source of each given value, and what there is to say of the values. */
export interface Settings {
  config: ProviderConfig;
  warnings: readonly string[];
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
 * The first source that has a key decides it. A malformed value is an error that names the key, never its secret. `allowInsecure` counts only from the source of the key, or from a more trusted one: a
 * file of a repository must not lift the rule for a key of the environment.
 */
export function readSettings(sources: readonly ConfigSource[]): Settings {
  const origins: Settings["origins"] = {};
  const pick = <Name extends ConfigKey>(key: Name): Parsed<Name> | undefined => {
    const source = sources.find(({ read }) => read(key) !== undefined);
    if (source === undefined) return undefined;
    origins[key] = source.origin;
    return readKey(source, key);
  };
  const apiKey = pick("apiKey");
  const keyOrigin = origins.apiKey;
  const trusted = sources.filter(({ origin }) => keyOrigin === undefined || mayDecide(origin, keyOrigin));
  const isInsecureWanted = pick("allowInsecure") === true;
  const pollIntervalMaxMs = pick("pollIntervalMax") ?? 15_000;
  const config = {
    apiKey,
    keyRemedy: keyRemedyOf(keyOrigin),
    projectId: pick("projectId"),
    baseUrl: pick("baseUrl"),
    formerBaseUrl: pick("formerBaseUrl"),
    // Reads that confirm an answer are this far apart: without a limit they would outlast every deadline.
    pollIntervalMs: Math.min(pick("pollInterval") ?? 1_000, pollIntervalMaxMs),
    pollIntervalMaxMs,
    maxRequestsPerSecond: pick("maxRequestsPerSecond") ?? REQUEST_BOUNDS.maxRequestsPerSecond,
    maxConcurrency: pick("maxConcurrency") ?? REQUEST_BOUNDS.maxConcurrency,
    allowInsecure: isInsecureWanted && trusted.some(({ read }) => isYes(read("allowInsecure"))),
    quiet: pick("quiet") ?? false,
    deletionProtection: pick("deletionProtection") ?? false,
    ...readOnlyFrom(sources),
  };
  for (const key of ["baseUrl", "formerBaseUrl", "projectId"] as const) {
    refuseKeyAsValue(key, origins[key] ?? "stack", config[key], apiKey);
  }
  const warnings = sources.some(({ read }) => isProd(read("readOnly"))) ? [PROD_IS_ALL] : [];
  return { config, origins, warnings };
}

function keyRemedyOf(origin: Origin | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const { name, remedy } = namedBy[origin]("apiKey");
  return `It comes from the ${name}. ${remedy}`;
}

/** As for other keys the first source decides, but no source lifts what the environment forbids. */
function readOnlyFrom(sources: readonly ConfigSource[]): Pick<ProviderConfig, "readOnly" | "readOnlyRemedy"> {
  const given = sources.flatMap((source) => {
    const isOn = readKey(source, "readOnly");
    return isOn === undefined ? [] : [{ origin: source.origin, isOn }];
  });
  const [first, ...others] = given;
  const forbidding = first?.isOn === true ? first : others.find(({ origin, isOn }) => isOn && origin === "environment");
  return forbidding === undefined
    ? { readOnly: false }
    : { readOnly: true, readOnlyRemedy: CHANGES_AGAIN[forbidding.origin] };
}

/** Earlier versions had it refuse the changes of services that are tagged PROD. */
function isProd(value: string | undefined): boolean {
  return value?.toLowerCase() === "prod";
}

const PROD_IS_ALL =
  'readOnly (DBCLOUD_READ_ONLY) is "prod", which counts as true: every change is refused. Services tagged PROD are ' +
  "protected against deletion without it. Set it to true or false.";

const CHANGES_AGAIN: Readonly<Record<Origin, string>> = {
  flag: "To change things, leave out the flag.",
  environment: "To change things, unset DBCLOUD_READ_ONLY in the environment.",
  provider: "To change things, remove `readOnly` from the arguments of the Provider.",
  stack:
    "To change things, run `pulumi config rm dbcloud:readOnly`. `refresh` and `destroy` use the configuration saved in the state: for them, set DBCLOUD_READ_ONLY=false.",
};

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

const YES = ["true", "1", "yes"];
const FLAGS = new Map([...YES, "false", "0", "no"].map((word) => [word, YES.includes(word)]));

function parseFlag(value: string): boolean | undefined {
  return FLAGS.get(value.toLowerCase());
}

function isYes(value: string | undefined): boolean {
  return YES.includes(String(value).toLowerCase());
}
