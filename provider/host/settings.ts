// The configuration of one provider instance, from `configure` and the environment.

import {
  environmentSource,
  readSettings,
  type ConfigSource,
  type ProcessEnvironment,
  type ProviderConfig,
  type Settings,
} from "../domain/config/config";
import { refusalOf, unknownKeys, unknownVariables, warningsOf } from "../domain/config/unknownNames";
import { ConfigError } from "../domain/errors";

/** The configuration, or its errors, because check and diff work without a configuration. */
export type ConfigResult = ProviderConfig | ConfigError;

export interface SettingsReader {
  /** Takes the values that Pulumi has for `dbcloud:…` keys, and the names of all keys that it has. */
  configure(get: (key: string) => unknown, keys: readonly string[]): void;
  read(): ConfigResult;
  /** What there is to say of the settings, and of settings with unknown names. */
  warnings(): readonly string[];
}

export function createSettingsReader(environment: ProcessEnvironment): SettingsReader {
  const fromEnvironment = environmentSource(environment);
  const variables = unknownVariables(environment);
  let unknown = variables;
  let sources: ConfigSource[] = [fromEnvironment];
  // Read once, because the engine calls check and diff for each resource, and the sources do not change during the process.
  let known: Settings | ConfigError | undefined;
  const found = (): Settings | ConfigError => (known ??= refusalOf(unknown) ?? trySettings(sources));
  return {
    configure(get, keys) {
      const isExplicit = asText(get("dbcloud:explicit")) === "true";
      const given: ConfigSource = {
        origin: isExplicit ? "provider" : "stack",
        read: (key) => asText(get(`dbcloud:${key}`)),
      };
      // An explicit Provider wins over the environment, or one exported key would be used for every account.
      sources = isExplicit ? [given, fromEnvironment] : [fromEnvironment, given];
      unknown = [...variables, ...unknownKeys(keys, environment)];
      known = undefined;
    },
    read() {
      const result = found();
      return result instanceof ConfigError ? result : result.config;
    },
    warnings() {
      const result = found();
      return [...warningsOf(unknown), ...(result instanceof ConfigError ? [] : result.warnings)];
    },
  };
}

/** Pulumi: the configuration object holds all keys that the engine sent; only its declaration hides them. */
export function keysOf(config: object): string[] {
  const held: unknown = Reflect.get(config, "rawConfig");
  return typeof held === "object" && held !== null ? Object.keys(held) : [];
}

/** Pulumi: stack config gives texts, an explicit Provider may give anything; a value of another type is checked as its JSON. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

function trySettings(sources: readonly ConfigSource[]): Settings | ConfigError {
  try {
    return readSettings(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
