// Builds connection strings of a service from its outputs.

import * as pulumi from "@pulumi/pulumi";
import type { ConnectionPooler, Endpoint, VpcEndpoint } from "../domain/endpoint";
import { isKnown } from "./outputs";
import type { ServiceArgs } from "./serviceArgs";

/** The options of a connection string. */
export interface ConnectionStringArgs {
  /**
   * `"direct"`: the service itself, through its VPC when it has no public address. `"pooler"`: the connection pooler.
   * `"vpc"`: the address inside the VPC. Default: `"direct"`.
   */
  via?: "direct" | "pooler" | "vpc";
  /** Default: `"tsdbadmin"`, the master user, whose password the string carries. */
  user?: pulumi.Input<string>;
  /** Default: `"tsdb"`. Through the pooler `"tsdb_transaction"` means transaction mode. */
  database?: pulumi.Input<string>;
  /** libpq's `sslmode`. Default: `"require"`. */
  sslMode?: pulumi.Input<string>;
}

/** The program's inputs of a service, as given. */
export type ProgramArgs = AdoptionArgs & Pick<ServiceArgs, "poolerEnabled" | "vpcId">;

/** The outputs of a service that its connection string is made of. */
export interface ConnectionOutputs {
  id: pulumi.Output<string>;
  urn: pulumi.Output<string>;
  poolerEnabled: pulumi.Output<boolean>;
  vpcId: pulumi.Output<string | undefined>;
  name: pulumi.Output<string>;
  host: pulumi.Output<string>;
  port: pulumi.Output<number>;
  endpoint: pulumi.Output<Endpoint | undefined>;
  connectionPooler: pulumi.Output<ConnectionPooler | undefined>;
  vpcEndpoint: pulumi.Output<VpcEndpoint | undefined>;
  password: pulumi.Output<string | undefined>;
  initialPassword: pulumi.Output<string | undefined>;
}

interface Facts {
  name?: string | undefined;
  address?: Endpoint | undefined;
  password?: string | undefined;
  initialPassword?: string | undefined;
}

type Via = NonNullable<ConnectionStringArgs["via"]>;

interface Route {
  /** The outputs with the address. The first complete one counts. */
  from: readonly ((outputs: ConnectionOutputs) => pulumi.Output<Endpoint | undefined>)[];
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

/** The program's inputs of a service that a create is to adopt. */
export interface AdoptionArgs {
  adoptId?: pulumi.Input<string | undefined>;
  name?: pulumi.Input<string | undefined>;
  password?: pulumi.Input<string | undefined>;
}

/**
 * The reason for which the `up` after this preview would fail: after an adoption the password is unknown. If the service is
 * updated its id is known, and its outputs may still be unknown.
 */
export async function unknownPassword(
  id: pulumi.Output<string>,
  { adoptId, name, password }: AdoptionArgs,
): Promise<string | undefined> {
  if (!pulumi.runtime.isDryRun() || password !== undefined) return undefined;
  const [isThere, itsName] = await Promise.all([isKnown(id), valueIfKnown(pulumi.output(name))]);
  if (isThere || !(await isAdopting({ adoptId }, itsName))) return undefined;
  return `connectionString of service ${itsName ?? ""}: the service is adopted, and its password is not known here: set \`password\`, or, where \`Service.get\` read it, make the URL of \`host\`, \`port\` and a secret of your own.`;
}

async function isAdopting({ adoptId }: AdoptionArgs, name: string | undefined): Promise<boolean> {
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

function factsOf(
  outputs: ConnectionOutputs,
  programArgs: ProgramArgs | undefined,
  { from }: Route,
): pulumi.Output<Facts> {
  const { password, initialPassword } = outputs;
  const name = nameOf(outputs, programArgs);
  const address = pulumi.all(from.map((read) => read(outputs))).apply((addresses) => addresses.find(isComplete));
  return pulumi.output({ name, password, initialPassword, address });
}

export function connectionString(
  outputs: ConnectionOutputs,
  args: ConnectionStringArgs,
  programArgs: ProgramArgs | undefined,
): pulumi.Output<string> {
  const { via = "direct", user = "tsdbadmin", database = "tsdb", sslMode = "require" } = args;
  const route = routes[via];
  const wanted = pulumi.output({ user, database, sslMode });
  const isDoubtful = pulumi.runtime.isDryRun() && programArgs !== undefined;
  const checked = pulumi.output(isDoubtful ? refuseImpossible(outputs, programArgs, via) : undefined);
  const parts = pulumi.all([factsOf(outputs, programArgs, route), wanted, checked]);
  return pulumi.secret(parts.apply(([known, words]) => connectionUrl(known, via, words)));
}

/**
 * In a preview most outputs are unknown. The program's own inputs, or a missing input of a service that is to be created, show
 * in some cases that the connection string cannot be built.
 */
export async function refuseImpossible(outputs: ConnectionOutputs, programArgs: ProgramArgs, via: Via): Promise<void> {
  const { needs, missing } = routes[via];
  const { id, urn } = outputs;
  const name = valueIfKnown(nameOf(outputs, programArgs));
  const [isThere, label, itsName] = await Promise.all([isKnown(id), valueIfKnown(urn), name]);
  // As `nameInUrn` in `domain/values/urn.ts`: this layer imports types only.
  const words = itsName ?? label?.split("::").slice(3).join("::") ?? "";
  // A transformation may give it, too.
  const problem = (await isKnown(outputs.password)) ? undefined : await unknownPassword(id, programArgs);
  if (problem !== undefined) throw new pulumi.RunError(problem);
  if (needs === undefined) return;
  const given = await valueIfKnown<unknown>(outputs[needs]);
  const isLeftOut = !isThere && programArgs[needs] === undefined && !(await isAdopting(programArgs, itsName));
  if (given === undefined ? !isLeftOut : Boolean(given)) return;
  throw new pulumi.RunError(`connectionString of service ${words}: it ${missing}.`);
}

/** Throws the error for the program if a part is missing. */
export function connectionUrl(
  facts: Facts,
  via: Via,
  words: { user: string; database: string; sslMode: string },
): string {
  const { address } = facts;
  if (!isComplete(address)) {
    throw new pulumi.RunError(`connectionString of service ${facts.name ?? ""}: it ${routes[via].missing}.`);
  }
  const password = facts.password ?? facts.initialPassword;
  if (password === undefined) {
    throw new pulumi.RunError(
      `connectionString of service ${facts.name ?? ""}: its password is not known here: set \`password\`.`,
    );
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
