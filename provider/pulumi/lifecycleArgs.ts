// The inputs that every resource has besides its own.

import type * as pulumi from "@pulumi/pulumi";

/** A cloud region. Editors suggest the known ones; the server may have others. */
export type Region = "us-east-1" | (string & Record<never, never>);

/** Inputs that are no Output of inputs: each of them may be one. */
export type NoOutput<Args> = Args & { apply?: never };

/** Pulumi's resource options, without `import`: `pulumi-dbcloud import` writes what `pulumi import --file` takes. */
export type ResourceOptions = Omit<pulumi.CustomResourceOptions, "import">;

/** How long each operation may take. Durations are strings such as `"90s"`, `"45m"` or `"12h"`. */
export interface TimeoutsArgs {
  /**
   * Creation, with all its waits and further changes. Default: `"45m"` until the object exists and is ready (a fork
   * `"12h"`, a read replica set `"60m"`, a peering `"15m"`), plus the default of an update for each further change.
   */
  create?: pulumi.Input<string | undefined>;
  /** An update, all steps together. Default: `"45m"` for each step (a read replica set `"60m"`, a peering `"15m"`). */
  update?: pulumi.Input<string | undefined>;
  /** Deletion, until the object is gone. Default: `"45m"`, or `"60m"` for a read replica set. */
  delete?: pulumi.Input<string | undefined>;
  /** A read during refresh, with its retries. Default: `"5m"`. */
  read?: pulumi.Input<string | undefined>;
}

/** The inputs that every resource has besides its own. */
export interface LifecycleArgs {
  /**
   * The id of the project that the object belongs to. The state keeps it, and later operations use it even if the
   * configuration changes. Default: `dbcloud:projectId`, or the only project that the key can access. Cannot change.
   * Contract: Projects.
   */
  projectId?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing object to adopt instead of creating one. `up` lists each difference from the inputs and changes
   * it in place; if a difference can't be changed, `up` fails before it changes anything. Has no effect after creation.
   * Default: none. Lifecycle input: a change to it makes no API call.
   */
  adoptId?: pulumi.Input<string | undefined>;
  /**
   * How long each operation may take. Pulumi's option for custom timeouts applies to the keys that you leave out. Default: see
   * each key. Lifecycle input: a change to it makes no API call.
   */
  timeouts?: pulumi.Input<TimeoutsArgs | undefined>;
}
