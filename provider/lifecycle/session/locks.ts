// One change at a time per object: a first-come, first-served lock by key, for the whole process. What one holder of the
// key has begun may outlast it: then the next one waits for that first.

export interface Locks {
  /** Runs `work` once everyone who asked for the key before is done, however that ended, and what they left is over. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether somebody has the key, or waits for it. */
  isHeld(key: string): boolean;
  /** For whoever holds the key: what is under way, and to be waited for before anybody has the key again. */
  settleLater(key: string, rest: () => Promise<void>): void;
}

export function createLocks(): Locks {
  const tails = new Map<string, Promise<unknown>>();
  const rests = new Map<string, () => Promise<void>>();

  async function finish(key: string): Promise<void> {
    const rest = rests.get(key);
    rests.delete(key);
    await rest?.().catch(() => undefined);
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
    settleLater: (key, rest) => void rests.set(key, rest),
  };
}
