// How every handler that makes calls begins: its session, its scope and its time limits.

import type { Timeouts } from "../../domain/fields";
import { anyOf, orAborted } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";
import { parseDuration } from "../../domain/values/duration";
import type { Values } from "../../domain/values/value";
import type { Context, HandlerName, Opened } from "../resources/operation";
import type { Observable } from "../resources/resource";
import { SILENCE_MS } from "../session/pace";
import type { Locks, Reader, Session } from "../session/session";
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

// Wraps a session for one operation: every wait of the operation ends when its signal is aborted. The session itself, which
// other operations share, is not affected.

function abortable(session: Session, signal: AbortSignal): Session {
  const clock = abortableClock(session.clock, signal);
  return {
    ...session,
    clock,
    pace: { ...session.pace, clock },
    locks: abortableLocks(session.locks, signal),
    probe: (address, timeoutMs) => orAborted(session.probe(address, timeoutMs), signal),
    projectId: () => orAborted(session.projectId(), signal),
    services: (projectId) => abortableReader(session.services(projectId), signal),
    vpcs: (projectId) => abortableReader(session.vpcs(projectId), signal),
    peerings: (...scope) => abortableReader(session.peerings(...scope), signal),
  };
}

function abortableClock(clock: Clock, signal: AbortSignal): Clock {
  return { now: () => clock.now(), sleep: (ms, own) => clock.sleep(ms, anyOf(own, signal)) };
}

/** Work that has begun is not abandoned: it ends by itself, with an error that says how far it got. */
function abortableLocks(locks: Locks, signal: AbortSignal): Locks {
  return {
    ...locks,
    async run(key, work) {
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const done = locks.run(key, () => {
        signal.throwIfAborted();
        begin();
        return work();
      });
      await orAborted(Promise.race([begun, done]), signal);
      return done;
    },
  };
}

function abortableReader<O>(reader: Reader<O>, signal: AbortSignal): Reader<O> {
  const read = <T>(begin: () => Promise<T>): Promise<T> =>
    signal.aborted ? Promise.reject(signal.reason as Error) : orAborted(begin(), signal);
  return {
    ...reader,
    get: (id, options) => read(() => reader.get(id, options)),
    fetch: (id, deadlineMs, turn) => read(() => reader.fetch(id, deadlineMs, turn)),
    nextPoll: (id, options) =>
      signal.aborted ? Promise.reject(signal.reason as Error) : reader.nextPoll(id, { ...options, signal }),
    list: (options) => read(() => reader.list(options)),
  };
}
