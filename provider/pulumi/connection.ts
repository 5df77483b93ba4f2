// Builds connection strings of services and read replica sets from their outputs.

import * as pulumi from "@pulumi/pulumi";
import {
  type ConnectionPooler,
  connectionUri,
  DATABASE,
  type Endpoint,
  isComplete,
  SSL_MODE,
  USERNAME,
  type VpcEndpoint,
} from "../domain/endpoint";
import { programError } from "./programError";

/** libpq's `sslmode`. */
export type SslMode = "disable" | "allow" | "prefer" | "require" | "verify-ca" | "verify-full";

/** The options of a connection string. */
export interface ConnectionStringArgs {
  /**
   * `"direct"`: the service itself, through its VPC when it has no public address. `"pooler"`: the connection pooler.
   * `"vpc"`: the address inside the VPC. Default: `"direct"`.
   */
  via?: "direct" | "pooler" | "vpc";
  /** Default: `username`, the master user. */
  user?: pulumi.Input<string>;
  /** The password of `user`. Default: that of the master user, if it's known. */
  password?: pulumi.Input<string | undefined>;
  /** Default: `database`. Through the pooler `"tsdb_transaction"` means transaction mode. */
  database?: pulumi.Input<string>;
  /** libpq's `sslmode`. Default: `"require"`. */
  sslMode?: pulumi.Input<SslMode>;
}

type Noun = "service" | "read replica set";
type Via = NonNullable<ConnectionStringArgs["via"]>;

/** The outputs that a connection string is made of. */
export interface ConnectionOutputs {
  id: pulumi.Output<string>;
  name: pulumi.Output<string>;
  host: pulumi.Output<string>;
  port: pulumi.Output<number>;
  endpoint: pulumi.Output<Endpoint | undefined>;
  connectionPooler: pulumi.Output<ConnectionPooler | undefined>;
  // Services alone have these.
  vpcEndpoint?: pulumi.Output<VpcEndpoint | undefined>;
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
}

function plainAddress({ host, port }: ConnectionOutputs): pulumi.Output<Endpoint | undefined> {
  return pulumi.all([host, port]).apply(([itsHost, itsPort]) => ({ host: itsHost, port: itsPort }));
}

const routes: Record<Via, Route> = {
  direct: {
    // The first is made of the others; what answers in place of an engine may lack it.
    from: [plainAddress, ({ endpoint }) => endpoint, ({ vpcEndpoint }) => vpcEndpoint],
    missing: "has no address yet: when it is ready, run `pulumi refresh`, then try again",
  },
  pooler: {
    from: [({ connectionPooler }) => connectionPooler.apply((pooler) => pooler?.endpoint)],
    missing: "has no connection pooler: set `poolerEnabled: true`, or leave out `via`",
  },
  vpc: {
    from: [({ vpcEndpoint }) => vpcEndpoint],
    missing: "has no address in a VPC: attach it with `vpcId`, or leave out `via`",
  },
};

export function connectionString(
  noun: Noun,
  outputs: ConnectionOutputs,
  args: ConnectionStringArgs,
  { password, initialPassword }: PasswordSource,
): pulumi.Output<string> {
  const { via = "direct", user = USERNAME, database = DATABASE, sslMode = SSL_MODE, password: own, ...others } = args;
  // For plain JavaScript, which no compiler checks.
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const known = noun === "service" ? "" : ", service";
    throw refused(
      noun,
      labelOf(outputs),
      `there is no argument ${unknown}; allowed: via, user, password, database, sslMode${known}`,
    );
  }
  if (!Object.hasOwn(routes, via)) {
    const allowed = Object.keys(routes).map((one) => `"${one}"`);
    throw refused(noun, labelOf(outputs), `given via ${JSON.stringify(via)}; allowed: ${allowed.join(", ")}`);
  }
  const address = pulumi.all(routes[via].from.map((read) => read(outputs))).apply((all) => all.find(isComplete));
  const itsPassword = own ?? password;
  const facts = pulumi.output({ name: outputs.name, address, password: itsPassword, initialPassword });
  // One secret part makes a secret of the whole.
  // Pulumi: what a run leaves out (`--target`) has no id, and with SDKs before 3.246 all other outputs are known and absent.
  const parts = pulumi.all([facts, pulumi.secret({ user, database, sslMode }), outputs.id]);
  return foreseen(parts.apply(([known, words]) => connectionUrl(known, via, words, noun, labelOf(outputs))));
}

/** Pulumi: the name in the program; only the declarations hide it. */
export function labelOf(resource: object): string {
  return String(Reflect.get(resource, "__name") ?? "");
}

export function refused(noun: Noun, name: string, why: string): pulumi.RunError {
  return programError("no-connection-string", `connectionString of ${noun} ${name}: ${why}.`);
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

const PASSWORD_MISSING: Readonly<Record<Noun, string>> = {
  service: "its password is unknown here: set `password` on the service, or pass `password`",
  "read replica set": "the password of its service is unknown here: pass `service`, or `password`",
};

/** Throws the error for the program if a part is missing. */
export function connectionUrl(
  facts: Facts,
  via: Via,
  words: { user: string; database: string; sslMode: string },
  noun: Noun = "service",
  label = "",
): string {
  const { address, name = label } = facts;
  if (!isComplete(address)) throw refused(noun, name, `it ${routes[via].missing}`);
  const password = facts.password ?? facts.initialPassword;
  if (password === undefined) throw refused(noun, name, PASSWORD_MISSING[noun]);
  return connectionUri(address, password, words);
}
