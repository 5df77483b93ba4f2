// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Timeouts } from "../../domain/fields";
import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Observable, Scope } from "../resources/resource";
import type { Values } from "../../domain/values/value";
import { abortable } from "../session/abortable";
import type { Context, HandlerName } from "../session/context";
import { SILENCE_MS } from "../session/pace";
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
  resource: Observable,
  context: Context,
  operation: HandlerName,
  located: Values,
  declared: Values = located,
): Promise<OpenOperation> {
  const session = abortable(context.session(), context.signal);
  const projectId = projectOf(located) ?? (await session.projectId());
  // `check` has validated it.
  const timeouts = declared["timeouts"] as Timeouts | undefined;
  const given = timeouts?.[operation];
  const givenMs = given === undefined ? undefined : parseDuration(given);
  const defaultsMs = resource.deadlinesMs(declared);
  return {
    session,
    context: paced(context, session.clock),
    scope: resource.scope(located, projectId),
    deadlineMs: () => session.clock.now() + (givenMs ?? defaultsMs[operation]),
    stepMs: givenMs === undefined ? defaultsMs.update : undefined,
  };
}

/** The context for one operation, with progress that never repeats itself within the silence. */
function paced(context: Context, clock: Clock): Context {
  const shownMs = new Map<string, number>();
  return {
    ...context,
    progress: (line) => {
      const nowMs = clock.now();
      if (nowMs - (shownMs.get(line) ?? Number.NEGATIVE_INFINITY) < SILENCE_MS) return;
      shownMs.set(line, nowMs);
      context.progress(line);
    },
  };
}
