// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Timeouts } from "../../domain/fields";
import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Values } from "../../domain/values/value";
import type { Observable, Opened, Context, HandlerName } from "../resources/resource";
import { abortable } from "../session/abortable";
import { SILENCE_MS } from "../session/pace";
import { projectOf } from "../state/state";

/** `values` say where the object is, and in `timeouts` how long the operation may take. */
export async function open<R extends Observable>(
  resource: R,
  context: Context,
  operation: HandlerName,
  values: Values,
): Promise<Opened<R>> {
  const session = abortable(context.session(), context.signal);
  const scope = resource.scope(values, projectOf(values) ?? (await session.projectId()));
  // `check` has validated it.
  const timeouts = values["timeouts"] as Timeouts | undefined;
  const given = timeouts?.[operation];
  const defaultsMs = resource.deadlinesMs(values);
  const givenMs = given === undefined ? undefined : parseDuration(given);
  return {
    resource,
    context: paced(context, session.clock),
    session,
    scope,
    deadlineMs: session.clock.now() + (givenMs ?? defaultsMs[operation]),
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
