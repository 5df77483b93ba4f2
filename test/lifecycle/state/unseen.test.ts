// Until when a new object may be invisible: from one process, by its state, to another on a machine with other clocks.

import { beforeEach, expect, test } from "vitest";
import { storedUnseenUntil, unseenUntil } from "../../../provider/lifecycle/session/confirmation";
import { MINUTE_MS } from "../scene";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 60 * MINUTE_MS;

let ranMs: number;
let serverMs: number;
beforeEach(() => {
  ranMs = 0;
  serverMs = NOON;
});

const pass = (ms: number): void => void ([ranMs, serverMs] = [ranMs + ms, serverMs + ms]);

/** A process whose clock began ahead of the server's time by so much. */
const openProcess = (aheadMs: number) => {
  const process = {
    clock: { now: () => NOON + aheadMs + ranMs, sleep: () => Promise.resolve() },
    client: { serverTime: () => serverMs },
  };
  return {
    store: () => ({ __unseenUntil: storedUnseenUntil(process, process.clock.now() + 2 * MINUTE_MS) }),
    leftBy(state: { __unseenUntil?: number | undefined }) {
      const untilMs = unseenUntil(process, state.__unseenUntil);
      return () => (untilMs?.() ?? Number.NaN) - process.clock.now();
    },
  };
};

test.each([0, -HOUR_MS, HOUR_MS])(
  "another process, whose clock is ahead by %i ms, waits for what is left",
  (aheadMs) => {
    const state = openProcess(10 * HOUR_MS).store();
    expect(state).toEqual({ __unseenUntil: NOON + 2 * MINUTE_MS });
    const left = openProcess(aheadMs).leftBy(state);
    pass(MINUTE_MS);
    expect(left()).toBe(MINUTE_MS);
    pass(MINUTE_MS);
    expect(left()).toBe(0);
  },
);

test("the server's time may become known later, with its first answer", () => {
  const state = openProcess(0).store();
  serverMs += HOUR_MS;
  const left = openProcess(0).leftBy(state);
  serverMs = NOON + MINUTE_MS;
  expect(left()).toBe(MINUTE_MS);
  // An object that was seen has no such time.
  expect(openProcess(0).leftBy({})()).toBeNaN();
});

test("a time of day that was set back makes no wait longer than that for a new object", () => {
  const state = openProcess(0).store();
  serverMs -= 24 * HOUR_MS;
  const left = openProcess(0).leftBy(state);
  expect(left()).toBe(2 * MINUTE_MS);
  pass(2 * MINUTE_MS);
  expect(left()).toBe(0);
});
