// The inputs of a `Service`, as programs write them, with what each means and what a change of it does.

import type * as pulumi from "@pulumi/pulumi";
import type { Addon, ForkStrategy, ServiceWaitFor } from "../domain/service";
import type { Environment } from "../domain/sharedFields";
import type { Size } from "../domain/values/size";
import type { LifecycleArgs } from "./lifecycleArgs";

/** High availability: standby copies of a service that take over when it fails. */
export interface HaReplicasArgs {
  /** All standby replicas, the synchronous ones included; 0 turns high availability off. */
  replicaCount: pulumi.Input<number>;
  /** How many of them are synchronous, at most `replicaCount`. Default: not managed. */
  syncReplicaCount?: pulumi.Input<number | undefined>;
}

/** What a fork is made from. */
export interface ForkFromArgs {
  /** The id of the service to fork. */
  serviceId: pulumi.Input<string>;
  /** `"LAST_SNAPSHOT"`: the newest snapshot there is, quick. `"NOW"`: a new snapshot. `"PITR"`: the state at `targetTime`. */
  strategy: pulumi.Input<ForkStrategy>;
  /** The moment to go back to, RFC 3339. Needed by `"PITR"` and by nothing else. */
  targetTime?: pulumi.Input<string | undefined>;
}

/** The inputs of a `Service`. What is left out is not managed: never compared, never changed, never drift. */
export interface ServiceArgs extends LifecycleArgs {
  /**
   * The name, 1 to 128 characters. Default: `<resource name>-<stack>`, kept from then on. Changed in place by `rename`,
   * where the server offers it. Contract: Services, create and fork.
   */
  name?: pulumi.Input<string | undefined>;
  /**
   * The cloud region, such as `"us-east-1"`. Excluded by `forkFrom`. Default: the server chooses. Cannot change.
   * Contract: Services, create.
   */
  regionCode?: pulumi.Input<string | undefined>;
  /**
   * Extensions to begin with: `"time-series"`, `"ai"`. `[]` asks for a plain PostgreSQL service, which leaving it out
   * does not. Excluded by `forkFrom`. Default: the server chooses. Cannot change. Contract: Services, create.
   */
  addons?: pulumi.Input<pulumi.Input<Addon>[] | undefined>;
  /**
   * CPU in millicores (1000 is one core), or `"shared"` for a service on shared resources, which cannot be resized.
   * Goes together with `memoryGbs`. Default: the server chooses, a fork takes its parent's. Changed in place by `resize`.
   * Contract: Services, resize.
   */
  cpuMillis?: pulumi.Input<Size | undefined>;
  /**
   * Memory in gigabytes, usually 1 for 250 millicores, or `"shared"`. Goes together with `cpuMillis`. Default: the server
   * chooses, a fork takes its parent's. Changed in place by `resize`. Contract: Services, resize.
   */
  memoryGbs?: pulumi.Input<Size | undefined>;
  /**
   * The environment tag, `"DEV"` or `"PROD"`. `"PROD"` switches `deletionProtection` on unless that is `false`. Default:
   * not managed, `"DEV"` when the server made it; a fork does not inherit it. Changed in place by `setEnvironment`.
   * Contract: Services, setEnvironment.
   */
  environment?: pulumi.Input<Environment | undefined>;
  /**
   * Standby replicas. Default: not managed, none when the server made it; a fork starts with none. Changed in place by
   * `setHA`. Contract: Services, setHA.
   */
  haReplicas?: pulumi.Input<HaReplicasArgs | undefined>;
  /**
   * The id of the VPC to be in; same region. A move takes minutes, in which the service is out of reach, and moves its
   * addresses. Default: not managed; taken out of the program after it was there, it means detach. Changed in place by
   * `attachToVPC` and `detachFromVPC`. Contract: Services, attachToVPC.
   */
  vpcId?: pulumi.Input<string | undefined>;
  /**
   * Whether a connection pooler stands before the service. Default: not managed, off when the server made it. Changed in
   * place by `enablePooler` and `disablePooler`. Contract: Services, enablePooler.
   */
  poolerEnabled?: pulumi.Input<boolean | undefined>;
  /**
   * The password of the master user `tsdbadmin`; always a secret. It cannot be read back, so a change made elsewhere stays
   * unseen. Default: not managed, `initialPassword` is valid. Changed in place by `updatePassword`. Contract: Services,
   * updatePassword.
   */
  password?: pulumi.Input<string | undefined>;
  /**
   * Whether the service is stopped. Other changes to a stopped service start it, change it and stop it again. Default: not
   * managed. Changed in place by `stop` and `start`, the latter where the server offers it. Contract: Services, stop.
   */
  paused?: pulumi.Input<boolean | undefined>;
  /**
   * Makes the service a fork, a new and independent copy of another one. May be taken out of the program later. Excludes
   * `regionCode` and `addons` at creation. Default: not a fork. Cannot change. Contract: Services, fork.
   */
  forkFrom?: pulumi.Input<ForkFromArgs | undefined>;
  /**
   * While true, nothing deletes or replaces the service, whatever the program says: switch it off with an `up` first. A
   * plain `true`, or a plain `environment: "PROD"` without `false` here, also sets Pulumi's `protect`, unless that option is
   * given. Default: true while the live environment tag is `PROD`. Lifecycle input: a change alone is saved without a call.
   */
  deletionProtection?: pulumi.Input<boolean | undefined>;
  /**
   * What destroying the resource does: `"delete"` deletes the service and its data; `"stop"` detaches it from its VPC,
   * stops it and leaves it, and says what still costs. Default: `"delete"`. Lifecycle input: a change alone is saved
   * without a call.
   */
  onDelete?: pulumi.Input<"delete" | "stop" | undefined>;
  /**
   * Turns the error "cannot change" into a replacement that the preview shows: the new service is made first, empty, and
   * the old one is deleted with its data. Default: false. Lifecycle input: a change alone is saved without a call.
   */
  allowReplace?: pulumi.Input<boolean | undefined>;
  /**
   * Lets creation go on although the project has a service of that name. Without it that is an error, because the other
   * one may come from an interrupted run. Default: false. Lifecycle input: a change alone is saved without a call.
   */
  allowDuplicateName?: pulumi.Input<boolean | undefined>;
  /**
   * What happens when the service was deleted elsewhere: `"recreate"` makes a new, empty one in the next `up`; `"error"`
   * stops. Default: `"recreate"`, and `"error"` while protected. Lifecycle input: a change alone is saved without a call.
   */
  onMissing?: pulumi.Input<"recreate" | "error" | undefined>;
  /**
   * When a change is done: `"ready"` when the API says so; `"accepting"` when the addresses of the service and its pooler
   * accept connections as well, so that the same program can run its migrations. That is asked without a password, for 2
   * minutes at most; then it is an error, and the service stays in the state. An address in a VPC that this machine cannot
   * reach is a warning. Default: `"ready"`. Lifecycle input: a change alone is saved without a call.
   */
  waitFor?: pulumi.Input<ServiceWaitFor | undefined>;
}

/** What `Service.get` needs besides the id. */
export interface ServiceState {
  /** The project that the service lives in. Default: the configured one. */
  projectId?: pulumi.Input<string | undefined>;
}
