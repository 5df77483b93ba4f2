// One change at a time per object: a first-come, first-served lock by key, for the whole process.

export interface Locks {
  /** Runs `work` once everyone who asked for the key before is done, however that ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      const tail = forgetWhenDone(mine);
      tails.set(key, tail);
      return mine;

      async function forgetWhenDone(done: Promise<unknown>): Promise<void> {
        await Promise.allSettled([done]);
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}
