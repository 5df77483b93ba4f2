// Whether a request may be retried, a table by operation and not by method; the pauses between attempts, and their budget.

import { ApiError } from "../../domain/errors";
import { ExchangeFailure } from "./exchange";
import type { Repeat } from "../operations/operation";

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

/** The classes of failures after which an operation is retried. Printed in the docs. */
export const repeats: Readonly<Record<Repeat, Readonly<Record<FailureClass, boolean>>>> = {
  idempotent: { unsent: true, rate: true, unknown: true, final: false },
  sameValue: { unsent: true, rate: true, unknown: true, final: false },
  readFirst: { unsent: true, rate: true, unknown: false, final: false },
  notIdempotent: { unsent: true, rate: true, unknown: false, final: false },
};

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

/**
 * The retry budget of all calls of a client. It keeps the callers from flooding a server that is down: with an empty
 * budget each caller waits for the longest backoff and then continues, because only a deadline ends a wait. A path that never
 * answers uses only its own share, so that other paths can still be retried at once.
 */
export interface RetryBudget {
  /** True when the budget covers the retry. */
  spend(timeout: boolean, path: string): boolean;
  succeeded(path: string): void;
}

export const BUDGET = { most: 500, each: 100, retry: 5, timeout: 10, success: 1 };

export function createRetryBudget(): RetryBudget {
  let left = BUDGET.most;
  const spent = new Map<string, number>();
  return {
    spend: (timeout, path) => {
      const cost = timeout ? BUDGET.timeout : BUDGET.retry;
      const mine = (spent.get(path) ?? 0) + cost;
      if (left < cost || mine > BUDGET.each) return false;
      spent.set(path, mine);
      left -= cost;
      return true;
    },
    succeeded: (path) => {
      spent.delete(path);
      left = Math.min(BUDGET.most, left + BUDGET.success);
    },
  };
}
