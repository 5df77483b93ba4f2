// What a failure says about another attempt, and the pauses between attempts.

import { ApiError } from "../../domain/errors";
import { ExchangeFailure } from "./exchange";

/** The class of a failure, for the decision to retry. */
export type FailureClass =
  /** The request provably never arrived. */
  | "unsent"
  /** The server asks for fewer requests and did nothing. */
  | "rate"
  /** It may have arrived: no answer, half an answer, or a 5xx. */
  | "unknown"
  /** Sending again would end the same. */
  | "final";

export function failureClassOf(error: unknown): FailureClass {
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
