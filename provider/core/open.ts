// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Timeouts } from "../domain/fields";
import { anyOf, orAborted } from "../domain/values/abort";
import type { Clock } from "../domain/values/clock";
import { parseDuration } from "../domain/values/duration";
import type { Values } from "../domain/values/value";
import type { Context, HandlerName, Opened } from "./operation";
import type { Resource } from "./kind";
import { SILENCE_MS } from "./pace";
import type { Reader, Session } from "./session";
import { projectOf, scopeOf } from "./state";

/** `values` say where the object is, and in `timeouts` how long the operation may take. */
export async function open(
  resource: Resource,
  context: Context,
  operation: HandlerName,
  values: Values,
): Promise<Opened> {
  const session = abortable(context.session(), context.signal);
  const scope = scopeOf(resource, values, projectOf(values) ?? (await session.projectId()));
  // `check` has validated it.
  const timeouts = values["timeouts"] as Timeouts | undefined;
  const given = timeouts?.[operation];
  const defaultsMs = resource.deadlinesMs(values);
  const givenMs = given === undefined ? context.limitMs : parseDuration(given);
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

/**
 * The session for one operation: every wait of the operation ends when its signal is aborted. The session itself, which other
 * operations share, is not affected.
 */
function abortable(session: Session, signal: AbortSignal): Session {
  const orEnd = <T>(answer: Promise<T>): Promise<T> => orAborted(answer, signal);
  const read = <T>(begin: () => Promise<T>): Promise<T> =>
    signal.aborted ? Promise.reject(signal.reason as Error) : orEnd(begin());
  const reader = <O>(shared: Reader<O>): Reader<O> => ({
    ...shared,
    get: (id, options) => read(() => shared.get(id, options)),
    fetch: (id, deadlineMs, turn) => read(() => shared.fetch(id, deadlineMs, turn)),
    nextPoll: (id, options) =>
      signal.aborted ? Promise.reject(signal.reason as Error) : shared.nextPoll(id, { ...options, signal }),
    list: (options) => read(() => shared.list(options)),
  });
  const clock: Clock = {
    now: () => session.clock.now(),
    sleep: (ms, own) => session.clock.sleep(ms, anyOf(own, signal)),
  };
  return {
    ...session,
    clock,
    pace: { ...session.pace, clock },
    locks: {
      ...session.locks,
      // Work that has begun is not abandoned: it ends by itself, with an error that says how far it got.
      async run(key, work) {
        const begun = Promise.withResolvers<void>();
        const done = session.locks.run(key, () => {
          signal.throwIfAborted();
          begun.resolve();
          return work();
        });
        await orEnd(Promise.race([begun.promise, done]));
        return done;
      },
    },
    probe: (address, timeoutMs) => orEnd(session.probe(address, timeoutMs)),
    projectId: () => orEnd(session.projectId()),
    services: (projectId) => reader(session.services(projectId)),
    vpcs: (projectId) => reader(session.vpcs(projectId)),
    peerings: (...scope) => reader(session.peerings(...scope)),
  };
}
