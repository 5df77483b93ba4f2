// The time of day as the server has it: times of creation are the server's, and the clock of this machine may be wrong, or
// be set during a run.

import type { Clock, WallClock } from "../domain/values/clock";
import { parseHttpDate } from "./http/retryAfter";

export interface ServerTime extends WallClock {
  /** A request is sent now. The returned function is given the `Date` of an answer that is the API's own. */
  asked(): (date: string | undefined) => void;
}

/** Carries the last `Date` on by the clock. Before the first one, it is the time of day of this machine. */
export function createServerTime(clock: Clock, wallClock: WallClock): ServerTime {
  let last: { dateMs: number; atMs: number; wallMs: number } | undefined;
  return {
    asked() {
      // The answer may have been dated at any moment since. The earliest one makes the time now the latest that it can be.
      const asked = { atMs: clock.now(), wallMs: wallClock.epochMs() };
      return (date) => {
        const dateMs = parseHttpDate(date ?? "");
        if (dateMs !== undefined) last = { dateMs, ...asked };
      };
    },
    epochMs() {
      const wallMs = wallClock.epochMs();
      if (last === undefined) return wallMs;
      // The clock may stand still while the machine sleeps. The later time excludes more of what was there before.
      return last.dateMs + Math.max(clock.now() - last.atMs, wallMs - last.wallMs);
    },
  };
}
