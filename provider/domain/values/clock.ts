// Time as the provider sees it. Everything that asks for the hour or waits goes through a Clock, so that tests own time.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. Leaves no timer behind. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
