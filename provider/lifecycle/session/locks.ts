// One change at a time per object: a first-come, first-served lock by key, for the whole process. A change may outlast the
// holder of the lock that sent it; then the next holder first waits until it has settled.

import type { Locks } from "./session";

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  const unsettled = new Map<string, () => Promise<void>>();

  async function finish(key: string): Promise<void> {
    const settle = unsettled.get(key);
    unsettled.delete(key);
    await settle?.().catch(() => undefined);
  }

  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(() => finish(key)).then(work);
      const tail = forgetWhenDone(mine);
      tails.set(key, tail);
      return mine;

      async function forgetWhenDone(done: Promise<unknown>): Promise<void> {
        await Promise.allSettled([done]);
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
    isHeld: (key) => tails.has(key),
    settleLater: (key, settle) => void unsettled.set(key, settle),
  };
}
