// One request and its answer on the wire, independent of the transport, and what a failure says about another attempt.

import { ApiError, TransportError } from "../../domain/errors";

export interface WireRequest {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Whether the whole body of the answer is needed. Otherwise its beginning is enough, and a missing body is no failure. */
  needsBody: boolean;
  /** The largest accepted length of a needed body. Default: that of a whole list. */
  maxBytes?: number | undefined;
  /** Do not use a connection that was idle for long, because the server may be closing it at this moment. */
  freshConnection: boolean;
  /** The attempt is given up after this time, in real time. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export interface WireAnswer {
  status: number;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | undefined>>;
  /** The body, as far as it was received. */
  text: string;
  /** Why the body is not complete; the status counts all the same. */
  incomplete?: ExchangeFailure | undefined;
}

/** Carries requests. Rejects with an ExchangeFailure, or with a ConfigError if the address of the proxy is invalid. */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

/** An exchange that was not completed: what a `Transport` rejects with. The client throws a TransportError in its place. */
export class ExchangeFailure extends Error {
  /** "no" only when the request provably never reached the server. */
  declare readonly sent: "no" | "maybe";
  /** Whether another attempt can succeed. */
  declare readonly passing: boolean;
  /** The time limit ended during the wait for the server. */
  declare readonly timeout?: boolean;
  /** The time limit of the attempt, if it was used up. */
  declare readonly spentMs?: number;
  /** The code of the system or of the HTTP library. */
  declare readonly systemCode?: string | undefined;

  constructor(message: string, facts: FailureFacts) {
    super(message);
    this.name = "ExchangeFailure";
    Object.assign(this, facts);
  }
}

export type FailureFacts = Omit<ExchangeFailure, keyof Error>;

/** The class of a failure, for the decision to retry. */
type FailureClass =
  /** The request provably never arrived. */
  | "unsent"
  /** The server asks for fewer requests and did nothing. */
  | "rate"
  /** It may have arrived: no answer, half an answer, or a 5xx. */
  | "unknown"
  /** Sending again would end the same. */
  | "final";

export function failureClassOf(error: unknown): FailureClass {
  if (error instanceof TransportError) return failureClassOf(error.cause);
  if (error instanceof ExchangeFailure) {
    if (!error.passing) return "final";
    return error.sent === "no" ? "unsent" : "unknown";
  }
  if (!(error instanceof ApiError)) return "final";
  if (error.category === "rate") return "rate";
  return error.category === "server" ? "unknown" : "final";
}

export const BACKOFF = { firstMs: 500, capMs: 20_000 };

/** Full jitter: a random pause from zero to the doubled delay, so that many callers do not retry together. */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(BACKOFF.capMs, BACKOFF.firstMs * 2 ** (attempt - 1));
}
