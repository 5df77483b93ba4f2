// The inputs of a `Service`, as programs write them, with what each means and what a change of it does.

import type * as pulumi from "@pulumi/pulumi";
import type { Addon, ForkStrategy, ServiceWaitFor } from "./inputs";
import type { Environment } from "../../domain/sharedFields";
import type { Size } from "../../domain/sharedFields";
import type { LifecycleArgs, Region } from "../../pulumi/lifecycleArgs";

/** High availability: standby replicas of a service that take over when it fails. */
export interface HaReplicasArgs {
  /** The number of standby replicas, synchronous ones included. 0 turns high availability off. */
  replicaCount: pulumi.Input<number>;
  /** How many of them are synchronous, at most `replicaCount`. Default: not managed; a new service has none, so a failover can lose the last commits. */
  syncReplicaCount?: pulumi.Input<number | undefined>;
}

/** The source of a fork. `"PITR"` requires `targetTime`. */
export type ForkFromArgs = ForkSource &
  (
    | { strategy: pulumi.Input<Exclude<ForkStrategy, "PITR">>; targetTime?: undefined }
    | { strategy: pulumi.Input<ForkStrategy>; targetTime: pulumi.Input<string | undefined> }
  );

interface ForkSource {
  /** The id of the service to fork. */
  serviceId: pulumi.Input<string>;
  /**
   * The data to copy. `"LAST_SNAPSHOT"`: the newest existing snapshot, which is quick. `"NOW"`: a new snapshot. `"PITR"`:
   * the data at `targetTime`.
   */
  strategy: pulumi.Input<ForkStrategy>;
  /** The point in time to copy, RFC 3339. Required with `"PITR"`; not allowed with the other strategies. */
  targetTime?: pulumi.Input<string | undefined>;
}

/**
 * The inputs of a `Service`. An input that you leave out is not managed: the provider doesn't compare, change, or report
 * it.
 */
export interface ServiceArgs extends LifecycleArgs {
  /**
   * The name, 1 to 128 characters. Default: `<project>-<resource>-<stack>`, without the project if the resource's name
   * begins with it; kept from then on. Changed in place by `rename`, if the server offers it. Contract: Services, create
   * and fork.
   */
  name?: pulumi.Input<string | undefined>;
  /**
   * The cloud region, such as `"us-east-1"`. Not allowed for a fork. Default: the server chooses. Cannot change. Contract:
   * Services, create.
   */
  regionCode?: pulumi.Input<Region | undefined>;
  /**
   * Extensions of the new service: `"time-series"`, `"ai"`. For a plain PostgreSQL service, give `[]`. Not allowed for a
   * fork. Default: the server chooses. Cannot change. Contract: Services, create.
   */
  addons?: pulumi.Input<pulumi.Input<Addon>[] | undefined>;
  /**
   * CPU in millicores (1000 is one core), or `"shared"` for a service on shared resources, which can't be resized. Also
   * give `memoryGbs`. Default: the server chooses; a fork gets the size of its parent. Changed in place by `resize`.
   * Contract: Services, resize.
   */
  cpuMillis?: pulumi.Input<Size | undefined>;
  /**
   * Memory in gigabytes, usually 1 for 250 millicores, or `"shared"`. Also give `cpuMillis`. Default: the server chooses; a
   * fork gets the size of its parent. Changed in place by `resize`. Contract: Services, resize.
   */
  memoryGbs?: pulumi.Input<Size | undefined>;
  /**
   * The environment tag, `"DEV"` or `"PROD"`. `"PROD"` turns on deletion protection, unless `deletionProtection` is
   * `false`. Default: not managed; a new service or fork is `"DEV"`. Changed in place by `setEnvironment`. Contract:
   * Services, setEnvironment.
   */
  environment?: pulumi.Input<Environment | undefined>;
  /**
   * High availability. Default: not managed; a new service or fork has no standby replicas. Changed in place by `setHA`.
   * Contract: Services, setHA.
   */
  haReplicas?: pulumi.Input<HaReplicasArgs | undefined>;
  /**
   * The id of the VPC to attach the service to, in the same region. A change moves the addresses of the service, which
   * can't be reached for minutes. Default: not managed; if you remove it after an `up`, the service is detached. Changed in
   * place by `attachToVPC` and `detachFromVPC`. Contract: Services, attachToVPC.
   */
  vpcId?: pulumi.Input<string | undefined>;
  /**
   * Whether the service has a connection pooler. Default: not managed; a new service has none. Changed in place by
   * `enablePooler` and `disablePooler`. Contract: Services, enablePooler.
   */
  poolerEnabled?: pulumi.Input<boolean | undefined>;
  /**
   * The password of the master user `tsdbadmin`, always a secret. The API never returns it, so the provider can't detect a
   * change made elsewhere. Default: not managed; `initialPassword` is valid. Changed in place by `updatePassword`.
   * Contract: Services, updatePassword.
   */
  password?: pulumi.Input<string | undefined>;
  /**
   * Whether the service is stopped. For any other change of a stopped service, the provider starts it, changes it, and
   * stops it again. Default: not managed. Changed in place by `stop` and `start`; not every server offers `start`.
   * Contract: Services, stop.
   */
  paused?: pulumi.Input<boolean | undefined>;
  /**
   * Creates the service as a fork: a new, independent copy of another service. You can remove this input after creation. It
   * excludes `regionCode` and `addons` at creation. Default: not a fork. Cannot change. Contract: Services, fork.
   */
  forkFrom?: pulumi.Input<ForkFromArgs | undefined>;
  /**
   * While true, the provider refuses to delete or replace the service. To unprotect it, set `false` and run `pulumi up`. In
   * a TypeScript program, a plain `true` (or without this input, a plain `environment: "PROD"` or the setting) also sets
   * Pulumi's `protect` option, unless you give that option. Default: true with the setting `dbcloud:deletionProtection`, or
   * while the live environment tag is `PROD`. Lifecycle input: a change to it makes no API call.
   */
  deletionProtection?: pulumi.Input<boolean | undefined>;
  /**
   * Allows a replacement, instead of an error, if you change an input that can't change. The preview shows it. The provider
   * creates a new, empty service, then deletes the old one with its data. Default: false. Lifecycle input: a change to it
   * makes no API call.
   */
  allowReplace?: pulumi.Input<boolean | undefined>;
  /**
   * What happens if somebody deleted the service elsewhere. `"recreate"`: the next `up` creates a new, empty one.
   * `"error"`: the command fails. Default: `"recreate"`, or `"error"` while the service is protected. Lifecycle input: a
   * change to it makes no API call.
   */
  onMissing?: pulumi.Input<"recreate" | "error" | undefined>;
  /**
   * When a change counts as done. `"ready"`: the API says so. `"accepting"`: the addresses of the service and its pooler
   * also accept connections, so that the same program can run migrations. The check needs no password. If it fails for 2
   * minutes, `up` fails and keeps the service. If this machine can't reach the VPC of an address, you get a warning.
   * Default: `"ready"`. Lifecycle input: a change to it makes no API call.
   */
  waitFor?: pulumi.Input<ServiceWaitFor | undefined>;
}

/** What `Service.get` needs besides the id. */
export interface ServiceState {
  /** The project of the service. Default: the configured project. */
  projectId?: pulumi.Input<string | undefined>;
}
