// Builds connection strings of services and read replica sets from their outputs.

import * as pulumi from "@pulumi/pulumi";
import type { ConnectionPooler, Endpoint, VpcEndpoint } from "../domain/endpoint";
import { defaultName, nameInUrn } from "../domain/values/urn";
import { isKnown } from "./outputs";

/** Contract: the master user and the database that every service has. */
export const USERNAME = "tsdbadmin";
export const DATABASE = "tsdb";

/** The options of a connection string. */
export interface ConnectionStringArgs {
  /**
   * `"direct"`: the service itself, through its VPC when it has no public address. `"pooler"`: the connection pooler.
   * `"vpc"`: the address inside the VPC. Default: `"direct"`.
   */
  via?: "direct" | "pooler" | "vpc";
  /** Default: `username`, the master user. */
  user?: pulumi.Input<string>;
  /** The password of `user`. Default: that of the master user, where it is known. */
  password?: pulumi.Input<string | undefined>;
  /** Default: `database`. Through the pooler `"tsdb_transaction"` means transaction mode. */
  database?: pulumi.Input<string>;
  /** libpq's `sslmode`. Default: `"require"`. */
  sslMode?: pulumi.Input<string>;
}

type Noun = "service" | "read replica set";
type Via = NonNullable<ConnectionStringArgs["via"]>;

/** The outputs that a connection string is made of. */
export interface ConnectionOutputs {
  id: pulumi.Output<string>;
  urn: pulumi.Output<string>;
  name: pulumi.Output<string>;
  host: pulumi.Output<string>;
  port: pulumi.Output<number>;
  endpoint: pulumi.Output<Endpoint | undefined>;
  poolerEnabled: pulumi.Output<boolean>;
  connectionPooler: pulumi.Output<ConnectionPooler | undefined>;
  // Services alone have these.
  vpcId?: pulumi.Output<string | undefined>;
  vpcEndpoint?: pulumi.Output<VpcEndpoint | undefined>;
  password?: pulumi.Output<string | undefined>;
}

/** Where the password comes from: a service, or the program. */
export interface PasswordSource {
  password?: pulumi.Input<string | undefined>;
  initialPassword?: pulumi.Input<string | undefined>;
}

interface Facts extends pulumi.Unwrap<PasswordSource> {
  name?: string | undefined;
  address?: Endpoint | undefined;
}

interface Route {
  /** The outputs with the address. The first complete one counts. */
  from: readonly ((outputs: ConnectionOutputs) => pulumi.Input<Endpoint | undefined>)[];
  missing: string;
  /** The input without which there is no such address. */
  needs?: "poolerEnabled" | "vpcId";
}

function plainAddress({ host, port }: ConnectionOutputs): pulumi.Output<Endpoint | undefined> {
  return pulumi.all([host, port]).apply(([itsHost, itsPort]) => ({ host: itsHost, port: itsPort }));
}

const routes: Record<Via, Route> = {
  direct: {
    // The first is made of the others; what answers in place of an engine may lack it.
    from: [plainAddress, ({ endpoint }) => endpoint, ({ vpcEndpoint }) => vpcEndpoint],
    missing: "has no address yet: once it is ready, run `pulumi refresh` and use the connection string again",
  },
  pooler: {
    from: [({ connectionPooler }) => connectionPooler.apply((pooler) => pooler?.endpoint)],
    missing: "has no connection pooler: set `poolerEnabled: true`, or leave out `via`",
    needs: "poolerEnabled",
  },
  vpc: {
    from: [({ vpcEndpoint }) => vpcEndpoint],
    missing: "has no address in a VPC: attach it with `vpcId`, or leave out `via`",
    needs: "vpcId",
  },
};

/** The program's inputs of a resource, as given. */
interface ProgramArgs {
  adoptId?: pulumi.Input<string | undefined>;
  name?: pulumi.Input<string | undefined>;
  password?: pulumi.Input<string | undefined>;
  poolerEnabled?: pulumi.Input<boolean | undefined>;
  vpcId?: pulumi.Input<string | undefined>;
}

/** What the program said of its resources; not a property, which would be an output of the class. */
const argsByResource = new WeakMap<object, ProgramArgs>();

export function rememberArgs(
  resource: pulumi.CustomResource,
  label: string,
  args: ProgramArgs,
  opts: pulumi.CustomResourceOptions,
): void {
  if (opts.id !== undefined || opts.urn !== undefined) return;
  argsByResource.set(resource, {
    ...args,
    name: args.name ?? defaultName(pulumi.getStack(), pulumi.getProject(), label),
  });
}

async function isAdopting({ adoptId }: ProgramArgs, name: string | undefined): Promise<boolean> {
  const { environmentOfRun } = await import("../domain/config/runEnvironment.js");
  const named = (environmentOfRun()["DBCLOUD_ADOPT"] ?? "").split(",").map((word) => word.trim());
  return adoptId !== undefined || (name !== undefined && named.includes(name));
}

async function valueIfKnown<T>(output: pulumi.Output<T>): Promise<T | undefined> {
  if (!(await isKnown(output))) return undefined;
  return (output as pulumi.Output<T> & { promise(): Promise<T> }).promise();
}

/** Where no engine answers, the name is what the program gives. */
function nameOf({ name }: ConnectionOutputs, programArgs: ProgramArgs | undefined): pulumi.Output<string | undefined> {
  return programArgs === undefined ? name : pulumi.output(programArgs.name);
}

export function connectionString(
  noun: Noun,
  outputs: ConnectionOutputs,
  args: ConnectionStringArgs,
  { password, initialPassword }: PasswordSource,
): pulumi.Output<string> {
  const { via = "direct", user = USERNAME, database = DATABASE, sslMode = "require" } = args;
  const given = argsByResource.get(outputs);
  const programArgs = given && { ...given, password: given.password ?? args.password };
  const address = pulumi.all(routes[via].from.map((read) => read(outputs))).apply((all) => all.find(isComplete));
  const itsPassword = args.password ?? password;
  const facts = pulumi.output({ name: nameOf(outputs, programArgs), address, password: itsPassword, initialPassword });
  const isDoubtful = pulumi.runtime.isDryRun() && programArgs !== undefined;
  const checked = isDoubtful ? refuseImpossible(outputs, programArgs, via, noun) : undefined;
  // One secret part makes a secret of the whole.
  const parts = pulumi.all([facts, pulumi.secret({ user, database, sslMode }), pulumi.output(checked)]);
  return foreseen(parts.apply(([known, words]) => connectionUrl(known, via, words, noun)));
}

/**
 * Pulumi: an output that fails also rejects these two, and whoever uses it asks for them after it has failed. Node warns of
 * both beside the error itself, which every use of the output still gets.
 */
function foreseen<T>(output: pulumi.Output<T>): pulumi.Output<T> {
  const failing = output as pulumi.Output<T> & Record<"isKnown" | "isSecret", Promise<boolean>>;
  for (const promise of [failing.isKnown, failing.isSecret]) promise.catch(() => undefined);
  return output;
}

/**
 * In a preview most outputs are unknown. The program's own inputs, or a missing input of a resource that is to be created,
 * show in some cases that the `up` after it would fail: there is no such address, or an adopted service has a password that
 * nobody here knows. If the resource is updated its id is known, and its outputs may still be unknown.
 */
export async function refuseImpossible(
  outputs: ConnectionOutputs,
  programArgs: ProgramArgs,
  via: Via,
  noun: Noun = "service",
): Promise<void> {
  const { needs, missing } = routes[via];
  const { id, urn, password } = outputs;
  const itsName = valueIfKnown(nameOf(outputs, programArgs));
  const [isThere, label, name] = await Promise.all([isKnown(id), valueIfKnown(urn), itsName]);
  const isAdopted = !isThere && (await isAdopting(programArgs, name));
  // Sets have none of their own. A transformation may give it, too.
  const hasPassword = password === undefined || programArgs.password !== undefined || (await isKnown(password));
  if (isAdopted && !hasPassword) {
    throw new pulumi.RunError(
      `connectionString of service ${name ?? ""}: the service is adopted, and its password is not known here: set \`password\` of the service, or here.`,
    );
  }
  if (needs === undefined) return;
  const given = await valueIfKnown<unknown>(outputs[needs] ?? pulumi.output(undefined));
  const isLeftOut = !isThere && !isAdopted && programArgs[needs] === undefined;
  if (given === undefined ? !isLeftOut : Boolean(given)) return;
  const words = name ?? nameInUrn(label ?? "");
  throw new pulumi.RunError(`connectionString of ${noun} ${words}: it ${missing}.`);
}

const PASSWORD_MISSING: Readonly<Record<Noun, string>> = {
  service: "its password is not known here: set `password` of the service, or here",
  "read replica set": "the password of its service is not known here: give `service`, or `password`",
};

/** Throws the error for the program if a part is missing. */
export function connectionUrl(
  facts: Facts,
  via: Via,
  words: { user: string; database: string; sslMode: string },
  noun: Noun = "service",
): string {
  const { address, name = "" } = facts;
  if (!isComplete(address)) {
    throw new pulumi.RunError(`connectionString of ${noun} ${name}: it ${routes[via].missing}.`);
  }
  const password = facts.password ?? facts.initialPassword;
  if (password === undefined) {
    throw new pulumi.RunError(`connectionString of ${noun} ${name}: ${PASSWORD_MISSING[noun]}.`);
  }
  const credentials = `${encodeURIComponent(words.user)}:${encodeURIComponent(password)}`;
  const database = encodeURIComponent(words.database);
  return `postgresql://${credentials}@${hostInUrl(address.host)}:${address.port}/${database}?sslmode=${encodeURIComponent(words.sslMode)}`;
}

/** The server names the host: without escapes it could add another port, or settings such as `sslmode`. */
function hostInUrl(host: string): string {
  const address = /^\[?([\da-f]*:[\da-f:.]*)\]?$/i.exec(host)?.[1];
  return address === undefined ? encodeURIComponent(host) : `[${address}]`;
}

// The same as `isComplete` in `domain/endpoint.ts`: this layer imports types only.
function isComplete(address: Endpoint | undefined): address is { host: string; port: number } {
  return address?.host !== undefined && address.host !== "" && address.port !== undefined;
}
