// The definition of a resource: one table per kind, of four concerns. check, diff, create, read, update and delete work from
// the table, so that no handler branches on the kind, and each module takes the concern that it needs.

import type { Values } from "../../domain/values/value";
import type { Change } from "./change";
import type { Creation } from "./creation";
import type { Deletion } from "./deletion";
import type { Observation } from "./observation";

/** The definition of a resource, with the types of its kind. */
export type ResourceDefinition<Inputs extends object, Observed> = Observation<Inputs, Observed> &
  Creation<Inputs, Observed> &
  Change<Inputs, Observed> &
  Deletion<Observed>;

/** A resource in the form of the lifecycle, without the types of its kind. */
export type Resource = ResourceDefinition<Values, unknown>;
