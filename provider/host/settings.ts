// The configuration of one provider instance: what `configure` was given, and the environment.

import { environmentSource, readConfig, type ConfigSource, type ProviderConfig } from "../domain/config/config";
import { ConfigError } from "../domain/errors";

/** The configuration, or what is wrong with it: check and diff work without one. */
export type Settings = ProviderConfig | ConfigError;

export interface SettingsReader {
  /** Takes the values that Pulumi has for `dbcloud:…` keys. */
  configure(get: (key: string) => unknown): void;
  read(): Settings;
}

export function createSettingsReader(environment: Readonly<Record<string, string | undefined>>): SettingsReader {
  const fromEnvironment = environmentSource(environment);
  let sources: ConfigSource[] = [fromEnvironment];
  // Read once: check and diff are paid for in series, and neither source changes while the process lives.
  let known: Settings | undefined;
  return {
    configure(get) {
      const isExplicit = asText(get("dbcloud:explicit")) === "true";
      const given: ConfigSource = {
        origin: isExplicit ? "provider" : "stack",
        read: (key) => asText(get(`dbcloud:${key}`)),
      };
      // An explicit Provider wins over the environment, or one exported key would swallow every account.
      sources = isExplicit ? [given, fromEnvironment] : [fromEnvironment, given];
      known = undefined;
    },
    read: () => (known ??= tryConfig(sources)),
  };
}

/** Pulumi: stack config gives texts, an explicit Provider may give anything; what is no text is judged as what it is. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

function tryConfig(sources: readonly ConfigSource[]): Settings {
  try {
    return readConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
