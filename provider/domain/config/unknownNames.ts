// Names of settings that nobody reads. A misspelt switch is worse than a missing one: whoever set it relies on it. What
// is near to a name of ours is refused, anything else that has our prefix is told of. Values are never shown.

import { ConfigError } from "../errors";
import { nearest } from "../values/nearest";
import { oneLine } from "../values/printable";
import { configKeys, environmentName, type Origin } from "./config";
import { ALLOWED_HOSTS } from "./keyRoute";
import { ONLY_BASE_URL } from "./onlyAddress";
import { parseReadOnly } from "./readOnly";

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that is not read. */
export interface UnknownName {
  /** Whoever set it may rely on it, so nothing is done before it is corrected. */
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

/** Variables of the emulator, and of this repository's own scripts. */
const OF_OTHERS = /^DBCLOUD_(?:EMULATOR_|BENCH_|TOOLS_CACHE$|PULUMI_ROOT$)/;

/** What people call it elsewhere, as letters. */
const READ_ONLY_WORDS = /readonly|dryrun|^ro$/;

/** An empty variable counts as not set. */
export function unknownVariables(environment: Environment): UnknownName[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    // Windows finds a variable under any case.
    const known = environment[name.toUpperCase()] === value ? name.toUpperCase() : name;
    if (!value || VARIABLES.includes(known) || OF_OTHERS.test(known)) return [];
    return unknownVariable(name, value);
  });
}

function unknownVariable(name: string, value: string): UnknownName[] {
  const plain = lettersOf(name);
  const own = plain.replace(/^(?:pulumi)?dbcloud/, "");
  if (own === plain) return [];
  const remedy = `Unset ${oneLine(name)}, or give it another name: those that begin with ${PREFIX} are this package's.`;
  const isSwitch = READ_ONLY_WORDS.test(own) && parseReadOnly(value) !== undefined;
  const isOurs = name.toUpperCase().startsWith(PREFIX);
  const bare = VARIABLES.map((one) => one.slice(PREFIX.length));
  const near = isSwitch ? "READ_ONLY" : nearest(own, bare);
  if (near === undefined || (!isOurs && near !== "READ_ONLY")) {
    if (!isOurs) return [];
    const message = `environment variable ${oneLine(name)}: there is no such setting, and nobody reads it`;
    return [{ isRefused: false, message, remedy: `${remedy} They are ${VARIABLES.join(", ")}.` }];
  }
  const isRefused = isSwitch || !isLonger(own, lettersOf(near));
  if (!isRefused && !isOurs) return [];
  const message = `environment variable ${oneLine(name)}: there is no such setting; did you mean ${PREFIX}${near}?`;
  return [{ isRefused, message, remedy }];
}

/** `DBCLOUD_API_KEY_STAGING` is somebody's own, and named after ours. */
function isLonger(own: string, near: string): boolean {
  return own.length > near.length + 2 && own.startsWith(near);
}

/** The keys of stack config, with their namespaces, or the arguments of an explicit Provider. */
export function unknownKeys(keys: readonly string[], origin: Origin, environment: Environment): UnknownName[] {
  return keys.flatMap((key) => {
    const colon = key.indexOf(":");
    const [namespace, name] = [key.slice(0, colon), key.slice(colon + 1)];
    if (namespace !== "dbcloud") return elsewhere(namespace, name, environment);
    if (KEYS.includes(name) || name === "explicit") return [];
    return [unknownKey(name, origin, environment)];
  });
}

function unknownKey(name: string, origin: Origin, environment: Environment): UnknownName {
  const near = READ_ONLY_WORDS.test(lettersOf(name)) ? "readOnly" : nearest(name, KEYS);
  const isArgument = origin === "provider";
  const place = isArgument ? `argument ${oneLine(name)} of the Provider` : `configuration dbcloud:${oneLine(name)}`;
  if (near === undefined) {
    const message = `${place}: there is no such setting, and nobody reads it; the settings are ${KEYS.join(", ")}`;
    return { isRefused: false, message, remedy: removal("dbcloud", name) };
  }
  const isDecided = !isArgument && Boolean(environment[environmentName(near)]);
  const message = `${place}: there is no such setting; did you mean ${isArgument ? "" : "dbcloud:"}${near}?`;
  const stored = `A refresh and a destroy see the configuration kept in the state: there, set ${environmentName(near)} in the environment.`;
  const remedy = isArgument
    ? "Correct it where the program makes the `Provider`."
    : `${removal("dbcloud", name)} ${stored}`;
  return { isRefused: !isDecided, message, remedy };
}

/** Pulumi: `pulumi config set readOnly true` sets it for the project's own namespace, where nobody reads it. */
function elsewhere(namespace: string, name: string, environment: Environment): UnknownName[] {
  if (lettersOf(name) !== "readonly") return [];
  const isDecided = Boolean(environment[environmentName("readOnly")]);
  const isNear = lettersOf(namespace).includes("dbcloud") || nearest(namespace, ["dbcloud"]) !== undefined;
  const message = `configuration ${oneLine(namespace)}:${oneLine(name)}: this package does not read it; did you mean dbcloud:readOnly?`;
  return [{ isRefused: isNear && !isDecided, message, remedy: removal(namespace, name) }];
}

function removal(namespace: string, name: string): string {
  return `Run \`pulumi config rm ${oneLine(namespace)}:${oneLine(name)}\`, and set the right one.`;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** The error of all that is refused; undefined where nothing is. */
export function refusalOf(unknown: readonly UnknownName[]): ConfigError | undefined {
  const refused = unknown.filter(({ isRefused }) => isRefused);
  const [first] = refused;
  if (first === undefined) return undefined;
  return new ConfigError(
    refused.map(({ message }) => message).join("\n"),
    [...new Set(refused.map(({ remedy }) => remedy))].join("\n"),
  );
}

/** What is said of the others, a text each. */
export function warningsOf(unknown: readonly UnknownName[]): string[] {
  return unknown
    .filter(({ isRefused }) => !isRefused)
    .map(({ message, remedy }) => `${message.replace(/[^?]$/, "$&.")} ${remedy}`);
}
