// How long a server asks clients to wait: `Retry-After` in seconds or as a date. API: some send the moment in seconds since 1970.

const LONGEST_MS = 120_000;
/** More seconds are a moment. */
const MOST_SECONDS = 1e9;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * Milliseconds, at most two minutes; undefined when the header is missing or invalid.
 * `serverDate` is the answer's own `Date`: measured against it, a local clock that is wrong does no harm. `nowMs` is the time of day.
 */
export function parseRetryAfter(text: string | undefined, nowMs: number, serverDate?: string): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const ms = /^\d+(?:\.\d+)?$/.test(trimmed) ? Number(trimmed) * 1_000 : undefined;
  if (ms !== undefined && ms <= MOST_SECONDS * 1_000) return Math.min(LONGEST_MS, ms);
  const until = ms ?? parseHttpDate(trimmed);
  if (until === undefined) return undefined;
  const since = parseHttpDate(serverDate ?? "") ?? nowMs;
  return Math.min(LONGEST_MS, Math.max(0, until - since));
}

/** Milliseconds since the epoch; undefined for what is no date of HTTP. */
export function parseHttpDate(text: string): number | undefined {
  const trimmed = text.trim();
  if (!HTTP_DATE.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : ms;
}
