// Checks queries of logs, for the function and the command.

import { InputError } from "./errors";
import type { ServiceLogsArgs } from "./lookups";
import { moment } from "./sharedFields";
import { parseDuration } from "./values/duration";
import { show } from "./values/value";

/** PostgreSQL's message severities. */
const SEVERITIES: readonly string[] = [
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

/** Throws an InputError, or returns the bounds and the severities in the API's form. */
export function checkLogQuery(
  { since, until, severities, limit }: Omit<ServiceLogsArgs, "serviceId">,
  nowMs: number,
): Pick<ServiceLogsArgs, "since" | "until" | "severities"> {
  const bounds = { since: timeOf("since", since, nowMs), until: timeOf("until", until, nowMs) };
  if (Date.parse(bounds.since ?? "") >= Date.parse(bounds.until ?? "")) {
    throw notAllowed("since", bounds.since, `before until, which is ${bounds.until}`);
  }
  const unknown = severities?.find((word) => !SEVERITIES.includes(word.toUpperCase()));
  if (unknown !== undefined) throw notAllowed("severities", show(unknown), SEVERITIES.join(", "));
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw notAllowed("limit", limit, "a whole number, at least 1");
  }
  return { ...bounds, severities: severities?.map((word) => word.toUpperCase()) };
}

function timeOf(key: string, text: string | undefined, nowMs: number): string | undefined {
  const time = text === undefined ? undefined : new Date(nowMs - (parseDuration(text) ?? Number.NaN));
  if (time !== undefined && !Number.isNaN(time.getTime())) return time.toISOString();
  if (text === undefined || moment.safeParse(text).success) return text;
  const allowed = 'an RFC 3339 time like 2026-01-31T12:00:00Z, or how long ago, like "15m" or "2h"';
  throw notAllowed(key, show(text), allowed);
}

function notAllowed(key: string, given: string | number | undefined, allowed: string): InputError {
  return new InputError("invalid-input", key, `serviceLogs: ${key}: given ${given}; allowed: ${allowed}`);
}
