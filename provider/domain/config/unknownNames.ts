// Finds settings with unknown names that are near a known one. A misspelled switch that a user relies on is an error, because it
// would guard nothing; any other is a warning. What is near to none belongs to the user. Values are never shown.

import { ConfigError } from "../errors";
import { distance, lettersOf, nearest } from "../values/nearest";
import { oneLine, shellWord } from "../values/printable";
import { type ConfigKey, configKeys, environmentName, type ProcessEnvironment } from "./config";
import { ALLOWED_HOSTS } from "./keyRoute";
import { ONLY_BASE_URL } from "./onlyAddress";

/** A setting with an unknown name. */
export interface UnknownName {
  /** Whether it is an error: its user may rely on it, so nothing is done before it is corrected. */
  isRefused: boolean;
  message: string;
  remedy: string;
}

const PREFIX = "DBCLOUD_";
const KEYS = Object.keys(configKeys);
const OTHER_VARIABLES = [
  ONLY_BASE_URL,
  ALLOWED_HOSTS,
  "DBCLOUD_ADOPT",
  "DBCLOUD_BELIEVE_GONE",
  "DBCLOUD_DEBUG",
  "DBCLOUD_SHOW_CALLS",
];
const VARIABLES = [...KEYS.map(environmentName), ...OTHER_VARIABLES];

/** What guards data. */
const RELIED_ON: readonly string[] = ["readOnly", "deletionProtection"] satisfies ConfigKey[];

/** The name that was probably meant by one without its prefix. */
function likely(name: string, known: readonly string[], reliedOn: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const guard = reliedOn.find((one) => distance(letters, lettersOf(one)) <= 2);
  if (guard !== undefined) return guard;
  // A name with more words than a known one, such as `API_KEY_EU`, or with fewer, such as `PROJECT`, is the user's own.
  const words = wordsIn(name);
  const alike = known.filter((one) => wordsIn(one) === words || lettersOf(one) === letters);
  return nearest(name, alike);
}

function wordsIn(name: string): number {
  return name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
}

/** An empty variable counts as not set. */
export function unknownVariables(environment: ProcessEnvironment): UnknownName[] {
  const bare = (variable: string): string => variable.slice(PREFIX.length);
  return Object.keys(environment).flatMap((name) => {
    const upper = name.toUpperCase();
    // Windows finds a variable under any case.
    const isKnown = VARIABLES.includes(environment[upper] === environment[name] ? upper : name);
    if (!environment[name] || !upper.startsWith(PREFIX) || isKnown) return [];
    const guards = RELIED_ON.map(environmentName).map(bare);
    const meant = likely(bare(upper), VARIABLES.map(bare), guards);
    if (meant === undefined) return [];
    return {
      isRefused: guards.includes(meant),
      message: `environment variable ${oneLine(name)}: ${instead(PREFIX + meant)}`,
      remedy: "Rename it, or unset it.",
    };
  });
}

/** The keys of stack config, or of an explicit Provider, with their namespaces. */
export function unknownKeys(keys: readonly string[], environment: ProcessEnvironment): UnknownName[] {
  return keys.flatMap((key) => {
    const [namespace, name = ""] = key.split(/:(.*)/s);
    // Pulumi: `pulumi config set readOnly true` sets it in the project's namespace, which the provider does not read.
    const isOurs = namespace === "dbcloud" ? ![...KEYS, "explicit"].includes(name) : lettersOf(name) === "readonly";
    const meant = isOurs ? likely(name, KEYS, RELIED_ON) : undefined;
    if (meant === undefined) return [];
    const variable = environmentName(meant);
    return {
      isRefused: RELIED_ON.includes(meant) && namespace === "dbcloud" && !environment[variable],
      message: `configuration ${oneLine(key)}: ${instead(`dbcloud:${meant}`)}`,
      remedy: `Run \`pulumi config rm ${shellWord(key)}\`, and set the right one.`,
    };
  });
}

function instead(meant: string): string {
  return `there is no such setting; did you mean ${meant}?`;
}

/** The error for all refused names; undefined if there are none. */
export function refusalOf(unknown: readonly UnknownName[]): ConfigError | undefined {
  const refused = unknown.filter(({ isRefused }) => isRefused);
  if (refused.length === 0) return undefined;
  return new ConfigError(
    "setting-misspelt",
    refused.map(({ message }) => message).join("\n"),
    [...new Set(refused.map(({ remedy }) => remedy))].join("\n"),
  );
}

/** The warnings for the other names, one text each. */
export function warningsOf(unknown: readonly UnknownName[]): string[] {
  return unknown.filter(({ isRefused }) => !isRefused).map(({ message, remedy }) => `${message} ${remedy}`);
}
