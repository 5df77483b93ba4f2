// Finds settings with unknown names that are near a known one. A misspelled switch that a user relies on is an error, because it
// would guard nothing; any other is a warning. What is near to none belongs to the user. Values are never shown.

import { ConfigError } from "../errors";
import { oneLine, shellWord } from "../values/printable";
import { lettersOf } from "../values/value";
import { configKeys, environmentName, type ProcessEnvironment } from "./config";
import { ALLOWED_HOSTS } from "./keyRoute";

/** A setting with an unknown name. */
interface UnknownName {
  /** Whether it is an error: its user may rely on it, so nothing is done before it is corrected. */
  isRefused: boolean;
  message: string;
  remedy: string;
}

const PREFIX = "DBCLOUD_";
const KEYS = Object.keys(configKeys);
const OTHER_VARIABLES = [
  "DBCLOUD_ONLY_BASE_URL",
  ALLOWED_HOSTS,
  "DBCLOUD_ADOPT",
  "DBCLOUD_BELIEVE_GONE",
  "DBCLOUD_DEBUG",
  "DBCLOUD_SHOW_CALLS",
  "DBCLOUD_TRACE",
];
const VARIABLES = [...KEYS.map(environmentName), ...OTHER_VARIABLES];

/** What guards data. */
const RELIED_ON = ["readOnly", "deletionProtection"].map(lettersOf);

/** A known name, at most two letters from the given one. With more words, such as `API_KEY_EU`, that is the user's own. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name);
  const wrong = (one: string): number => distance(letters, lettersOf(one));
  const near = known.filter((one) => wordsIn(name) <= wordsIn(one) && wrong(one) <= Math.min(2, letters.length / 3));
  return near.toSorted((a, b) => wrong(a) - wrong(b))[0];
}

function wordsIn(name: string): number {
  return name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
}

/** Of the variables, and of the keys of stack config or of an explicit Provider, with their namespaces. */
export function unknownNames(environment: ProcessEnvironment, keys: readonly string[] = []): UnknownName[] {
  return [...unknownVariables(environment), ...unknownKeys(keys, environment)];
}

/** An empty variable counts as not set. */
function unknownVariables(environment: ProcessEnvironment): UnknownName[] {
  const bare = (variable: string): string => variable.slice(PREFIX.length);
  return Object.keys(environment).flatMap((name) => {
    const upper = name.toUpperCase();
    // Windows finds a variable under any case.
    const isKnown = VARIABLES.includes(environment[upper] === environment[name] ? upper : name);
    if (!environment[name] || !upper.startsWith(PREFIX) || isKnown) return [];
    const meant = meantBy(bare(upper), VARIABLES.map(bare));
    if (meant === undefined) return [];
    return {
      isRefused: RELIED_ON.includes(lettersOf(meant)),
      message: `environment variable ${oneLine(name)}: ${instead(PREFIX + meant)}`,
      remedy: "Rename it, or unset it.",
    };
  });
}

function unknownKeys(keys: readonly string[], environment: ProcessEnvironment): UnknownName[] {
  return keys.flatMap((key) => {
    const [namespace, name = ""] = key.split(/:(.*)/s);
    // Pulumi: `pulumi config set readOnly true` sets it in the project's namespace, which the provider does not read.
    const isOurs = namespace === "dbcloud" ? ![...KEYS, "explicit"].includes(name) : lettersOf(name) === "readonly";
    const meant = isOurs ? meantBy(name, KEYS) : undefined;
    if (meant === undefined) return [];
    return {
      isRefused:
        RELIED_ON.includes(lettersOf(meant)) && namespace === "dbcloud" && !environment[environmentName(meant)],
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

/** How many letters must be put in, left out, changed or swapped with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = costAt(row, j) + (a[i] === b[j] ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      const swapped = isSwapped ? costAt(before, j - 1) + 1 : changed;
      next.push(Math.min(changed, swapped, costAt(row, j + 1) + 1, costAt(next, j) + 1));
    }
    [before, row] = [row, next];
  }
  return costAt(row, b.length);
}

/** Each row has a cost for every place. */
function costAt(row: readonly number[], place: number): number {
  return row[place] ?? 0;
}
