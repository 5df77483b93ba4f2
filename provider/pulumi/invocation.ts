// Runs a look-up in the program's own process: decides which configuration counts and when it may start, and sends equal
// look-ups once in a run. The client and its dependencies are loaded at the first look-up.

import * as pulumi from "@pulumi/pulumi";
import type { ProviderConfig } from "../domain/config/config";
import { printable } from "../domain/values/printable";
import type { Lookups, ProjectScope, ServiceLogEntry, ServiceLogsArgs } from "../domain/lookups";
import type { OpenLookups } from "../host";
import { lookupSettings, providerOf, settingsOf } from "./provider";
import { type FunctionName, functionToken, LIST_MEMBERS } from "./stateNames";

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
    const question = withProject(args, config);
    const ask = async (): Promise<Result<Name>> => {
      const result = await (lookups[name] as (asked: object) => Promise<Result<Name>>)(question);
      if (Array.isArray(result)) await warnOfUnreadable(name, result);
      return result;
    };
    return isLate ? await ask() : await oncePerRun([name, config.baseUrl, config.apiKey, question], ask);
  } catch (error) {
    throw readable(error);
  } finally {
    release();
  }
}

/** Warns of the items that a plural look-up leaves out, because an incomplete list must not look complete. */
async function warnOfUnreadable(name: string, items: readonly unknown[]): Promise<void> {
  const { describeUnreadable, unreadableOf } = await import("../domain/listed.js");
  const words = unreadableOf(items).map(describeUnreadable).join("; ");
  if (words === "") return;
  void pulumi.log.warn(`${name}: left out, because the answer does not match the contract: ${words}`);
}

export function lookUpOutput<Name extends keyof Lookups>(
  name: Name,
  args: Later<Args<Name>>,
  { dependsOn, ...opts }: pulumi.InvokeOutputOptions,
): pulumi.Output<Result<Name>> {
  const release = pulumi.runtime.rpcKeepAlive();
  const ready = whenReady(args, dependsOn);
  const known = pulumi.all([ready, settingsKnown(opts)]) as pulumi.Output<[Ready, unknown]>;
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
    throw readable(error);
  }
}

async function open(opts: pulumi.InvokeOptions): Promise<OpenLookups> {
  const { openLookups } = await import("../host.js");
  const provider = providerOf(opts);
  // As for resources: stack config is the default provider's alone.
  if (provider === undefined) return openLookups(pulumi.runtime.allConfig());
  return openLookups(...(await lookupSettings(provider)));
}

// The key is among the settings, and the answer of a look-up that used it is not a secret.
function settingsKnown(opts: pulumi.InvokeOptions): pulumi.Output<unknown> {
  const provider = providerOf(opts);
  return pulumi.unsecret(pulumi.output(provider === undefined ? {} : settingsOf(provider)));
}

function withProject<T extends ProjectScope>(args: T, config: ProviderConfig): T {
  // What is no object is left for the look-up to refuse.
  return Object(args) === args ? { ...args, projectId: args.projectId ?? config.projectId } : args;
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
function readable(error: unknown): unknown {
  if (!(error instanceof Error) || !("fullMessage" in error)) return error;
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

// Under `pulumi.runtime.setMocks` the test's `call` answers in place of the API.

// Pulumi: there is no public way to detect mocks. The monitor of a test is the one that has them.
function isMocked(): boolean {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

/** What `call` answers to `dbcloud:index:<name>`. A list is taken from its member, or from a bare array. */
async function askMocks<T>(name: FunctionName, args: object, opts: pulumi.InvokeOptions): Promise<T> {
  const answer = (await pulumi.runtime.invoke(functionToken(name), args, opts)) as object;
  const list = LIST_MEMBERS[name];
  if (list === undefined) return answer as T;
  return (list in answer ? Reflect.get(answer, list) : Object.values(answer)) as T;
}
