// The time of day as the server has it, whatever the clock of this machine says.

import { beforeEach, describe, expect, test } from "vitest";
import { createServerTime, type ServerTime } from "../../provider/api/serverTime";
import { inProject, openClient } from "../support/client";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const DATE = "Sun, 01 Mar 2026 12:00:00 GMT";
const HOUR_MS = 3_600_000;

let ranMs: number;
let wallMs: number;
let time: ServerTime;

beforeEach(() => {
  ranMs = 0;
  wallMs = NOON + 10 * HOUR_MS;
  const clock = { now: () => ranMs, sleep: () => Promise.resolve() };
  time = createServerTime(clock, { epochMs: () => wallMs });
});

const pass = (ms: number): void => void ([ranMs, wallMs] = [ranMs + ms, wallMs + ms]);

describe("after an answer with a date", () => {
  beforeEach(() => time.asked()(DATE));

  test("it is that of the answer, from when it was asked for: a slow one may have been dated at once", () => {
    expect(time.epochMs()).toBe(NOON);
    pass(90_000);
    expect(time.epochMs()).toBe(NOON + 90_000);
    const heard = time.asked();
    pass(60_000);
    heard(DATE);
    expect(time.epochMs()).toBe(NOON + 60_000);
  });

  test("a machine's clock that is set back changes nothing", () => {
    pass(1_000);
    wallMs -= HOUR_MS;
    expect(time.epochMs()).toBe(NOON + 1_000);
  });

  test("a machine's clock that is set ahead counts until the next answer: the machine may have slept as long", () => {
    wallMs += HOUR_MS;
    expect(time.epochMs()).toBe(NOON + HOUR_MS);
    time.asked()("Sun, 01 Mar 2026 12:00:05 GMT");
    expect(time.epochMs()).toBe(NOON + 5_000);
  });

  test.each([undefined, "", "yesterday", "2026-03-01T15:00:00Z"])("a date that is none changes nothing: %s", (date) => {
    time.asked()(date);
    expect(time.epochMs()).toBe(NOON);
  });
});

test.each([
  ["an answer of the API", { json: [] }, true],
  ["a refusal of the API", { status: 404, json: { message: "no service with that id exists" } }, true],
  // Others on the way may have sent these.
  ["a page", { status: 404, text: "<html>" }, false],
  ["a failure", { status: 502, json: { message: "bad gateway" } }, false],
])("a client hears it from %s: $2", async (_what, reply, isHeard) => {
  const { client, clock } = await openClient([{ ...reply, headers: { date: DATE } }]);
  const said = await client.services.list(inProject, { attempts: "once" }).catch(String);
  expect(String(said)).toContain("status" in reply ? String(reply.status) : "");
  expect(client.serverTime()).toBe(isHeard ? NOON : clock.epochMs());
});
