// The logs of a service: what a PostgreSQL server writes while it starts, what a test appends, and the pages in which
// clients read them.

import type { LogEntry } from "./entities";
import { hashOf } from "./random";

/** API: at most this many entries in one answer. */
const pageSize = 500;

interface LogFilter {
  before: LogPosition | undefined;
  node: number | undefined;
  /** All of these terms must occur; case is ignored. */
  search: readonly string[];
  /** Any of these severities; case is ignored. */
  severities: readonly string[];
  sinceMs: number | undefined;
  untilMs: number | undefined;
}

export interface LogPosition {
  at: number;
  sequence: number;
}

const startUpLines: readonly (readonly [severity: string, text: string])[] = [
  ["LOG", "starting PostgreSQL 17.6 on x86_64-pc-linux-gnu, 64-bit"],
  ["LOG", 'listening on IPv4 address "0.0.0.0", port 5432'],
  ["LOG", 'listening on Unix socket "/var/run/postgresql/.s.PGSQL.5432"'],
  ["LOG", "database system was shut down in recovery"],
  ["WARNING", "autovacuum not started because of misconfiguration"],
  ["LOG", "database system is ready to accept connections"],
];

export function startupLogs(serviceId: string, at: number): LogEntry[] {
  return startUpLines.map(([severity, text], sequence) => ({
    at,
    sequence,
    node: 0,
    severity,
    message: `[${20 + hashOf(serviceId, 900)}] ${severity}: ${text}`,
  }));
}

export interface LogLine {
  message: string;
  /** Default "LOG". */
  severity?: string;
  /** Epoch milliseconds. Default: the emulator's now. */
  at?: number;
  /** Default 0. */
  node?: number;
}

/** The log entries stored for each service; when it is full, the oldest tenth is dropped. */
const mostLogs = 10_000;

export function appendLogs(logs: LogEntry[], lines: readonly LogLine[], now: number): void {
  let sequence = logs.reduce((most, entry) => Math.max(most, entry.sequence), -1);
  for (const { message, severity = "LOG", at = now, node = 0 } of lines) {
    sequence += 1;
    logs.push({ at, sequence, node, severity, message });
  }
  logs.sort(compare);
  if (logs.length > mostLogs) logs.splice(0, mostLogs / 10);
}

/** One page, newest first, and whether older entries follow it. */
export function logPage(logs: readonly LogEntry[], filter: LogFilter): { shown: LogEntry[]; hasMore: boolean } {
  const { before } = filter;
  const found: LogEntry[] = [];
  for (let index = logs.length - 1; index >= 0 && found.length <= pageSize; index -= 1) {
    const entry = logs[index];
    if (entry && (!before || compare(entry, before) < 0) && isWanted(entry, filter)) found.push(entry);
  }
  return { shown: found.slice(0, pageSize), hasMore: found.length > pageSize };
}

function isWanted(entry: LogEntry, filter: LogFilter): boolean {
  if (filter.node !== undefined && entry.node !== filter.node) return false;
  if (filter.sinceMs !== undefined && entry.at <= filter.sinceMs) return false;
  if (filter.untilMs !== undefined && entry.at >= filter.untilMs) return false;
  const severity = entry.severity.toUpperCase();
  if (filter.severities.length > 0 && !filter.severities.some((word) => word.toUpperCase() === severity)) return false;
  const text = entry.message.toLowerCase();
  return filter.search.every((term) => text.includes(term.toLowerCase()));
}

const compare = (one: LogPosition, other: LogPosition): number => one.at - other.at || one.sequence - other.sequence;
