// Runs a look-up in the program's own process: decides which configuration counts and when it may start, and sends equal
// look-ups once in a run. The client and its dependencies are loaded at the first look-up.

import * as pulumi from "@pulumi/pulumi";
import type { ConfigSource, ProviderConfig } from "../domain/config/config";
import type { Logs, Lookups, ProjectScope, ServiceLogEntry, ServiceLogsArgs } from "../domain/lookups";
import { askMocks, isMocked } from "./mocks";
import { settingsOf, sourceOf } from "./provider";
import { FRONTS, typeOf } from "./stateNames";

type Args<Name extends keyof Lookups> = Parameters<Lookups[Name]>[0];
type Result<Name extends keyof Lookups> = Awaited<ReturnType<Lookups[Name]>>;

/** The same arguments, each of them possibly known later. */
export type Later<T> = { [Key in keyof T]: pulumi.Input<T[Key]> };

/** `isLate`: the look-up follows resources of this run, so an earlier answer to an equal look-up does not count. */
export async function lookUp<Name extends keyof Lookups>(
  name: Name,
  args: Args<Name>,
  opts: pulumi.InvokeOptions,
  isLate = false,
): Promise<Result<Name>> {
  if (isMocked()) return askMocks<Result<Name>>(name, args, opts);
  // Pulumi: otherwise the engine of an inline program would end while the answer is under way.
  const release = pulumi.runtime.rpcKeepAlive();
  try {
    const { lookups, config } = await open(opts);
    const ask = async (asked: object): Promise<Result<Name>> => {
      const result = await (lookups[name] as (question: object) => Promise<Result<Name>>)(asked);
      if (Array.isArray(result)) warn(name, await unreadableIn(result));
      return result;
    };
    const question = withProject(args, config);
    if (isLate) return await ask(question);
    return await oncePerRun([name, config.baseUrl, config.apiKey, question], () => ask(question));
  } catch (error) {
    throw await readable(error);
  } finally {
    release();
  }
}

/** The items that a plural look-up leaves out, as text. */
async function unreadableIn(items: readonly unknown[]): Promise<string[]> {
  const { describeUnreadable, unreadableOf } = await import("../domain/listed.js");
  return unreadableOf(items).map(describeUnreadable);
}

/** Warns of unreadable items, because an incomplete list must not look complete. */
function warn(name: string, unreadable: readonly string[]): void {
  if (unreadable.length === 0) return;
  void pulumi.log.warn(`${name}: left out, because the answer is not what the contract says: ${unreadable.join("; ")}`);
}

export function lookUpOutput<Name extends keyof Lookups>(
  name: Name,
  args: Later<Args<Name>>,
  { dependsOn, ...opts }: pulumi.InvokeOutputOptions,
): pulumi.Output<Result<Name>> {
  const release = pulumi.runtime.rpcKeepAlive();
  const ready = whenReady(args, dependsOn);
  const known = pulumi.all([ready, settingsKnown(opts)]) as pulumi.Output<[{ args: object; isLate: boolean }, unknown]>;
  const result = known.apply(([given]) => lookUp(name, given.args as Args<Name>, opts, given.isLate));
  // It settles together with the result, be that a value, an error or unknown.
  void pulumi.isSecret(result).then(release, release);
  return result;
}

export async function* readLogs(
  args: ServiceLogsArgs,
  opts: pulumi.InvokeOptions,
): AsyncGenerator<ServiceLogEntry, void, undefined> {
  if (isMocked()) {
    yield* await askMocks<ServiceLogEntry[]>("serviceLogs", args, opts);
    return;
  }
  try {
    const { lookups, config } = await open(opts);
    yield* lookups.serviceLogs(withProject(args, config));
  } catch (error) {
    throw await readable(error);
  }
}

async function open(opts: pulumi.InvokeOptions): Promise<{ lookups: Lookups & Logs; config: ProviderConfig }> {
  const [host, lifecycle, configuration] = await Promise.all([
    import("../host.js"),
    import("../lifecycle/handlers/lookups.js"),
    import("../domain/config/config.js"),
  ]);
  const { refuseOtherAddress } = await import("../domain/config/onlyAddress.js");
  const { environmentOfRun } = await import("../domain/config/runEnvironment.js");
  const { refusalOf, unknownKeys, unknownVariables } = await import("../domain/config/unknownNames.js");
  const provider = providerOf(opts);
  const stack = new pulumi.Config("dbcloud");
  const variables = environmentOfRun();
  const environment = configuration.environmentSource(variables);
  // Of the others the handlers warn.
  const given = provider === undefined ? pulumi.runtime.allConfig() : {};
  const keys = unknownKeys(Object.keys(given), variables);
  const refusal = refusalOf([...unknownVariables(variables), ...keys]);
  if (refusal !== undefined) throw refusal;
  // As for resources: an explicit provider wins over the environment, and stack config is the default one's alone.
  const sources: ConfigSource[] =
    provider === undefined
      ? [environment, { origin: "stack", read: (key) => stack.get(key) }]
      : [await sourceOf(provider), environment];
  const config = configuration.readConfig(sources);
  refuseOtherAddress(config.baseUrl, variables);
  return { lookups: lifecycle.lookups(host.openSession(config)), config };
}

function providerOf({ provider, parent }: pulumi.InvokeOptions): pulumi.ProviderResource | undefined {
  return provider ?? FRONTS.map((front) => parent?.getProvider(typeOf(front, "service"))).find((one) => one);
}

// The key is among the settings, and the answer of a look-up that used it is not a secret.
function settingsKnown(opts: pulumi.InvokeOptions): pulumi.Output<unknown> {
  const provider = providerOf(opts);
  return pulumi.unsecret(pulumi.output(provider === undefined ? {} : settingsOf(provider)));
}

function withProject<T extends ProjectScope>(args: T, config: ProviderConfig): T {
  return { ...args, projectId: args.projectId ?? config.projectId };
}

const runs = new WeakMap<object, Map<string, Promise<unknown>>>();

// A run is identified by its monitor, because one process may have several runs, one after the other or at the same time.
async function oncePerRun<T>(question: unknown, ask: () => Promise<T>): Promise<T> {
  const run: object | undefined = pulumi.runtime.getMonitor();
  if (run === undefined) return ask();
  const answers = runs.get(run) ?? new Map<string, Promise<unknown>>();
  runs.set(run, answers);
  const key = JSON.stringify(question);
  const answer = (answers.get(key) ?? ask()) as Promise<T>;
  answers.set(key, answer);
  try {
    return structuredClone(await answer);
  } catch (error) {
    answers.delete(key);
    throw error;
  }
}

// Pulumi: an error of this class ends the program with its message alone. The original, with its `code`, is the cause.
async function readable(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !("fullMessage" in error)) return error;
  const { printable } = await import("../domain/values/printable.js");
  return new pulumi.RunError(printable(String(error.fullMessage)), { cause: error });
}

type DependsOn = pulumi.InvokeOutputOptions["dependsOn"];

interface Ready {
  args: object;
  /** Whether the look-up follows a resource of this run, which may have changed the answer since. */
  isLate: boolean;
}

/** It waits for the resources that it depends on: in a preview it has no answer while one of them does not exist yet. */
function whenReady(args: object, dependsOn: DependsOn): pulumi.Output<Ready> {
  const known = pulumi.output(args);
  const implicit = pulumi.output(sourcesOf(known)).apply(idsOf);
  const explicit = pulumi.output(dependsOn).apply((given) => idsOf(given === undefined ? [] : [given].flat()));
  return pulumi
    .all([known, implicit, explicit])
    .apply(([plain, before, after]) => ({ args: plain, isLate: before.length + after.length > 0 }));
}

// Pulumi: every Output knows the resources that it was made from; only the declarations hide it.
async function sourcesOf(output: pulumi.Output<unknown>): Promise<pulumi.Resource[]> {
  const traced = output as pulumi.Output<unknown> & { allResources(): Promise<Set<pulumi.Resource>> };
  return [...(await traced.allResources())];
}

function idsOf(resources: readonly pulumi.Resource[]): pulumi.Output<string[]> {
  return pulumi.all(resources.flatMap(idsWithin));
}

// Pulumi: a component has no id. It exists when its children do, which only the type declarations hide.
function idsWithin(resource: pulumi.Resource): pulumi.Output<string>[] {
  if (pulumi.CustomResource.isInstance(resource)) return [resource.id];
  const { __childResources: children = [] } = resource as pulumi.Resource & {
    __childResources?: Iterable<pulumi.Resource>;
  };
  return [resource.urn, ...[...children].flatMap(idsWithin)];
}
