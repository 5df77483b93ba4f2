// Parses queries of logs, for the function and the command.

import { moment } from "./sharedFields";
import { parseDuration } from "./values/duration";

export const LOG_TIME_ALLOWED = 'an RFC 3339 time like 2026-01-31T12:00:00Z, or how long ago, like "15m" or "2h"';

/** The time in the API's form; undefined if the text is neither a time nor a duration ago. */
export function logTime(text: string, nowMs: number): string | undefined {
  const agoMs = parseDuration(text);
  if (agoMs !== undefined) {
    const time = new Date(nowMs - agoMs);
    return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
  }
  return moment.safeParse(text).success ? text : undefined;
}

/** Whether the range is empty. */
export function isReversed(since: string | undefined, until: string | undefined): boolean {
  return since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until);
}

/** PostgreSQL's message severities. */
export const SEVERITIES: readonly string[] = [
  "DEBUG",
  ...["1", "2", "3", "4", "5"].map((level) => `DEBUG${level}`),
  "INFO",
  "NOTICE",
  "WARNING",
  "ERROR",
  "LOG",
  "FATAL",
  "PANIC",
];

export function unknownSeverity(words: readonly string[] = []): string | undefined {
  return words.find((word) => !SEVERITIES.includes(word.toUpperCase()));
}
