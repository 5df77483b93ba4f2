// Finds settings with unknown names. A misspelt switch is worse than a missing one, because its user relies on it. A name
// near a known one is an error; any other name with the prefix is a warning. Values are never shown.

import { ConfigError } from "../errors";
import { nearest } from "../values/nearest";
import { oneLine, shellWord } from "../values/printable";
import { configKeys, environmentName, type ProcessEnvironment } from "./config";
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
const VARIABLES = [
  ...KEYS.map(environmentName),
  ONLY_BASE_URL,
  ALLOWED_HOSTS,
  "DBCLOUD_ADOPT",
  "DBCLOUD_DEBUG",
  "DBCLOUD_SHOW_CALLS",
];
const BARE = VARIABLES.map((one) => one.slice(PREFIX.length));

/** Variables of the emulator, and of this repository's own scripts. */
const OF_OTHERS = /^DBCLOUD_(?:EMULATOR_|BENCH_|TOOLS_CACHE$|PULUMI_ROOT$)/;

/** A name with more words than a known one, such as `API_KEY_EU`, belongs to the program. */
function nearTo(name: string, known: readonly string[]): string | undefined {
  const words = wordsIn(name);
  return nearest(
    name,
    known.filter((one) => wordsIn(one) === words || lettersOf(one).startsWith(lettersOf(name))),
  );
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

function wordsIn(name: string): number {
  return name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
}

/** An empty variable counts as not set. */
export function unknownVariables(environment: ProcessEnvironment): UnknownName[] {
  const own = Object.keys(environment).filter((name) => {
    const upper = name.toUpperCase();
    // Windows finds a variable under any case.
    const isKnown = VARIABLES.includes(environment[upper] === environment[name] ? upper : name);
    return Boolean(environment[name]) && upper.startsWith(PREFIX) && !isKnown && !OF_OTHERS.test(upper);
  });
  return sorted("environment variables", own, (name): UnknownName | undefined => {
    const near = nearTo(name.toUpperCase().slice(PREFIX.length), BARE);
    if (near === undefined) return undefined;
    return {
      isRefused: true,
      message: `environment variable ${oneLine(name)}: there is no such setting; did you mean ${PREFIX}${near}?`,
      remedy: `Unset ${oneLine(name)}, or give it another name: those that begin with ${PREFIX} are this package's.`,
    };
  });
}

/** The keys of stack config, or of an explicit Provider, with their namespaces. */
export function unknownKeys(keys: readonly string[], environment: ProcessEnvironment): UnknownName[] {
  const unknown = keys.filter((key) => {
    const [namespace, name = ""] = key.split(/:(.*)/s);
    // Pulumi: `pulumi config set readOnly true` sets it in the project's namespace, which the provider does not read.
    return namespace === "dbcloud" ? ![...KEYS, "explicit"].includes(name) : lettersOf(name) === "readonly";
  });
  return sorted("configuration", unknown, (key): UnknownName | undefined => {
    const [namespace, name = ""] = key.split(/:(.*)/s);
    const near = nearTo(name, KEYS);
    if (near === undefined) return undefined;
    const variable = environmentName(near);
    const isDecided = Boolean(environment[variable]);
    return {
      isRefused: namespace === "dbcloud" && !isDecided,
      message: `configuration ${oneLine(key)}: there is no such setting; did you mean dbcloud:${near}?`,
      remedy: `Run \`pulumi config rm ${shellWord(key)}\` and set the right one, or ${variable} in the environment, which decides.`,
    };
  });
}

/** Those that are near a known name, and one warning for all others, because a program with several accounts may have many. */
function sorted(
  noun: string,
  names: readonly string[],
  misspelt: (name: string) => UnknownName | undefined,
): UnknownName[] {
  const found = names.map((name) => ({ name, problem: misspelt(name) }));
  const problems = found.flatMap(({ problem }) => problem ?? []);
  const others = found.flatMap(({ name, problem }) => (problem === undefined ? oneLine(name) : []));
  if (others.length === 0) return problems;
  const message = `${noun} that this package does not read: ${others.join(", ")}`;
  return [...problems, { isRefused: false, message, remedy: "Nothing needs to change if the program reads it." }];
}

/** The error for all refused names; undefined if there are none. */
export function refusalOf(unknown: readonly UnknownName[]): ConfigError | undefined {
  const refused = unknown.filter(({ isRefused }) => isRefused);
  if (refused.length === 0) return undefined;
  return new ConfigError(
    refused.map(({ message }) => message).join("\n"),
    [...new Set(refused.map(({ remedy }) => remedy))].join("\n"),
  );
}

/** The warnings for the other names, one text each. */
export function warningsOf(unknown: readonly UnknownName[]): string[] {
  return unknown
    .filter(({ isRefused }) => !isRefused)
    .map(({ message, remedy }) => `${message.replace(/[^?]$/, "$&.")} ${remedy}`);
}
