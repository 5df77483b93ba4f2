// What a user of the emulator can set. Everything here may be changed while the emulator runs.

import type { Switches } from "./switches";
import type { Timings } from "./timings";

/** A lag: lasts until both the time has passed and so many reads have been answered. */
export interface Lag {
  /** Milliseconds of the emulator's clock. Default 0. */
  ms?: number;
  /** Number of answers, single or list, in which the object is (or should be) shown. Default 0. */
  reads?: number;
}

export interface StaleLag extends Lag {
  /** After the new values were shown once, so many reads show the old ones again. Default 0. */
  comesBack?: number;
}

export interface RateLimit {
  /** Requests per second that are let through; others get 429. */
  perSecond: number;
  /** Requests that may come at once. Default: `perSecond`, at least 1. */
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
