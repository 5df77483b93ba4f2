// The outputs of the classes, and what Pulumi hides of an Output.

import * as pulumi from "@pulumi/pulumi";
import {
  type ConnectionPooler,
  connectionUri,
  directAddress,
  type Endpoint,
  isComplete,
  type PlainAddresses,
  type VpcEndpoint,
} from "../domain/endpoint";

/** In every state that the provider has written, and never given by a program. */
const ALWAYS_STORED = "__inputs";

/** The outputs that every class declares besides its own. */
export function hiddenOutputs(): pulumi.Inputs {
  return pulumi.runtime.isDryRun() ? { [ALWAYS_STORED]: undefined } : {};
}

/** The output of an input that the program does not give. */
const notGiven = pulumi.output(undefined);

/** Pulumi: every Output has these, and only the declarations hide them. https://github.com/pulumi/pulumi/issues/12044 */
interface Hidden {
  isKnown: Promise<boolean>;
  promise(withUnknowns: boolean): Promise<unknown>;
}

/** Gives a resource that Pulumi has registered the outputs that it was not asked for. */
export function completeOutputs(
  resource: pulumi.CustomResource,
  keys: readonly string[],
  secrets: readonly string[] = [],
): void {
  const asked = keys.filter((key) => Object.hasOwn(resource, key));
  for (const key of keys) if (!asked.includes(key)) Reflect.set(resource, key, notGiven);
  keepAbsent(resource, asked);
  addClientOutputs(resource, secrets);
}

export function isKnown(output: unknown): Promise<boolean> {
  return (output as Hidden).isKnown;
}

/**
 * Pulumi: in a preview, an output that a resource does not have is unknown, also where nothing changes, so that whatever
 * depends on it shows as changed each time (https://github.com/pulumi/pulumi/issues/3040). Here it is absent once the object
 * is in the state, unless the provider says that a change makes it unknown: such an output has a value, which says so.
 */
function keepAbsent(resource: pulumi.CustomResource, keys: readonly string[]): void {
  if (!pulumi.runtime.isDryRun()) return;
  // Pulumi: with SDKs before 3.246, what a run leaves out (`--target`) has outputs that are known and absent, this one too.
  const stored = Reflect.get(resource, ALWAYS_STORED) as Hidden;
  const isStored = async (): Promise<boolean> => (await stored.isKnown) && (await stored.promise(false)) !== undefined;
  for (const key of keys) {
    const output = Reflect.get(resource, key) as Hidden;
    const known = output.isKnown;
    const isKnownOrAbsent = async (): Promise<boolean> =>
      (await known) || ((await output.promise(true)) === undefined && isStored());
    let asked: Promise<boolean> | undefined;
    // Made when a program first uses the output, because it reads few of them.
    Object.defineProperty(output, "isKnown", { get: () => (asked ??= isKnownOrAbsent()) });
  }
}

/** The outputs that a client connects by are made of these. A replica set has not all of them. */
interface Parts {
  endpoint: pulumi.Output<Endpoint | undefined>;
  vpcEndpoint?: pulumi.Output<VpcEndpoint | undefined>;
  connectionPooler: pulumi.Output<ConnectionPooler | undefined>;
  password: pulumi.Output<string | undefined>;
  initialPassword?: pulumi.Output<string | undefined>;
}

type Address = pulumi.Output<Endpoint | null | undefined>;

const direct = ({ endpoint, vpcEndpoint }: Parts): Address =>
  pulumi.all({ endpoint, vpcEndpoint }).apply(directAddress);
const pooler = ({ connectionPooler }: Parts): Address => connectionPooler.apply((found) => found?.endpoint);
const uriAt = (at: Address, { password, initialPassword }: Parts): pulumi.Output<string | undefined> =>
  pulumi.secret(pulumi.all([at, password, initialPassword])).apply(([address, given, made]) => {
    const secret = given ?? made;
    return secret !== undefined && isComplete(address) ? connectionUri(address, secret) : undefined;
  });

type ClientOutput = keyof PlainAddresses | "connectionUri" | "poolerConnectionUri";

/** How each is made. The state has them too, for other languages. */
const CLIENT_OUTPUTS: Readonly<Record<ClientOutput, (of: Parts) => pulumi.Output<unknown>>> = {
  host: (of) => direct(of).apply((address) => address?.host),
  port: (of) => direct(of).apply((address) => address?.port),
  poolerHost: (of) => pooler(of).apply((address) => address?.host),
  poolerPort: (of) => pooler(of).apply((address) => address?.port),
  connectionUri: (of) => uriAt(direct(of), of),
  poolerConnectionUri: (of) => uriAt(pooler(of), of),
};

/** Gives a resource with addresses the outputs that follow from its others, each made when a program first uses it. */
function addClientOutputs(resource: object, secrets: readonly string[]): void {
  if (!("endpoint" in resource)) return;
  for (const [key, make] of Object.entries(CLIENT_OUTPUTS)) {
    const set = (value: unknown): void => {
      Object.defineProperty(resource, key, { value, writable: true, enumerable: true, configurable: true });
    };
    const get = (): unknown => {
      const made = make(resource as Parts);
      const output = secrets.includes(key) ? pulumi.secret(made) : made;
      set(output);
      return output;
    };
    Object.defineProperty(resource, key, { get, set, enumerable: true, configurable: true });
  }
}
