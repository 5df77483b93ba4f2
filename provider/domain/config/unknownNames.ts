// Finds settings with unknown names. A misspelt switch is worse than a missing one, because its user relies on it. A name
// close to a known one is an error; any other name with the prefix is a warning. Values are never shown.

import { ConfigError } from "../errors";
import { distance, nearest } from "../values/nearest";
import { oneLine } from "../values/printable";
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
const NAMESPACE = "dbcloud:";
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

/** An empty variable counts as not set. */
export function unknownVariables(environment: ProcessEnvironment): UnknownName[] {
  const unread = Object.entries(environment).flatMap(([name, value = ""]) => {
    // Windows finds a variable under any case.
    const known = environment[name.toUpperCase()] === value ? name.toUpperCase() : name;
    return value === "" || VARIABLES.includes(known) || OF_OTHERS.test(known) ? [] : [{ name, value }];
  });
  const isOwn = ({ name, value }: { name: string; value: string }): boolean => isOwnVariable(name, value);
  const own = unread.filter(isOwn).map(({ name }) => name);
  const noun = own.length === 1 ? "environment variable" : "environment variables";
  const others = unread.filter((variable) => !isOwn(variable));
  return [...others.flatMap(({ name, value }) => unknownVariable(name, value)), ...ownNames(noun, own, PREFIX)];
}

/** One message for all of them, because a program with several accounts may have many. */
function ownNames(noun: string, names: readonly string[], prefix: string): UnknownName[] {
  if (names.length === 0) return [];
  const them = names.length === 1 ? "it" : "them";
  const message = `${noun} ${names.map(oneLine).join(", ")}: this package does not read ${them}`;
  const remedy = `Nothing needs to change where the program reads ${them}; a name that does not begin with ${prefix} is not reported.`;
  return [{ isRefused: false, message, remedy }];
}

function unknownVariable(name: string, value: string): UnknownName[] {
  const plain = lettersOf(name);
  const own = plain.replace(/^(?:pulumi)?dbcloud/, "");
  if (own === plain) return [];
  const remedy = `Unset ${oneLine(name)}, or give it another name: those that begin with ${PREFIX} are this package's.`;
  const isSwitch = READ_ONLY_WORDS.test(own) && parseReadOnly(value) !== undefined;
  const isOurs = name.toUpperCase().startsWith(PREFIX);
  const near = isSwitch ? "READ_ONLY" : nearest(own, BARE);
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

function isLonger(own: string, near: string): boolean {
  return own.length > near.length + 2 && own.startsWith(near);
}

/** `DBCLOUD_API_KEY_EU` and `DBCLOUD_EU_API_KEY` belong to a program: they add whole words to a known name. */
function isOwnVariable(name: string, value: string): boolean {
  const upper = name.toUpperCase();
  if (!upper.startsWith(PREFIX)) return false;
  const bare = upper.slice(PREFIX.length);
  const hasMoreWords = (known: string): boolean =>
    (bare.startsWith(known) && /^(?:_[^_]|\d)/.test(bare.slice(known.length))) ||
    (bare.endsWith(known) && /[^_]_$/.test(bare.slice(0, -known.length)));
  return isNamedAfter(bare, BARE, hasMoreWords) && !isSwitchedOn(bare, value);
}

/** The same in stack config: `apiKeyEu` and `euApiKey`. */
function isOwnKey(name: string, value: unknown): boolean {
  const hasMoreWords = (known: string): boolean => {
    const last = known.charAt(0).toUpperCase() + known.slice(1);
    return (
      (name.startsWith(known) && /^(?:[A-Z\d]|[-_]\w)/.test(name.slice(known.length))) ||
      (name.endsWith(last) && /[a-z\d]$/.test(name.slice(0, -last.length)))
    );
  };
  return !KEYS.includes(name) && isNamedAfter(name, KEYS, hasMoreWords) && !isSwitchedOn(name, String(value));
}

function isNamedAfter(name: string, names: readonly string[], hasMoreWords: (known: string) => boolean): boolean {
  // `ONY_BASE_URL` is a misspelt ONLY_BASE_URL, although it ends in BASE_URL.
  const isMisspelt = (known: string): boolean => distance(lettersOf(name), lettersOf(known)) <= 1;
  return names.some(hasMoreWords) && !names.some((known) => !hasMoreWords(known) && isMisspelt(known));
}

/** A user who sets `READ_ONLY_MODE` to "false" does not rely on it. */
function isSwitchedOn(name: string, value: string): boolean {
  return READ_ONLY_WORDS.test(lettersOf(name)) && (parseReadOnly(value) ?? "none") !== "none";
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
  const { origin, read } = source;
  const isOwn = (key: string): boolean =>
    origin !== "provider" && key.startsWith(NAMESPACE) && isOwnKey(key.slice(NAMESPACE.length), read?.(key));
  const others = keys.filter((key) => !isOwn(key));
  return [
    ...others.flatMap((key) => unknownKey(key, source)),
    ...ownNames("configuration", keys.filter(isOwn), NAMESPACE),
  ];
}

function unknownKey(key: string, source: KeySource): UnknownName[] {
  const colon = key.indexOf(":");
  const [namespace, name] = [key.slice(0, colon), key.slice(colon + 1)];
  if (namespace !== "dbcloud") return elsewhere(namespace, name, source);
  return KEYS.includes(name) || name === "explicit" ? [] : [misspeltKey(name, source)];
}

function misspeltKey(name: string, { origin, environment }: KeySource): UnknownName {
  const isArgument = origin === "provider";
  const near = READ_ONLY_WORDS.test(lettersOf(name)) ? "readOnly" : nearest(name, KEYS);
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
    : `${isDecided ? goesOn(near) : ""}${removal("dbcloud", name)} ${isDecided ? "" : stored}`.trimEnd();
  return { isRefused: !isDecided, message, remedy };
}

/** Why a misspelt key is no error: the environment comes before the configuration. */
function goesOn(near: string): string {
  return `This run goes on, because ${environmentName(near)} is set in the environment and decides. `;
}

/** Pulumi: `pulumi config set readOnly true` sets it in the project's namespace, which the provider does not read. */
function elsewhere(namespace: string, name: string, { environment, project }: KeySource): UnknownName[] {
  if (lettersOf(name) !== "readonly") return [];
  const isDecided = Boolean(environment[environmentName("readOnly")]);
  const letters = lettersOf(namespace);
  // `gcloud` belongs to another package.
  const isNear = namespace !== project && (letters === "pulumidbcloud" || distance(letters, "dbcloud") <= 1);
  const message = `configuration ${oneLine(namespace)}:${oneLine(name)}: this package does not read it; did you mean dbcloud:readOnly?`;
  return [{ isRefused: isNear && !isDecided, message, remedy: removal(namespace, name) }];
}

function removal(namespace: string, name: string): string {
  return `Run \`pulumi config rm ${oneLine(namespace)}:${oneLine(name)}\`, and set the right one.`;
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
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
