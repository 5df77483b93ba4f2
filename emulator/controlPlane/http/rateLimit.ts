// The rate limit of the whole server: a token bucket on the emulator's clock.

import type { RateLimit } from "../settings/settings";

export type RateLimiter = ReturnType<typeof createRateLimiter>;

export function createRateLimiter(settings: { readonly rateLimit: RateLimit | undefined }) {
  let limit: RateLimit | undefined;
  let tokens = 0;
  let filledAt = 0;
  return {
    /** Takes one token; returns the headers of a 429 if there is none. */
    refuses(now: number): Record<string, string> | undefined {
      if (!settings.rateLimit) return undefined;
      const { perSecond } = settings.rateLimit;
      const burst = settings.rateLimit.burst ?? Math.max(1, perSecond);
      if (limit !== settings.rateLimit) {
        limit = settings.rateLimit;
        tokens = burst;
      } else {
        tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) / 1000) * perSecond);
      }
      filledAt = now;
      const { retryAfterSeconds } = limit;
      if (tokens < 1) return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
      tokens -= 1;
      return undefined;
    },
  };
}
