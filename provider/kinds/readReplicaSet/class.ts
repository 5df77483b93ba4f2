// The class `ReadReplicaSet` as programs see it. What it does is in the handlers, which load in the provider process.

import * as pulumi from "@pulumi/pulumi";
import { type ConnectionPooler, DATABASE, type Endpoint, USERNAME } from "../../domain/endpoint";
import type { Timeouts } from "../../domain/fields";
import type { ReadReplicaSet as Observed, ReadReplicaSetInputs } from "./inputs";
import type { Environment } from "../../domain/sharedFields";
import { connectionString, type ConnectionStringArgs } from "../../pulumi/connection";
import type { LifecycleArgs, NoOutput, ResourceOptions } from "../../pulumi/lifecycleArgs";
import { complete, idOf, isOfShape, registration, type Shape } from "../../pulumi/registration";
import type { Form } from "../../pulumi/stateNames";
import type { Service } from "../service/class";

/** The inputs of a `ReadReplicaSet`. */
export interface ReadReplicaSetArgs extends LifecycleArgs {
  /**
   * The id of the service whose data the nodes serve. Required. A change replaces the object. Contract: Read replica sets,
   * create.
   */
  serviceId: pulumi.Input<string>;
  /**
   * The name, 1 to 128 characters. Default: `<project>-<resource>-<stack>`, without the project if the resource's name
   * begins with it; kept from then on. A change replaces the object. Contract: Read replica sets, create.
   */
  name?: pulumi.Input<string | undefined>;
  /** The number of nodes, at least 1. Required. A change replaces the object. Contract: Read replica sets, create. */
  nodes: pulumi.Input<number>;
  /**
   * CPU of each node in millicores (1000 is one core). Required. Changed in place by `resize`. Contract: Read replica sets,
   * resize.
   */
  cpuMillis: pulumi.Input<number>;
  /**
   * Memory of each node in gigabytes, usually 1 for 250 millicores. Required. Changed in place by `resize`. Contract: Read
   * replica sets, resize.
   */
  memoryGbs: pulumi.Input<number>;
  /**
   * Whether the set has a connection pooler. Default: not managed; a new set has none. Changed in place by `enablePooler`
   * and `disablePooler`. Contract: Read replica sets, enablePooler.
   */
  poolerEnabled?: pulumi.Input<boolean | undefined>;
  /**
   * The environment tag, `"DEV"` or `"PROD"`. Default: not managed. Changed in place by `setEnvironment`. Contract: Read
   * replica sets, setEnvironment.
   */
  environment?: pulumi.Input<Environment | undefined>;
  /**
   * The password of the master user of the service, always a secret, for `connectionUri`: the `password` of the service, or
   * else its `initialPassword`. Default: none, and no `connectionUri`. Lifecycle input: a change to it makes no API call.
   */
  password?: pulumi.Input<string | undefined>;
}

/** What `ReadReplicaSet.get` needs besides the id. */
export interface ReadReplicaSetState {
  /** The id of the service that the set belongs to. Required: the API shows sets only through their service. */
  serviceId: pulumi.Input<string>;
  /** The project of the service. Default: the configured project. */
  projectId?: pulumi.Input<string | undefined>;
}

/** The options of the connection string of a set, which has the users and passwords of its service. */
export type ReadReplicaSetConnectionStringArgs = Omit<ConnectionStringArgs, "via" | "password"> & {
  /** `"direct"`: the nodes of the set. `"pooler"`: its connection pooler. Default: `"direct"`. */
  via?: "direct" | "pooler";
} & (
    | {
        /** The service of the set, for its password. */
        service: Service;
        password?: undefined;
      }
    | {
        /** The password of `user`, if the program doesn't declare the service. */
        password: pulumi.Input<string>;
        service?: undefined;
      }
  );

const inputs = {
  serviceId: undefined,
  name: undefined,
  nodes: undefined,
  cpuMillis: undefined,
  memoryGbs: undefined,
  poolerEnabled: undefined,
  environment: undefined,
  password: undefined,
  projectId: undefined,
  adoptId: undefined,
  timeouts: undefined,
} satisfies Record<keyof ReadReplicaSetInputs, undefined>;

const properties = {
  ...inputs,
  status: undefined,
  endpoint: undefined,
  connectionPooler: undefined,
} satisfies Record<keyof ReadReplicaSetInputs | Exclude<keyof Observed, "replicaSetId">, undefined>;

const shape: Shape = {
  kind: "readReplicaSet",
  inputs,
  properties,
  asGiven: ["password", "adoptId", "timeouts"] satisfies (keyof typeof inputs)[],
};

/**
 * Nodes that serve reads of a service's data. They hold no data of their own, so a change without a call in the API
 * replaces the set: the provider creates the new one first.
 *
 * @example
 * ```ts
 * const readers = new ReadReplicaSet("readers", { serviceId: db.serviceId, nodes: 2, cpuMillis: 500, memoryGbs: 2 });
 * ```
 */
export class ReadReplicaSet extends pulumi.CustomResource {
  /** @internal */
  static readonly form: Form = "dynamic";

  /** The id of the service whose data the nodes serve. */
  declare readonly serviceId: pulumi.Output<string>;
  /** The name. */
  declare readonly name: pulumi.Output<string>;
  /** The number of nodes. */
  declare readonly nodes: pulumi.Output<number>;
  /** CPU of each node in millicores. */
  declare readonly cpuMillis: pulumi.Output<number>;
  /** Memory of each node in gigabytes. */
  declare readonly memoryGbs: pulumi.Output<number>;
  /** Whether the set has a connection pooler. */
  declare readonly poolerEnabled: pulumi.Output<boolean>;
  /** The environment tag. The server may return other values than `DEV` and `PROD`. */
  declare readonly environment: pulumi.Output<string | undefined>;
  /** The password of the service, as given; a secret. */
  declare readonly password: pulumi.Output<string | undefined>;
  /** The id of the project that the service belongs to. */
  declare readonly projectId: pulumi.Output<string>;
  /** The id of the object to adopt at creation, as given. */
  declare readonly adoptId: pulumi.Output<string | undefined>;
  /** The timeouts, as given. */
  declare readonly timeouts: pulumi.Output<Timeouts | undefined>;
  /** The status: `creating`, `active`, `resizing`, `deleting` or `error`. */
  declare readonly status: pulumi.Output<string>;
  /** The address that accepts connections. */
  declare readonly endpoint: pulumi.Output<Endpoint | undefined>;
  /** The host to connect to: that of `endpoint`. */
  declare readonly host: pulumi.Output<string>;
  /** The port of `host`. */
  declare readonly port: pulumi.Output<number>;
  /** The host of the connection pooler, if there is one. */
  declare readonly poolerHost: pulumi.Output<string | undefined>;
  /** The port of the connection pooler, if there is one. */
  declare readonly poolerPort: pulumi.Output<number | undefined>;
  /**
   * A secret connection string of the master user (`postgresql://…`), made of `host`, `port`, and `password`. Absent if
   * you don't give `password`.
   */
  declare readonly connectionUri: pulumi.Output<string | undefined>;
  /** The same through the connection pooler. Absent while there is none. */
  declare readonly poolerConnectionUri: pulumi.Output<string | undefined>;
  /** The connection pooler with its address, if there is one. */
  declare readonly connectionPooler: pulumi.Output<ConnectionPooler | undefined>;

  /**
   * @param name The resource's name in the program, unique among read replica sets.
   * @param args The inputs.
   * @param opts Pulumi's resource options, except `import`: the error says what to do instead.
   */
  constructor(name: string, args: NoOutput<ReadReplicaSetArgs>, opts: ResourceOptions = {}) {
    super(...registration(new.target.form, shape, name, args, opts));
    complete(this, shape, opts);
  }

  /**
   * Reads an existing set without managing it: no run changes or deletes it.
   *
   * @param id The id of the set. If the service has no such set, it's an error.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: ReadReplicaSetState,
    opts?: pulumi.CustomResourceOptions,
  ): ReadReplicaSet {
    // Reading asks for less than creating: the inputs that creation requires come from the server.
    return new this(name, state as ReadReplicaSetArgs, { ...opts, id });
  }

  /** Whether a value is a `ReadReplicaSet`, even one from another copy of this package. */
  static override isInstance(value: unknown): value is ReadReplicaSet {
    return isOfShape(value, shape);
  }

  /** The id of the set, the same as `id`. Known in previews of updates. */
  get replicaSetId(): pulumi.Output<string> {
    return idOf(this);
  }

  /** The master user of the service. */
  get username(): pulumi.Output<string> {
    return pulumi.output(USERNAME);
  }

  /** The database that the service was created with. */
  get database(): pulumi.Output<string> {
    return pulumi.output(DATABASE);
  }

  /**
   * `connectionUri` with the given parts in place of its own; always a secret: `readers.connectionString({ service: db })`.
   * If an address or the password is missing, the error says what to do.
   */
  connectionString(given: ReadReplicaSetConnectionStringArgs): pulumi.Output<string> {
    // In JavaScript it may be missing.
    const { service, ...args } = Object(given) as ReadReplicaSetConnectionStringArgs;
    return connectionString(this, args, service ?? args);
  }
}
