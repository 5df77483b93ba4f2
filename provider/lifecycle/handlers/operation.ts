// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Resource, Scope, Values } from "../resources/resource";
import { deadlineOf, sessionOf, stepLimitOf, timeoutsOf, type Context, type Operation } from "../session/context";
import { paced } from "../session/progress";
import type { Session } from "../session/session";
import { projectOf } from "../state/state";

export interface OpenOperation {
  session: Session;
  /** The given context, with progress that does not repeat itself. */
  context: Context;
  scope: Scope;
  /** The moment at which the operation must be over, if it begins now. */
  deadlineMs: () => number;
  /** Time limit of each single call; undefined when a given timeout limits all of them together. */
  stepMs: number | undefined;
}

/** `located` says where the object is, `declared` how long the operation may take. */
export async function openOperation(
  resource: Resource,
  given: Context,
  operation: Operation,
  located: Values,
  declared: Values = located,
): Promise<OpenOperation> {
  const session = sessionOf(given);
  const projectId = projectOf(located) ?? (await session.projectId());
  const timeouts = timeoutsOf(declared);
  const defaults = resource.deadlinesMs(declared);
  return {
    session,
    context: paced(given, session.clock),
    scope: resource.scope(located, projectId),
    deadlineMs: () => deadlineOf(session.clock, operation, timeouts, defaults),
    stepMs: stepLimitOf(operation, timeouts, defaults),
  };
}
