// Works on an object under its lock.

import type { Target } from "../resources/observation";

/** The time limit of the work does not include the time spent waiting for the lock. */
export function underLock<T>(target: Target, work: () => Promise<T>): Promise<T> {
  const { resource, session, id, scope } = target;
  const askedMs = session.clock.now();
  return session.locks.run(resource.lock(id, scope), () => {
    target.deadlineMs += session.clock.now() - askedMs;
    return work();
  });
}
