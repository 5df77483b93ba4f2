// The settings of the emulator. All of them may be changed while it runs.

import type { Switches } from "./switches";
import type { Timings } from "./timings";

/** A lag: lasts until the time has passed and this many reads have been answered. */
export interface Lag {
  /** Milliseconds of the emulator's clock. Default 0. */
  ms?: number;
  /** Number of answers, single or list, in which the object is (or should be) shown. Default 0. */
  reads?: number;
}

export interface StaleLag extends Lag {
  /** After the new values were shown once, this many reads show the old ones again. Default 0. */
  comesBack?: number;
}

export interface RateLimit {
  /** Requests per second that are accepted; others get 429. */
  perSecond: number;
  /** Requests that may arrive at once. Default: `perSecond`, at least 1. */
  burst?: number;
  /** The `Retry-After` header: seconds, or "date" for an HTTP date. Default: absent. */
  retryAfterSeconds?: number | "date";
}

export interface Settings {
  timings: Timings;
  stale: StaleLag;
  listLag: Lag;
  notFoundAfterCreate: Lag;
  rateLimit: RateLimit | undefined;
  switches: Switches;
}
