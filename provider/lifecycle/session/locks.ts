// One change at a time per object: a first-come, first-served lock by key, for the whole process. A change may outlast the
// operation that sent it; then the next holder of the lock first waits until the change has settled.

import type { Locks } from "./session";

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  const unsettled = new Map<string, () => Promise<void>>();

  async function settleLeftover(key: string): Promise<void> {
    const settle = unsettled.get(key);
    unsettled.delete(key);
    await settle?.().catch(() => undefined);
  }

  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(() => settleLeftover(key)).then(work);
      const tail = forgetWhenDone(mine);
      tails.set(key, tail);
      return mine;

      /** The lock of one work ends with it, whether it failed or not. */
      async function forgetWhenDone(done: Promise<unknown>): Promise<void> {
        await Promise.allSettled([done]);
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
    isHeld: (key) => tails.has(key),
    settleBeforeNext: (key, settle) => void unsettled.set(key, settle),
  };
}
