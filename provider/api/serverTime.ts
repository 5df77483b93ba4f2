// The time of day as the server has it: times of creation are the server's, and the clock of this machine may be wrong, or
// be set during a run. How long the server asks clients to wait is told by it, or in seconds.

import type { Clock, WallClock } from "../domain/values/clock";

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

/** The longest pause of a `Retry-After`. */
const LONGEST_MS = 120_000;
/** More than that is a moment. */
const MOST_MS = 1e12;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * `Retry-After` in seconds or as a date, as milliseconds, at most two minutes; undefined when the header is missing or invalid.
 * `serverDate` is the answer's own `Date`: measured against it, a local clock that is wrong does no harm. `nowMs` is the time of day.
 */
export function parseRetryAfter(text = "", nowMs: number, serverDate = ""): number | undefined {
  const [seconds] = /^\d+(?:\.\d+)?$/.exec(text.trim()) ?? [];
  const since = parseHttpDate(serverDate) ?? nowMs;
  const givenMs = seconds === undefined ? (parseHttpDate(text) ?? Number.NaN) : Number(seconds) * 1_000;
  // API: some send the moment, as seconds since 1970.
  const ms = seconds === undefined || givenMs > MOST_MS ? givenMs - since : givenMs;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}

/** Milliseconds since the epoch; undefined for what is no date of HTTP. */
function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim();
  if (!HTTP_DATE.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : ms;
}
