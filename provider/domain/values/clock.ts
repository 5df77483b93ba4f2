// The two kinds of time: durations, and the time of day. All code that needs one of them or waits uses these interfaces, so
// that tests control both.

/** The clock for durations: deadlines, pauses, and the age of answers that this process has read. */
export interface Clock {
  /**
   * Milliseconds that run evenly, also while the machine's clock is set. They begin as the time of day, but are no time of
   * day: they are never held against a time of the server, and never stored.
   */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock for the time of day, to compare with times from outside this process. It may be wrong, and may be set. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  epochMs(): number;
}
