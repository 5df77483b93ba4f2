import { expect, test } from "vitest";
import { parseRetryAfter } from "../../../provider/api/http/retryAfter";

const now = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["0", 0],
  ["7", 7_000],
  [" 7 ", 7_000],
  ["1.5", 1_500],
  ["119", 119_000],
  ["3600", 120_000],
  ["99999999999999999999", 120_000],
  ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
  ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
  ["Sun, 01 Mar 2026 13:00:00 GMT", 120_000],
  ["Sunday, 01-Mar-26 12:00:05 GMT", 5_000],
])("%s", (text, ms) => {
  expect(parseRetryAfter(text, now)).toBe(ms);
});

test.each([undefined, "", "soon", "-1", "1e3", "7 s", "in 2026", "Mon, nonsense GMT"])("%s is no time", (text) => {
  expect(parseRetryAfter(text, now)).toBeUndefined();
});

test("a date counts from the server's own clock, if it tells", () => {
  const inAMinute = "Sun, 01 Mar 2026 09:01:00 GMT";
  expect(parseRetryAfter(inAMinute, now, "Sun, 01 Mar 2026 09:00:00 GMT")).toBe(60_000);
  expect(parseRetryAfter(inAMinute, now, "gibberish")).toBe(0);
});
