// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Timeouts } from "../../domain/fields";
import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Observable, Scope } from "../resources/observation";
import type { Values } from "../../domain/values/value";
import { abortable } from "../session/abortable";
import type { Context, Operation } from "../session/context";
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
  given: Context,
  operation: Operation,
  located: Values,
  declared: Values = located,
): Promise<OpenOperation> {
  const session = abortable(given.session(), given.signal);
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

/** The moment at which an operation must be over, from its own timeout or the default. */
function deadlineOf(
  clock: Clock,
  operation: Operation,
  timeouts: Timeouts | undefined,
  defaults: Readonly<Record<Operation, number>>,
): number {
  return clock.now() + (givenMs(operation, timeouts) ?? defaults[operation]);
}

/** Time limit of each single call of an operation; undefined when a given timeout limits all of them together. */
function stepLimitOf(
  operation: Operation,
  timeouts: Timeouts | undefined,
  defaults: Readonly<Record<Operation, number>>,
): number | undefined {
  return givenMs(operation, timeouts) === undefined ? defaults.update : undefined;
}

function givenMs(operation: Operation, timeouts: Timeouts | undefined): number | undefined {
  const given = timeouts?.[operation];
  return given === undefined ? undefined : parseDuration(given);
}

/** The timeouts of a program or a state. */
function timeoutsOf(values: Values): Timeouts | undefined {
  // `check` has validated it.
  return values["timeouts"] as Timeouts | undefined;
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
