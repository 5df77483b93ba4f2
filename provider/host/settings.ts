// The configuration of one provider instance, from `configure` and the environment.

import {
  environmentSource,
  readSettings,
  type ConfigSource,
  type ProcessEnvironment,
  type ProviderConfig,
} from "../domain/config/config";
import { refusalOf, unknownNames, warningsOf } from "../domain/config/unknownNames";
import { ConfigError } from "../domain/errors";

/** The configuration, or its errors, because check and diff work without a configuration. */
export type ConfigResult = ProviderConfig | ConfigError;

export interface SettingsReader {
  /** Takes the values that Pulumi has for `dbcloud:…` keys, and the names of all keys that it has. */
  configure(get: (key: string) => unknown, keys: readonly string[]): void;
  read(): ConfigResult;
  /** What there is to say of settings with unknown names. */
  warnings(): readonly string[];
}

export function createSettingsReader(environment: ProcessEnvironment): SettingsReader {
  const fromEnvironment = environmentSource(environment);
  let unknown = unknownNames(environment);
  let sources: ConfigSource[] = [fromEnvironment];
  // Read once, because the engine calls check and diff for each resource, and the sources do not change during the process.
  let known: ConfigResult | undefined;
  return {
    configure(get, keys) {
      const isExplicit = asText(get("dbcloud:explicit")) === "true";
      const given: ConfigSource = {
        origin: isExplicit ? "provider" : "stack",
        read: (key) => asText(get(`dbcloud:${key}`)),
      };
      // An explicit Provider wins over the environment, or one exported key would be used for every account.
      sources = isExplicit ? [given, fromEnvironment] : [fromEnvironment, given];
      unknown = unknownNames(environment, keys);
      known = undefined;
    },
    read: () => (known ??= refusalOf(unknown) ?? orConfigError(() => readSettings(sources).config)),
    warnings: () => warningsOf(unknown),
  };
}

/** Pulumi: stack config gives texts, an explicit Provider may give anything; a value of another type is checked as its JSON. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : JSON.stringify(value ?? undefined);
}

/** What the work returns, or the ConfigError that it throws. */
export function orConfigError<T>(work: () => T): T | ConfigError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
