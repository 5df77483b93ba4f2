// Pages of logs that only some servers send, through the real client.

import { afterEach, expect, test } from "vitest";
import { createClient } from "../../provider/client";
import { lookups } from "../../provider/lifecycle/handlers/lookups";
import { environmentSource, readConfig } from "../../provider/domain/config/config";
import type { ServiceLogsArgs } from "../../provider/domain/lookups";
import { createSession } from "../../provider/lifecycle/session/createSession";
import { createTestClock, type TestClock } from "../support/clock";
import { type Reply, startScriptedServer, type ScriptedServer } from "../support/scriptedServer";
import { collect } from "./program";

let server: ScriptedServer;
let clock: TestClock;

afterEach(() => server.close());

async function messagesOf(limit?: number, query: Partial<ServiceLogsArgs> = {}): Promise<string[]> {
  clock = createTestClock(Date.parse("2026-03-01T00:00:00Z"));
  const client = createClient({ baseUrl: server.baseUrl, apiKey: "key", clock, wallClock: clock });
  try {
    const config = readConfig([environmentSource({ DBCLOUD_PROJECT_ID: "p1" })]);
    const session = createSession({ config, client, clock });
    const entries = await collect(lookups(session).serviceLogs({ serviceId: "svc1234567", limit, ...query }));
    return entries.map(({ message }) => message);
  } finally {
    await client.close();
  }
}

function page(message: string, cursor?: object): { json: object } {
  const entries = [{ message, severity: "LOG", timestamp: "2026-01-31T12:00:00Z" }];
  return { json: { logs: [message], entries, ...cursor } };
}

test("strings are accepted as entries", async () => {
  server = await startScriptedServer(
    { json: { logs: ["b", "a"], last_cursor: "x" } },
    { json: { logs: ["0"], entries: null } },
  );
  expect(await messagesOf()).toEqual(["b", "a", "0"]);
});

test("the deprecated cursor is followed, and the current one where both are sent", async () => {
  server = await startScriptedServer(
    page("c", { lastCursor: "first" }),
    page("b", { lastCursor: "wrong", last_cursor: "second" }),
    page("a"),
  );
  expect(await messagesOf()).toEqual(["c", "b", "a"]);
  expect(server.asked.map(({ url }) => new URL(url, server.baseUrl).searchParams.get("cursor"))).toEqual([
    null,
    "first",
    "second",
  ]);
});

test("a page without entries does not end the log while its cursor moves on", async () => {
  server = await startScriptedServer(
    page("b", { last_cursor: "x" }),
    { json: { logs: [], last_cursor: "y" } },
    page("a"),
  );
  expect(await messagesOf()).toEqual(["b", "a"]);
});

test("a cursor that does not move ends the log", async () => {
  server = await startScriptedServer(page("b", { last_cursor: "x" }), page("a", { last_cursor: "x" }));
  expect(await messagesOf()).toEqual(["b", "a"]);
  expect(server.asked).toHaveLength(2);
});

test("a cursor that repeats ends the log", async () => {
  server = await startScriptedServer(
    page("c", { last_cursor: "x" }),
    page("b", { last_cursor: "y" }),
    page("a", { last_cursor: "x" }),
  );
  expect(await messagesOf()).toEqual(["c", "b", "a"]);
});

test("a null cursor ends the log", async () => {
  server = await startScriptedServer(page("a", { last_cursor: null }));
  expect(await messagesOf()).toEqual(["a"]);
});

test.each([0, -1, 1.5, Number.NaN])("limit %d is an error that says what is allowed", async (limit) => {
  server = await startScriptedServer(page("a"));
  await expect(messagesOf(limit)).rejects.toThrow(/limit: given .*allowed: a whole number, at least 1/);
  expect(server.asked).toEqual([]);
});

test("the limit counts entries, and no page beyond it is asked for", async () => {
  server = await startScriptedServer(page("b", { last_cursor: "x" }), page("a", { last_cursor: "y" }));
  expect(await messagesOf(2)).toEqual(["b", "a"]);
  expect(server.asked).toHaveLength(2);
});

/** Ever new cursors, and never an entry. */
function withoutEnd(): Reply {
  let cursor = 0;
  return (response) => void response.end(JSON.stringify({ logs: [], last_cursor: `cursor-${(cursor += 1)}` }));
}

test("pages without entries are requested with growing pauses, up to a limit", async () => {
  server = await startScriptedServer(withoutEnd());
  await expect(messagesOf()).rejects.toThrow(
    /getLogs: the server sent 50 pages in a row without an entry, in 1 m \d+ s/,
  );
  expect(server.asked).toHaveLength(50);
  expect(clock.sleeps.slice(0, 8)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test("the time for pages without entries is limited too", async () => {
  const empty = withoutEnd();
  server = await startScriptedServer((response, request) => {
    // Each answer takes its time.
    void clock.sleep(20_000).then(() => (empty as (...given: unknown[]) => void)(response, request));
  });
  await expect(messagesOf()).rejects.toThrow(/the server sent \d pages in a row without an entry, in 2 m/);
  expect(server.asked.length).toBeLessThan(8);
});

test("a long search continues as long as an entry arrives now and then", async () => {
  const empty = { json: { logs: [], last_cursor: "" } };
  const pages = Array.from({ length: 120 }, (_, index) =>
    index % 30 === 0
      ? page(`found ${index}`, { last_cursor: `c${index}` })
      : { json: { ...empty.json, last_cursor: `c${index}` } },
  );
  server = await startScriptedServer(...pages, page("last"));
  expect(await messagesOf()).toEqual(["found 0", "found 30", "found 60", "found 90", "last"]);
});

test.each([
  [
    { since: "1h", until: "30m" },
    { since: "2026-02-28T23:00:00.000Z", until: "2026-02-28T23:30:00.000Z" },
  ],
  [{ since: "2026-01-01T00:00:00+01:00" }, { since: "2026-01-01T00:00:00+01:00", until: null }],
  [{ severities: ["error", "LOG", "DEBUG3"] }, { since: null, until: null }],
])("%j is asked for as a time of the API", async (query, expected) => {
  server = await startScriptedServer(page("a"));
  await messagesOf(undefined, query);
  const { searchParams } = new URL(server.asked[0]?.url ?? "", server.baseUrl);
  expect({ since: searchParams.get("since"), until: searchParams.get("until") }).toEqual(expected);
});

test.each([
  [{ since: "yesterday" }, /since: given "yesterday"; allowed: an RFC 3339 time .* or how long ago/],
  [{ until: "2026-01-31" }, /until: given "2026-01-31"/],
  [{ since: "999999999999h" }, /since: given/],
  [{ since: "1h", until: "2h" }, /since: given .*; allowed: before until, which is/],
  [{ severities: ["LOG", "ERRROR"] }, /severities: given "ERRROR"; allowed: DEBUG, .*LOG, FATAL, PANIC/],
])("%j is an error that says what is allowed, and asks nobody", async (query, words) => {
  server = await startScriptedServer(page("a"));
  await expect(messagesOf(undefined, query)).rejects.toThrow(words);
  expect(server.asked).toEqual([]);
});
