// The request log: what was asked, what was answered, and whether it took effect. Never holds a token or a password.

import type { OperationName } from "./operations";

export interface RequestRecord {
  /** Sent back as the header `X-Request-Id`. */
  id: string;
  /** Moment of the emulator's clock, epoch milliseconds. */
  at: number;
  /** Undefined where no operation fits method and path. */
  operation: OperationName | undefined;
  method: string;
  /** Path below the base URL, as sent. */
  path: string;
  params: Record<string, string>;
  query: Record<string, string[]>;
  /** The parsed JSON body with passwords as "[redacted]"; the text where it was not JSON; undefined where none came. */
  body: unknown;
  /** The status answered; undefined where the socket was destroyed or no answer was ever given. */
  status: number | undefined;
  /** `pat-0`, `oauth-1` …, "none" without a token, "unknown" with a wrong one. */
  caller: string;
  userAgent: string | undefined;
  /** Kind of the fault that struck this request. */
  fault: string | undefined;
  /** Whether the request changed the world. */
  committed: boolean;
  /** Whether it was refused because another change of the object was still running. */
  refusedAsBusy: boolean;
}

/** More than this and the oldest half is dropped. */
const capacity = 200_000;

export interface RequestLog {
  all(): RequestRecord[];
  add(record: RequestRecord): void;
  clear(): void;
}

export function createRequestLog(): RequestLog {
  let records: RequestRecord[] = [];
  return {
    all: () => records.map((record) => ({ ...record })),
    add(record) {
      if (records.length >= capacity) records = records.slice(capacity / 2);
      records.push(record);
    },
    clear() {
      records = [];
    },
  };
}

/** A copy of a request body without its passwords, at any depth. */
export function redacted(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(redacted);
  if (typeof body !== "object" || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      /password|secret|token/i.test(key) ? "[redacted]" : redacted(value),
    ]),
  );
}
