// The `./provider` entry, which the `__provider` line in every state loads, now and in years. It returns the handlers of a
// kind. One process has one host, which is created on first use.

import type * as pulumi from "@pulumi/pulumi";
import type { ProviderConfig } from "./domain/config/config";
import { refuseOtherAddress } from "./domain/config/address";
import { environmentOfRun } from "./domain/config/runEnvironment";
import { ConfigError } from "./domain/errors";
import type { Kind } from "./domain/kinds";
import type { Logs, Lookups } from "./domain/lookups";
import { createHost, type Host } from "./host/host";
import { createSettingsReader } from "./host/settings";
import { lookups } from "./core/lookups";

const made: { host?: Host } = {};

function theHost(): Host {
  return (made.host ??= createHost({ environment: process.env, argv: process.argv, console }));
}

/** The handlers of one kind of resource. States name kinds, so a kind is never renamed. */
export function provider(kind: Kind): pulumi.dynamic.ResourceProvider {
  return theHost().provider(kind);
}

/** The look-ups of a program, and the configuration that decides where they look. */
export interface OpenLookups {
  lookups: Lookups & Logs;
  config: ProviderConfig;
}

/**
 * @internal Look-ups with Pulumi's configuration, by its keys. Throws a ConfigError when something is missing or wrong.
 * Pulumi: `mappings` are the option `envVarMappings` of the provider, whose process sees the value of one variable as another.
 */
export function openLookups(
  given: Readonly<Record<string, unknown>>,
  mappings: Readonly<Record<string, string>> = {},
): OpenLookups {
  const own = environmentOfRun();
  const mapped = Object.entries(mappings).filter(([from]) => own[from] !== undefined);
  const environment = { ...own, ...Object.fromEntries(mapped.map(([from, to]) => [to, own[from]])) };
  const settings = createSettingsReader(environment);
  settings.configure((key) => given[key], Object.keys(given));
  // Of misspelled names that are no error, the handlers warn.
  const config = settings.read();
  if (config instanceof ConfigError) throw config;
  refuseOtherAddress(config.baseUrl, environment);
  return { lookups: lookups(theHost().openSession(config)), config };
}
