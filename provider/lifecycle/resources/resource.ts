// The definition of a resource: one table per kind, of four concerns. check, diff, create, read, update and delete work from
// the table, so that no handler branches on the kind, and each module takes the concern that it needs.

import type { Values } from "../../domain/values/value";
import type { Change } from "./change";
import type { Creation } from "./creation";
import type { Deletion } from "./deletion";
import type { Observation } from "./observation";

/** A resource where it is defined, by the types of its kind. */
export type ResourceDefinition<Inputs extends object, Observed> = Observation<Inputs, Observed> &
  Creation<Inputs, Observed> &
  Change<Inputs, Observed> &
  Deletion<Observed>;

/** A resource as the lifecycle sees it. The types of one kind end where it is defined. */
export type Resource = ResourceDefinition<Values, unknown>;
