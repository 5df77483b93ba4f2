// The request log: what was asked, what was answered, and whether it took effect. Never holds a token or a password.
// Its size is bounded.

import type { OperationName } from "../actions/index";

export interface RequestRecord {
  /** Returned in the header `X-Request-Id`. */
  id: string;
  /** Time on the emulator's clock, epoch milliseconds. */
  at: number;
  /** Undefined if no operation matches method and path. */
  operation: OperationName | undefined;
  method: string;
  /** Path below the base URL, as sent. */
  path: string;
  params: Record<string, string>;
  readonly query: Record<string, string[]>;
  /**
   * The parsed JSON body with passwords as "[redacted]"; undefined if none was sent. A text in square brackets if it
   * was not JSON, or too long to store.
   */
  readonly body: unknown;
  /** The status of the answer; undefined if the socket was destroyed or no answer was ever sent. */
  status: number | undefined;
  /** Code and message of a refusal; undefined if the request succeeded, or a fault answered it. */
  refusal: string | undefined;
  /** `pat-0`, `oauth-1` …, "none" without a token, "unknown" with a wrong one. */
  caller: string;
  userAgent: string | undefined;
  /** Kind of the fault that was applied to this request. */
  fault: string | undefined;
  /** Whether the request changed the world. */
  committed: boolean;
  /** Whether it was refused because another change of the object was still running. */
  refusedAsBusy: boolean;
}

/** If there are more, the oldest half is dropped. */
const mostRecords = 50_000;

/** Longer bodies are not stored. */
const longestBody = 8 * 1024;

export type RequestLog = ReturnType<typeof createRequestLog>;

type Known = Pick<RequestRecord, "id" | "at" | "method" | "path" | "query" | "body" | "caller" | "userAgent">;

export function createRequestLog() {
  let kept: RequestRecord[] = [];
  return {
    /** Copies, which the caller may change. */
    all: (): RequestRecord[] => structuredClone(kept),
    /** Adds a request that is not answered yet; the record changes with what becomes of it. */
    add(record: RequestRecord): void {
      if (kept.push(record) > mostRecords) kept = kept.slice(mostRecords / 2);
    },
    clear: () => void (kept = []),
  };
}

export function newRecord(known: Known): RequestRecord {
  return {
    ...known,
    operation: undefined,
    params: {},
    status: undefined,
    refusal: undefined,
    fault: undefined,
    committed: false,
    refusedAsBusy: false,
  };
}

/** Every value of every parameter; a map, because `__proto__` is a valid name. */
export function parseQuery(text: string): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const given = values.get(name);
    if (given) given.push(value);
    else values.set(name, [value]);
  }
  return Object.fromEntries(values);
}

/** Text that is not JSON may contain a password too: only its length is stored. Undefined: it was not read. */
export function bodyToKeep(text: string | undefined): unknown {
  if (text === "") return undefined;
  if (text === undefined) return "[not read]";
  if (text.length > longestBody) return `[${text.length} characters, not kept]`;
  try {
    return JSON.parse(text, (key, value: unknown) => (/password|secret|token/i.test(key) ? "[redacted]" : value));
  } catch {
    return `[${text.length} characters that are not JSON, or too deep]`;
  }
}
