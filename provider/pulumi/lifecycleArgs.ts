// The inputs that every resource has besides its own.

import type * as pulumi from "@pulumi/pulumi";

/** How long each operation may take. Durations are texts such as `"90s"`, `"45m"` or `"12h"`. */
export interface TimeoutsArgs {
  /**
   * Creation, with every wait and every change that belongs to it. Default: `"45m"` until it is there (a fork `"12h"`,
   * a read replica set `"60m"`, a peering `"15m"`), and for each change after that as long as an update may take.
   */
  create?: pulumi.Input<string | undefined>;
  /**
   * An update, all its steps together. Default: `"45m"` for each step (a read replica set `"60m"`, a peering `"15m"`).
   */
  update?: pulumi.Input<string | undefined>;
  /** Deletion until the object is gone. Default: `"45m"`, `"60m"` for a read replica set. */
  delete?: pulumi.Input<string | undefined>;
  /** A read during refresh, retries included. Default: `"5m"`. */
  read?: pulumi.Input<string | undefined>;
}

/** The inputs that every resource has besides its own. */
export interface LifecycleArgs {
  /**
   * The project that the object lives in. Kept in the state: later operations use it, whatever the configuration says by
   * then. Default: `dbcloud:projectId`, or the only project that the key can see. Cannot change. Contract: Projects.
   */
  projectId?: pulumi.Input<string | undefined>;
  /**
   * The id of an existing object that creation adopts instead of making a new one. What differs from the inputs is
   * named and changed in place; a difference that cannot be changed is an error before anything happens. Counts at
   * creation alone. Default: none. Lifecycle input: a change alone is saved without a call.
   */
  adoptId?: pulumi.Input<string | undefined>;
  /**
   * How long each operation may take; Pulumi's `customTimeouts` fill what is left out here. Default: see each key.
   * Lifecycle input: a change alone is saved without a call.
   */
  timeouts?: pulumi.Input<TimeoutsArgs | undefined>;
}
