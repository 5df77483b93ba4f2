// The explicit provider: one set of credentials and settings for the resources that are given it.

import * as pulumi from "@pulumi/pulumi";
import type { ConfigKey } from "../domain/config/config";
import { describeUnknownSettings } from "../domain/config/previewWarnings";
import { environmentOfRun } from "../domain/config/runEnvironment";
import type { NoOutput } from "./lifecycleArgs";
import { isKnown } from "./outputs";
import { programError } from "./programError";
import { type Form, FORMS, typeOf } from "./stateNames";

/** The settings of a `Provider`, named as the configuration keys. They override the environment. */
export interface ProviderArgs {
  /** The API key, always a secret. */
  apiKey?: pulumi.Input<string | undefined>;
  /**
   * The project of resources and functions that name none. Default: the project of the environment, or else the only one
   * that the key can access.
   */
  projectId?: pulumi.Input<string | undefined>;
  /** The base URL of the API with its version segment, such as `"https://…/v1"`. */
  baseUrl?: pulumi.Input<string | undefined>;
  /**
   * The base URL that this deployment had before. An object that the state has from there and that is missing now counts as
   * gone.
   */
  formerBaseUrl?: pulumi.Input<string | undefined>;
  /** Scales the pause between two reads while waiting: a tenth to a half of it, later 2 % of the wait. Default: `"1s"`. */
  pollInterval?: pulumi.Input<string | undefined>;
  /** The longest pause between two reads while waiting. Default: `"15s"`. */
  pollIntervalMax?: pulumi.Input<string | undefined>;
  /**
   * The largest number of requests per second, all resources together. It decreases when the server answers 429. Default:
   * 10000.
   */
  maxRequestsPerSecond?: pulumi.Input<number | string | undefined>;
  /** The largest number of requests at the same time. Default: 16. */
  maxConcurrency?: pulumi.Input<number | string | undefined>;
  /** Allows plain http to another machine. Default: false. */
  allowInsecure?: pulumi.Input<boolean | string | undefined>;
  /** Hides progress, and warnings about restarts and changing addresses. Default: false. */
  quiet?: pulumi.Input<boolean | string | undefined>;
  /**
   * Protects each service that doesn't say `deletionProtection: false`. Otherwise, only services that are tagged `"PROD"`
   * or say `true` are protected. Default: false.
   */
  deletionProtection?: pulumi.Input<boolean | string | undefined>;
  /**
   * Refuses every change before it's sent. `false` doesn't override `DBCLOUD_READ_ONLY` of the environment. Default: false.
   */
  readOnly?: pulumi.Input<boolean | string | undefined>;
}

const keys = [
  "apiKey",
  "projectId",
  "baseUrl",
  "formerBaseUrl",
  "pollInterval",
  "pollIntervalMax",
  "maxRequestsPerSecond",
  "maxConcurrency",
  "allowInsecure",
  "quiet",
  "deletionProtection",
  "readOnly",
] as const satisfies readonly (ConfigKey & keyof ProviderArgs)[];

/**
 * A second account or project in one program.
 *
 * @example
 * ```ts
 * const staging = new Provider("staging", { apiKey: config.requireSecret("stagingKey"), projectId: "p1234" });
 * const db = new Service("orders", { regionCode: "us-east-1" }, { provider: staging });
 * ```
 */
export class Provider extends pulumi.ProviderResource {
  /** @internal */
  static readonly form: Form = "dynamic";

  /**
   * @param name The provider's name in the program, unique among providers.
   * @param args The settings. Those that you leave out come from the environment.
   * @param opts Pulumi's resource options.
   */
  constructor(name: string, args: NoOutput<ProviderArgs> = {}, opts?: pulumi.ResourceOptions) {
    requireArguments("Provider", name, args);
    super(PACKAGES[new.target.form], name, settings(new.target.form, name, args), opts);
    Reflect.set(this, MAPPINGS, opts?.envVarMappings);
    Reflect.set(this, PROTECTS, args.deletionProtection);
    if (pulumi.runtime.isDryRun()) void warnOfUnknown(this, name, args);
  }
}

/** Pulumi: keeps no options of a resource, and makes an output of each other property. */
const MAPPINGS = "__envVarMappings";
const PROTECTS = "__deletionProtection";

/** No handler can say it. */
async function warnOfUnknown(provider: Provider, name: string, args: ProviderArgs): Promise<void> {
  // A setting that fails is an error of the program, which shows it.
  const known = await Promise.all(keys.map((key) => isKnown(pulumi.output(args[key])).catch(() => true)));
  const unknown = keys.filter((_, index) => known[index] === false);
  if (unknown.length === 0) return;
  await pulumi.log.warn(describeUnknownSettings(name, unknown), provider);
}

/**
 * The inputs as a Promise or an Output have no members, so all of them would count as left out: a database of default size, or
 * one that leaves its VPC.
 */
export function requireArguments(className: string, name: unknown, args: unknown): void {
  const isNamed = typeof name === "string" && name !== "";
  const example = `new ${className}(${JSON.stringify(isNamed ? name : "orders")}, { … })`;
  if (!isNamed) {
    const words = `the first argument must be its name in the program, a string: ${example}`;
    throw programError("invalid-input", `${className}: ${words}`);
  }
  if (isPlain(args)) return;
  const words = `the inputs must be a plain object: ${example}, with \`await\` for a Promise, and with \`.apply\` for each input that comes from an Output`;
  throw programError("invalid-input", `${className} ${name}: ${words}`);
}

function isPlain(args: unknown): boolean {
  if (typeof args !== "object" || args === null) return false;
  const prototype = Object.getPrototypeOf(args) as object | null;
  // Every realm has an `Object` of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const PACKAGES: Readonly<Record<Form, string>> = { dynamic: "pulumi-nodejs", native: "dbcloud" };

function settings(form: Form, name: string, args: ProviderArgs): pulumi.Inputs {
  const unknown = Object.keys(args).find((key) => !(keys as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const words = `there is no setting ${unknown}; allowed: ${keys.join(", ")}`;
    throw programError("setting-misspelt", `Provider ${name}: ${words}`);
  }
  // Pulumi: for dynamic resources every package shares one provider, so each key has a prefix.
  const prefix = form === "dynamic" ? "dbcloud:" : "";
  // The handlers ask for this one to know that given values win over the environment.
  const props: pulumi.Inputs = { [`${prefix}explicit`]: "true" };
  for (const key of keys) {
    if (args[key] !== undefined) props[`${prefix}${key}`] = key === "apiKey" ? pulumi.secret(args[key]) : args[key];
  }
  return props;
}

/** What a provider was given. Also of a provider that another copy of this package made. */
export function settingsOf(provider: pulumi.ProviderResource): Partial<Record<ConfigKey, pulumi.Output<unknown>>> {
  // Pulumi: a resource holds each of its properties as an Output under the property's name.
  const outputOf = (key: string): unknown => Reflect.get(provider, `dbcloud:${key}`) ?? Reflect.get(provider, key);
  const held = keys.map((key) => [key, outputOf(key) as pulumi.Output<unknown> | undefined]);
  return Object.fromEntries(held.filter(([, output]) => output !== undefined)) as ReturnType<typeof settingsOf>;
}

/** The provider that a resource or a look-up is given, or that its component is. Undefined: the default one. */
export function providerOf({ provider, parent }: pulumi.InvokeOptions): pulumi.ProviderResource | undefined {
  const above = pulumi.Resource.isInstance(parent) ? parent : undefined;
  return provider ?? FORMS.map((form) => above?.getProvider(typeOf(form, "service"))).find((one) => one);
}

/** Whether the setting plainly protects the services of a provider: a value that comes later is known to the handlers alone. */
export function isProtecting(opts: pulumi.InvokeOptions): boolean {
  const provider = providerOf(opts);
  const given: unknown = provider && Reflect.get(provider, PROTECTS);
  const stack = provider === undefined ? new pulumi.Config("dbcloud").get("deletionProtection") : undefined;
  const said = given ?? (environmentOfRun()["DBCLOUD_DELETION_PROTECTION"] || stack);
  return said === true || (typeof said === "string" && /^(?:true|1|yes)$/i.test(said));
}

/**
 * What `openLookups` takes: the same as configuration, with its keys, of which some may be unknown in a preview, which is an
 * error here; and the variables that the provider's process sees in place of others, for each one where its value is.
 */
export async function lookupSettings(
  provider: pulumi.ProviderResource,
): Promise<[config: Readonly<Record<string, unknown>>, mappings: Readonly<Record<string, string>>]> {
  const sent = await pulumi.runtime.serializeProperties("dbcloud provider", settingsOf(provider));
  const config: Record<string, unknown> = { "dbcloud:explicit": "true" };
  for (const [key, value] of Object.entries(sent)) {
    const plain = pulumi.runtime.unwrapRpcSecret(value) as unknown;
    config[`dbcloud:${key}`] = plain;
    if (plain !== pulumi.runtime.unknownValue) continue;
    throw programError(
      "unknown-in-preview",
      `the provider's ${key} is not known during this preview, so nothing can be looked up with it: use the ` +
        "function whose name ends in Output",
    );
  }
  return [config, (Reflect.get(provider, MAPPINGS) ?? {}) as Readonly<Record<string, string>>];
}
