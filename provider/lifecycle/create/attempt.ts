// The data of one create under way: its resource, inputs, scope and deadline.

import type { Changeable } from "../resources/change";
import type { Creatable, Parent } from "../resources/creation";
import type { Scope } from "../resources/observation";
import type { Values } from "../../domain/values/value";
import type { Context } from "../session/context";
import type { Session } from "../session/session";

/** One create attempt. */
export interface CreateAttempt {
  resource: Creatable & Changeable;
  context: Context;
  session: Session;
  inputs: Values;
  scope: Scope;
  deadlineMs: number;
  /** Time limit of each single call; undefined when a given timeout limits all of them together. */
  stepMs: number | undefined;
  /** The objects that the new one replaces: the live one, and those of earlier runs that are still to be deleted. */
  predecessorIds: readonly string[];
  /**
   * Those of them that may share the name with the new one, because their delete follows. Pulumi: data that the program's
   * own `diff` did not give up may have been left by an interrupted run (`retainOnDelete` with `deleteBeforeReplace`).
   */
  replacedIds: readonly string[];
  /** The object that the server counts as changing during the create, such as the service of a replica set. */
  parent: Parent | undefined;
}
