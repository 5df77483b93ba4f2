// The class `Service` as programs see it. What it does is in the handlers, which load in the provider process.

import * as pulumi from "@pulumi/pulumi";
import { type ConnectionPooler, DATABASE, type Endpoint, USERNAME, type VpcEndpoint } from "../../domain/endpoint";
import type { Timeouts } from "../../domain/fields";
import type {
  Addon,
  ForkedFrom,
  ForkFrom,
  HaReplicas,
  Service as Observed,
  ServiceInputs,
  ServiceResource,
  ServiceWaitFor,
} from "./inputs";
import type { Size } from "../../domain/sharedFields";
import { connectionString, type ConnectionStringArgs } from "../../pulumi/connection";
import { isProtecting } from "../../pulumi/provider";
import type { NoOutput, ResourceOptions } from "../../pulumi/lifecycleArgs";
import { complete, idOf, isOfShape, registration, type Shape } from "../../pulumi/registration";
import type { Form } from "../../pulumi/stateNames";
import type { ServiceArgs, ServiceState } from "./args.class";

/** What changes by itself is in `getService`, not in the state. */
type StoredKey = keyof ServiceInputs | Exclude<keyof Observed, "serviceId" | "metrics" | "readReplicaSets">;

const inputs = {
  name: undefined,
  regionCode: undefined,
  addons: undefined,
  cpuMillis: undefined,
  memoryGbs: undefined,
  environment: undefined,
  haReplicas: undefined,
  vpcId: undefined,
  poolerEnabled: undefined,
  password: undefined,
  paused: undefined,
  forkFrom: undefined,
  projectId: undefined,
  deletionProtection: undefined,
  allowReplace: undefined,
  adoptId: undefined,
  onMissing: undefined,
  waitFor: undefined,
  timeouts: undefined,
} satisfies Record<keyof ServiceInputs, undefined>;

const properties = {
  ...inputs,
  created: undefined,
  status: undefined,
  serviceType: undefined,
  endpoint: undefined,
  connectionPooler: undefined,
  vpcEndpoint: undefined,
  initialPassword: undefined,
  resources: undefined,
  forkedFrom: undefined,
  dataTieringEnabled: undefined,
  logExporterId: undefined,
  metricExporterId: undefined,
} satisfies Record<StoredKey, undefined>;

const shape: Shape = {
  kind: "service",
  inputs,
  properties,
  asGiven: [
    "password",
    "forkFrom",
    "allowReplace",
    "adoptId",
    "onMissing",
    "waitFor",
    "timeouts",
  ] satisfies (keyof typeof inputs)[],
};

/**
 * A managed PostgreSQL service.
 *
 * @example
 * ```ts
 * const db = new Service("orders", {
 *   regionCode: "us-east-1",
 *   cpuMillis: 1000,
 *   memoryGbs: 4,
 *   environment: "PROD",
 *   haReplicas: { replicaCount: 1 },
 *   poolerEnabled: true,
 * });
 * export const url = db.connectionString({ via: "pooler" });
 * ```
 */
export class Service extends pulumi.CustomResource {
  /** @internal */
  static readonly form: Form = "dynamic";

  /** The name. */
  declare readonly name: pulumi.Output<string>;
  /** The cloud region. */
  declare readonly regionCode: pulumi.Output<string>;
  /** The add-ons that were given at creation. */
  declare readonly addons: pulumi.Output<Addon[] | undefined>;
  /** CPU in millicores, or `"shared"`. */
  declare readonly cpuMillis: pulumi.Output<Size | undefined>;
  /** Memory in gigabytes, or `"shared"`. */
  declare readonly memoryGbs: pulumi.Output<Size | undefined>;
  /** The environment tag. The server may return other values than `DEV` and `PROD`. */
  declare readonly environment: pulumi.Output<string | undefined>;
  /** High availability: the standby replicas. */
  declare readonly haReplicas: pulumi.Output<HaReplicas>;
  /** The id of the VPC that the service is attached to. */
  declare readonly vpcId: pulumi.Output<string | undefined>;
  /** Whether the service has a connection pooler. */
  declare readonly poolerEnabled: pulumi.Output<boolean>;
  /** The password that the program set last; a secret. */
  declare readonly password: pulumi.Output<string | undefined>;
  /** Whether the service is stopped. */
  declare readonly paused: pulumi.Output<boolean>;
  /** The source of the fork, as given. */
  declare readonly forkFrom: pulumi.Output<ForkFrom | undefined>;
  /** The id of the project that the service belongs to. */
  declare readonly projectId: pulumi.Output<string>;
  /** Whether the provider refuses to delete or replace the service, as of the last `up`. */
  declare readonly deletionProtection: pulumi.Output<boolean>;
  /** Whether a replacement is allowed, as given. */
  declare readonly allowReplace: pulumi.Output<boolean | undefined>;
  /** The id of the object to adopt at creation, as given. */
  declare readonly adoptId: pulumi.Output<string | undefined>;
  /** What happens when the service was deleted elsewhere, as given. */
  declare readonly onMissing: pulumi.Output<"recreate" | "error" | undefined>;
  /** When a change counts as done, as given. */
  declare readonly waitFor: pulumi.Output<ServiceWaitFor | undefined>;
  /** The timeouts, as given. */
  declare readonly timeouts: pulumi.Output<Timeouts | undefined>;
  /** When the service was created, RFC 3339. */
  declare readonly created: pulumi.Output<string>;
  /** The status that the API reports, such as `READY` or `PAUSED`. */
  declare readonly status: pulumi.Output<string>;
  /** The type that the API reports, such as `SERIESDB` or `POSTGRES`. */
  declare readonly serviceType: pulumi.Output<string>;
  /** The address that accepts connections. */
  declare readonly endpoint: pulumi.Output<Endpoint | undefined>;
  /** The host to connect to: that of `endpoint`, or the private one in the VPC if the service has no public address. */
  declare readonly host: pulumi.Output<string>;
  /** The port of `host`. */
  declare readonly port: pulumi.Output<number>;
  /** The host of the connection pooler, if there is one. */
  declare readonly poolerHost: pulumi.Output<string | undefined>;
  /** The port of the connection pooler, if there is one. */
  declare readonly poolerPort: pulumi.Output<number | undefined>;
  /**
   * A secret connection string of the master user (`postgresql://…`), made of `host`, `port`, and `password` or else
   * `initialPassword`. Absent if no password is known, for example after an adoption without `password`.
   */
  declare readonly connectionUri: pulumi.Output<string>;
  /** The same through the connection pooler. Absent while there is none. */
  declare readonly poolerConnectionUri: pulumi.Output<string | undefined>;
  /** The connection pooler with its address, if there is one. */
  declare readonly connectionPooler: pulumi.Output<ConnectionPooler | undefined>;
  /** The address inside the VPC, if the service is in one. */
  declare readonly vpcEndpoint: pulumi.Output<VpcEndpoint | undefined>;
  /** The password that the service was created with; a secret. Known only if this stack created the service. */
  declare readonly initialPassword: pulumi.Output<string | undefined>;
  /** The resources that are allocated to the service. */
  declare readonly resources: pulumi.Output<ServiceResource[]>;
  /** The service that this one was forked from. */
  declare readonly forkedFrom: pulumi.Output<ForkedFrom | undefined>;
  /** Whether data tiering is on. */
  declare readonly dataTieringEnabled: pulumi.Output<boolean | undefined>;
  /** The id of the exporter that receives the logs. */
  declare readonly logExporterId: pulumi.Output<string | undefined>;
  /** The id of the exporter that receives the metrics. */
  declare readonly metricExporterId: pulumi.Output<string | undefined>;

  /**
   * @param name The resource's name in the program, unique among services.
   * @param args The inputs.
   * @param opts Pulumi's resource options, except `import`: the error says what to do instead.
   */
  constructor(name: string, args: NoOutput<ServiceArgs> = {}, opts: ResourceOptions = {}) {
    super(...registration(new.target.form, shape, name, args, mirrorProtection(args, opts)));
    complete(this, shape, opts);
  }

  /**
   * Reads an existing service without managing it: no run changes or deletes it.
   *
   * @param id The id of the service. It's an error if there is none.
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: ServiceState = {},
    opts?: pulumi.CustomResourceOptions,
  ): Service {
    return new this(name, state, { ...opts, id });
  }

  /** Whether a value is a `Service`, even one from another copy of this package. */
  static override isInstance(value: unknown): value is Service {
    return isOfShape(value, shape);
  }

  /** The id of the service, the same as `id`. Known in previews of updates. */
  get serviceId(): pulumi.Output<string> {
    return idOf(this);
  }

  /** The master user. Its password is `password`, or else `initialPassword`. */
  get username(): pulumi.Output<string> {
    return pulumi.output(USERNAME);
  }

  /** The database that the service was created with. */
  get database(): pulumi.Output<string> {
    return pulumi.output(DATABASE);
  }

  /**
   * `connectionUri` with the given parts in place of its own; always a secret. If a password or an address is missing, the
   * error says what to do. (With Pulumi's mocks, let `newResource` return an `endpoint`.)
   */
  connectionString(args: ConnectionStringArgs = {}): pulumi.Output<string> {
    return connectionString(this, args, this);
  }
}

// Pulumi: its own `protect` stops a destroy before it begins; the handlers' refusal comes when others are already gone.
function mirrorProtection(args: ServiceArgs, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  // Pulumi: a parent keeps this option, which its children get.
  const protect: unknown = options.protect ?? Reflect.get(Object(options.parent), "__protect");
  if (protect !== undefined || options.id !== undefined || options.urn !== undefined) return options;
  // What is no object is refused next.
  const { deletionProtection, environment } = Object(args) as ServiceArgs;
  const isProtected = deletionProtection ?? (environment === "PROD" || isProtecting(options));
  return isProtected === true ? { ...options, protect: true } : options;
}
