// The retry budget: repeats cost, successes earn, and an empty budget means longer delays, never a failure.

import { describe, expect, test } from "vitest";
import { ExchangeFailure } from "../../../provider/api/http/exchange";
import { createRetryBudget, retryDelayMs } from "../../../provider/api/http/retry";
import { openClient, ofService } from "../../support/client";
import type { Reply } from "../../support/scriptedServer";
import { wireBareService } from "../fixtures";

const found: Reply = { json: wireBareService };

describe("the budget", () => {
  test("is shared between paths: a path that never answers spends its own part only, until it answers", () => {
    const budget = createRetryBudget();
    const spendAll = (path: string): number => {
      let paid = 0;
      while (budget.spend(false, path)) paid += 1;
      return paid;
    };
    expect([spendAll("/sick"), spendAll("/sick"), spendAll("/well")]).toEqual([20, 0, 20]);
    budget.succeeded("/sick");
    expect(budget.spend(false, "/sick")).toBe(true);
  });

  test("belongs to the client: what its calls earn, they may spend", async () => {
    const { client, server, clock } = await openClient([found], { random: () => 0 });
    for (let cycle = 1; cycle <= 130; cycle += 1) {
      server.replies.splice(0, Infinity, { status: 500 }, found);
      await client.services.get(ofService);
    }
    // Each cycle costs 5 and earns 1, so that 124 of them are paid for.
    expect(clock.sleeps.findIndex((ms) => ms > 0)).toBe(124);
  });

  test("with nothing left, the longest delay instead of a failure", () => {
    const empty = { spend: () => false, succeeded: () => undefined };
    const question = { repeat: "idempotent", attempt: 1, now: 0, random: () => 0, budget: empty, path: "/" } as const;
    const error = new ExchangeFailure("x", { sent: "maybe", passing: true });
    expect(retryDelayMs({ ...question, error, deadlineMs: 60_000 })).toBe(20_000);
    expect(retryDelayMs({ ...question, error, deadlineMs: 19_000 })).toBeUndefined();
  });
});
