// The time of day as the server has it, whatever the clock of this machine says.

import { beforeEach, describe, expect, test } from "vitest";
import { createServerTime, type ServerTime } from "../../provider/api/serverTime";
import { inProject, openClient } from "../support/client";

const NOON = Date.parse("2026-03-01T12:00:00Z");
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
  beforeEach(() => time.asked()("Sun, 01 Mar 2026 12:00:00 GMT"));

  test("it is that of the answer, from when it was asked for: a slow one may have been dated at once", () => {
    expect(time.epochMs()).toBe(NOON);
    pass(90_000);
    expect(time.epochMs()).toBe(NOON + 90_000);
    const heard = time.asked();
    pass(60_000);
    heard("Sun, 01 Mar 2026 12:00:00 GMT");
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

  test.each([undefined, "", "yesterday", "2026-03-01T15:00:00Z"])(
    "a date that is none (%s) changes nothing",
    (date) => {
      time.asked()(date);
      expect(time.epochMs()).toBe(NOON);
    },
  );
});

describe("a client", () => {
  const dated = (date: string) => ({ date: `Sun, 01 Mar 2026 ${date} GMT` });

  test.each([
    ["an answer", { json: [] }],
    ["a refusal", { status: 404, json: { message: "no service with that id exists" } }],
  ])("hears it from %s of the API", async (_what, reply) => {
    const { client } = await openClient([{ ...reply, headers: dated("12:00:00") }]);
    await client.services.list(inProject).catch(() => undefined);
    expect(client.serverTime()).toBe(NOON);
  });

  test.each([
    ["a page", { status: 404, text: "<html>" }],
    ["a failure", { status: 502, json: { message: "bad gateway" } }],
  ])("and not from %s, which others on the way may have sent", async (_what, reply) => {
    const { client, clock } = await openClient([{ ...reply, headers: dated("12:00:00") }]);
    await expect(client.services.list(inProject, { attempts: "once" })).rejects.toThrow(String(reply.status));
    expect(client.serverTime()).toBe(clock.epochMs());
  });
});
