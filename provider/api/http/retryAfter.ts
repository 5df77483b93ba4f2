// How long a server asks clients to wait: `Retry-After` in seconds or as a date.

const LONGEST_MS = 120_000;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * Milliseconds, at most two minutes; undefined when the header is missing or invalid.
 * `serverDate` is the answer's own `Date`: measured against it, a local clock that is wrong does no harm.
 */
export function parseRetryAfter(text: string | undefined, now: number, serverDate?: string): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (/^\d+(?:\.\d+)?$/.test(trimmed)) return Math.min(LONGEST_MS, Number(trimmed) * 1_000);
  const until = parseDate(trimmed);
  if (until === undefined) return undefined;
  const since = parseDate(serverDate?.trim() ?? "") ?? now;
  return Math.min(LONGEST_MS, Math.max(0, until - since));
}

function parseDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
