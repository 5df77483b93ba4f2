// The connection strings of services and read replica sets for another user, database, or `sslmode` than their `connectionUri`.

import * as pulumi from "@pulumi/pulumi";
import { connectionUri, isComplete, type VpcEndpoint } from "../domain/endpoint";
import { isKnown } from "./outputs";
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

/** The outputs that a connection string is made of. */
interface ConnectionOutputs {
  id: pulumi.Output<string>;
  name: pulumi.Output<string>;
  host: pulumi.Output<string>;
  port: pulumi.Output<number>;
  poolerHost: pulumi.Output<string | undefined>;
  poolerPort: pulumi.Output<number | undefined>;
  // Services alone have it.
  vpcEndpoint?: pulumi.Output<VpcEndpoint | undefined>;
}

/** Where the password comes from: a service, or the program. */
interface PasswordSource {
  password?: pulumi.Input<string | undefined>;
  initialPassword?: pulumi.Input<string | undefined>;
}

/** What is missing, and what to do. */
const NO_ADDRESS: Readonly<Record<NonNullable<ConnectionStringArgs["via"]>, string>> = {
  direct: "it has no address yet: when it is ready, run `pulumi refresh`, then try again",
  pooler: "it has no connection pooler: set `poolerEnabled: true`, or leave out `via`",
  vpc: "it has no address in a VPC: attach it with `vpcId`, or leave out `via`",
};
const NO_PASSWORD = "its password is unknown here: set `password` on the service, or pass `password`";

export function connectionString(
  { id, name, host, port, poolerHost, poolerPort, vpcEndpoint }: ConnectionOutputs,
  { via = "direct", password, ...parts }: ConnectionStringArgs,
  source: PasswordSource,
): pulumi.Output<string> {
  if (!Object.hasOwn(NO_ADDRESS, via)) {
    const allowed = '"direct", "pooler", or "vpc"';
    throw programError("invalid-input", `connectionString: via: given ${JSON.stringify(via)}; allowed: ${allowed}.`);
  }
  const address = { direct: { host, port }, pooler: { host: poolerHost, port: poolerPort }, vpc: vpcEndpoint }[via];
  const facts = { name, address, password: password ?? source.password, initialPassword: source.initialPassword };
  // One secret part makes a secret of the whole.
  // Pulumi: what a run leaves out (`--target`) has no id, and with SDKs before 3.246 all other outputs are known and absent.
  const url = pulumi.all([facts, pulumi.secret(parts), id]).apply(([known, words]) => {
    const secret = known.password ?? known.initialPassword;
    if (secret !== undefined && isComplete(known.address)) return connectionUri(known.address, secret, words);
    const missing = isComplete(known.address) ? NO_PASSWORD : NO_ADDRESS[via];
    throw programError("no-connection-string", `connectionString of ${known.name}: ${missing}.`);
  });
  // Pulumi: an output that fails also rejects these two, and Node warns of both beside the error that every use of it gets.
  for (const beside of [isKnown(url), pulumi.isSecret(url)]) beside.catch(() => undefined);
  return url;
}
