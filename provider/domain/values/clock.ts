// Time as the provider sees it, of which there are two kinds: how long something takes, and what time of day it is.
// Everything that asks for one of them or waits goes through these, so that tests own both.

/** Tells how long: deadlines, pauses, and how old an answer is that this process has read. */
export interface Clock {
  /**
   * Milliseconds that run evenly, also while the machine's clock is set. They begin as the time of day, but are no time of
   * day: they are never held against a time of the server, and never stored.
   */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Tells the time of day, for what comes from outside this process. It may be wrong, and may be set at any moment. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  epochMs(): number;
}
