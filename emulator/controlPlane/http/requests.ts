// The request log: what was asked, what was answered, and whether it took effect. Never holds a token or a password.
// Its size in bytes is bounded: queries and bodies are stored as text and parsed when somebody reads them.

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

/** If the estimated size exceeds this, the oldest half is dropped. */
const capacityBytes = 48 * 1024 * 1024;

/** The size of a record besides its texts. */
const recordBytes = 1024;

/** Longer bodies are not stored. */
const longestBody = 8 * 1024;

/** Longer names of programs are not stored. */
const longestUserAgent = 256;

/** Members below this depth are not stored. */
const deepestBody = 8;

export interface RequestLog {
  all(): RequestRecord[];
  add(entry: RequestEntry): void;
  clear(): void;
}

/** The text as it was sent. */
export interface RequestTexts {
  readonly query: string;
  /** Undefined if it was not read. */
  readonly body: string | undefined;
}

export function createRequestLog(): RequestLog {
  let kept: RequestEntry[] = [];
  let total = 0;
  const drop = (count: number): void => {
    for (const { bytes } of kept.slice(0, count)) total -= bytes;
    kept = kept.slice(count);
  };
  return {
    all: () => kept.map((entry) => entry.copy()),
    add(entry) {
      kept.push(entry);
      total += entry.bytes;
      if (total > capacityBytes) drop(Math.ceil(kept.length / 2));
    },
    clear: () => drop(kept.length),
  };
}

type Known = Pick<RequestRecord, "id" | "at" | "method" | "path" | "caller" | "userAgent">;

/** A record as it is stored. */
export class RequestEntry implements RequestRecord {
  readonly id: string;
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly caller: string;
  readonly userAgent: string | undefined;
  operation: OperationName | undefined = undefined;
  params: Record<string, string> = {};
  status: number | undefined = undefined;
  refusal: string | undefined = undefined;
  fault: string | undefined = undefined;
  committed = false;
  refusedAsBusy = false;
  readonly #query: string;
  readonly #body: string;

  constructor({ id, at, method, path, caller, userAgent }: Known, texts: RequestTexts) {
    this.id = id;
    this.at = at;
    this.method = method;
    this.path = path;
    this.caller = caller;
    const isLong = userAgent !== undefined && userAgent.length > longestUserAgent;
    this.userAgent = isLong ? `[${userAgent.length} characters, not kept]` : userAgent;
    this.#query = texts.query;
    this.#body = bodyToKeep(texts.body);
  }

  get query(): Record<string, string[]> {
    return parseQuery(this.#query);
  }

  get body(): unknown {
    if (this.#body === "") return undefined;
    const parsed: unknown = JSON.parse(this.#body);
    return parsed;
  }

  /** The estimated memory of a record. */
  get bytes(): number {
    return recordBytes + 2 * (this.path.length + this.#query.length + this.#body.length);
  }

  toJSON(): RequestRecord {
    return this.copy();
  }

  /** A copy with plain properties, which the caller may compare and change. */
  copy(): RequestRecord {
    const { id, at, operation, method, path, params, query, body, status } = this;
    const { refusal, caller, userAgent, fault, committed, refusedAsBusy } = this;
    const request = { id, at, operation, method, path, params, query, body, caller, userAgent };
    return { ...request, status, refusal, fault, committed, refusedAsBusy };
  }
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

/** As JSON. Text that is not JSON may still contain a password: only its length is stored. */
function bodyToKeep(text: string | undefined): string {
  if (text === "") return "";
  if (text === undefined) return '"[not read]"';
  if (text.length > longestBody) return `"[${text.length} characters, not kept]"`;
  try {
    return JSON.stringify(redacted(JSON.parse(text), deepestBody));
  } catch {
    return `"[${text.length} characters that are not JSON]"`;
  }
}

/** A copy of a request body without its passwords. */
function redacted(body: unknown, depth: number): unknown {
  if (typeof body !== "object" || body === null) return body;
  if (depth === 0) return "[deeper than is kept]";
  if (Array.isArray(body)) return body.map((item) => redacted(item, depth - 1));
  return Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      /password|secret|token/i.test(key) ? "[redacted]" : redacted(value, depth - 1),
    ]),
  );
}
