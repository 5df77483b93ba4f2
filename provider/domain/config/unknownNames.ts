// Finds settings with unknown names. A misspelt switch is worse than a missing one, because its user relies on it. A name
// near a known one is an error; any other name with the prefix is a warning. Values are never shown.

import { ConfigError } from "../errors";
import { distance, nearest } from "../values/nearest";
import { oneLine, shellWord } from "../values/printable";
import { configKeys, environmentName, type Origin, type ProcessEnvironment } from "./config";
import { ALLOWED_HOSTS } from "./keyRoute";
import { ONLY_BASE_URL } from "./onlyAddress";
import { parseReadOnly } from "./readOnly";

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

/** Other names for the read-only setting, in lower case without separators. */
const READ_ONLY_WORDS = /readonly|dryrun|^ro$/;

/**
 * The known name that was meant. A name with more words than a known one, such as `API_KEY_EU`, belongs to the program,
 * unless its value asks for read-only.
 */
function nearTo(name: string, known: readonly string[], value: unknown): string | undefined {
  const letters = lettersOf(name);
  const isSwitchedOn = (parseReadOnly(String(value)) ?? "none") !== "none";
  if (isSwitchedOn && READ_ONLY_WORDS.test(letters)) return known.find((one) => lettersOf(one) === "readonly");
  const words = wordsIn(name);
  return nearest(
    name,
    known.filter((one) => wordsIn(one) === words || lettersOf(one).startsWith(letters)),
  );
}

function wordsIn(name: string): number {
  return name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** An empty variable counts as not set. */
export function unknownVariables(environment: ProcessEnvironment): UnknownName[] {
  const unread = Object.entries(environment).flatMap(([name, value = ""]) => {
    // Windows finds a variable under any case.
    const known = environment[name.toUpperCase()] === value ? name.toUpperCase() : name;
    return value === "" || VARIABLES.includes(known) || OF_OTHERS.test(known) ? [] : [{ name, value }];
  });
  const found = unread.map(({ name, value }) => ({ name, near: nearVariable(name, value) }));
  const refused = found.flatMap(({ name, near }): UnknownName[] => {
    if (near === undefined) return [];
    const message = `environment variable ${oneLine(name)}: there is no such setting; did you mean ${PREFIX}${near}?`;
    const remedy = `Unset ${oneLine(name)}, or give it another name: those that begin with ${PREFIX} are this package's.`;
    return [{ isRefused: true, message, remedy }];
  });
  const others = found.filter(({ name, near }) => near === undefined && name.toUpperCase().startsWith(PREFIX));
  const names = others.map(({ name }) => name);
  return [...refused, ...notRead("environment variables", names, PREFIX)];
}

function nearVariable(name: string, value: string): string | undefined {
  const upper = name.toUpperCase();
  if (upper.startsWith(PREFIX)) return nearTo(upper.slice(PREFIX.length), BARE, value);
  const [, own] = /^(?:pulumi)?dbcloud(.+)$/.exec(lettersOf(name)) ?? [];
  const near = own === undefined ? undefined : nearTo(own, BARE, value);
  // Without the prefix a name may be anybody's, but nobody else's is so near to the switch.
  return near === "READ_ONLY" ? near : undefined;
}

/** One warning for all of them, because a program with several accounts may have many. */
function notRead(noun: string, names: readonly string[], prefix: string): UnknownName[] {
  if (names.length === 0) return [];
  const message = `${noun} that this package does not read: ${names.map(oneLine).join(", ")}`;
  const remedy = `Nothing needs to change if the program reads it; a name that does not begin with ${prefix} is not reported.`;
  return [{ isRefused: false, message, remedy }];
}

/** The source of keys, and what is known beside their names. */
export interface KeySource {
  origin: Origin;
  environment: ProcessEnvironment;
  /** The name of the program's project, whose namespace belongs to the program. */
  project?: string | undefined;
  /** The value of a key with its namespace. */
  read?: (key: string) => unknown;
}

/** The keys of stack config, with their namespaces, or the arguments of an explicit Provider. */
export function unknownKeys(keys: readonly string[], source: KeySource): UnknownName[] {
  const found = keys.map((key) => {
    const [namespace = "", name = ""] = key.split(/:(.*)/s);
    return { key, namespace, name, near: nearKey(key, namespace, name, source) };
  });
  const refused = found.flatMap(({ near, ...one }) => (near === undefined ? [] : [misspelt(one, near, source)]));
  const others = found.filter(
    ({ namespace, name, near }) => namespace === "dbcloud" && near === undefined && !isKnown(name),
  );
  const names = others.map(({ key }) => key);
  return [...refused, ...notRead("configuration", names, "dbcloud:")];
}

function isKnown(name: string): boolean {
  return KEYS.includes(name) || name === "explicit";
}

/** Pulumi: `pulumi config set readOnly true` sets it in the project's namespace, which the provider does not read. */
function nearKey(key: string, namespace: string, name: string, { read }: KeySource): string | undefined {
  if (namespace !== "dbcloud") return lettersOf(name) === "readonly" ? "readOnly" : undefined;
  return isKnown(name) ? undefined : nearTo(name, KEYS, read?.(key));
}

interface Key {
  key: string;
  namespace: string;
  name: string;
}

function misspelt({ key, namespace, name }: Key, near: string, source: KeySource): UnknownName {
  const { origin, environment, project } = source;
  if (origin === "provider") {
    const message = `argument ${oneLine(name)} of the Provider: there is no such setting; did you mean ${near}?`;
    return { isRefused: true, message, remedy: "Correct it where the program makes the `Provider`." };
  }
  const variable = environmentName(near);
  const isDecided = Boolean(environment[variable]);
  const letters = lettersOf(namespace);
  // `gcloud` belongs to another package.
  const isOurs = namespace !== project && (letters === "pulumidbcloud" || distance(letters, "dbcloud") <= 1);
  const message = `configuration ${oneLine(key)}: there is no such setting; did you mean dbcloud:${near}?`;
  const stored = isDecided
    ? `This run goes on, because ${variable} is set in the environment and decides.`
    : `A refresh and a destroy see the configuration kept in the state: there, set ${variable} in the environment.`;
  const remedy = `Run \`pulumi config rm ${shellWord(key)}\`, and set the right one. ${stored}`;
  return { isRefused: isOurs && !isDecided, message, remedy };
}

/** The error for all refused names; undefined if there are none. */
export function refusalOf(unknown: readonly UnknownName[]): ConfigError | undefined {
  const refused = unknown.filter(({ isRefused }) => isRefused);
  const [first] = refused;
  if (first === undefined) return undefined;
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
