// Pages of logs that only some servers send, through the real client.

import { afterEach, expect, test } from "vitest";
import { createClient } from "../../provider/client";
import { lookups } from "../../provider/core/lookups";
import { environmentSource, readSettings } from "../../provider/domain/config/config";
import type { ServiceLogsArgs } from "../../provider/domain/lookups";
import { createSession } from "../../provider/core/createSession";
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
    const config = readSettings([environmentSource({ DBCLOUD_PROJECT_ID: "p1" })]).config;
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

const after = (last_cursor: unknown) => ({ last_cursor });

test.each<[string, Reply[], string[], number]>([
  [
    "strings as entries",
    [{ json: { logs: ["b", "a"], ...after("x") } }, { json: { logs: ["0"], entries: null } }],
    ["b", "a", "0"],
    2,
  ],
  [
    "a page without entries whose cursor moves on",
    [page("b", after("x")), { json: { logs: [], ...after("y") } }, page("a")],
    ["b", "a"],
    3,
  ],
  ["a cursor that does not move", [page("b", after("x")), page("a", after("x"))], ["b", "a"], 2],
  ["a cursor that repeats", [page("c", after("x")), page("b", after("y")), page("a", after("x"))], ["c", "b", "a"], 3],
  ["a null cursor", [page("a", after(null))], ["a"], 1],
])("a log with %s is read to its end", async (_name, replies, messages, requests) => {
  server = await startScriptedServer(...replies);
  expect(await messagesOf()).toEqual(messages);
  expect(server.asked).toHaveLength(requests);
});

test("the deprecated cursor is followed, and the current one where both are sent", async () => {
  server = await startScriptedServer(
    page("c", { lastCursor: "first" }),
    page("b", { lastCursor: "wrong", last_cursor: "second" }),
    page("a"),
  );
  expect(await messagesOf()).toEqual(["c", "b", "a"]);
  const cursors = server.asked.map(({ url }) => new URL(url, server.baseUrl).searchParams.get("cursor"));
  expect(cursors).toEqual([null, "first", "second"]);
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
  await expect(messagesOf()).rejects.toThrow(/getLogs: .* \d+ pages .* in 2 m,/);
  expect(server.asked.length).toBeLessThan(70);
  expect(clock.sleeps.slice(0, 8)).toEqual([50, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test("the time for pages without entries is limited too", async () => {
  const empty = withoutEnd();
  server = await startScriptedServer((response, request) => {
    // Each answer takes its time.
    void clock.sleep(20_000).then(() => (empty as (...given: unknown[]) => void)(response, request));
  });
  await expect(messagesOf()).rejects.toThrow(/getLogs: .* \d pages .* 2 m/);
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
  [{ severities: ["error", "LOG", "debug3"] }, { since: null, until: null, severities: ["ERROR", "LOG", "DEBUG3"] }],
])("%j is asked for in the form of the API", async (query, expected) => {
  server = await startScriptedServer(page("a"));
  await messagesOf(undefined, query);
  const { searchParams } = new URL(server.asked[0]?.url ?? "", server.baseUrl);
  const [since, until] = [searchParams.get("since"), searchParams.get("until")];
  const severities = searchParams.getAll("severities");
  expect({ since, until, severities }).toEqual({ severities: [], ...expected });
});

test.each<[string, Partial<ServiceLogsArgs>, RegExp]>([
  ["a limit of 0", { limit: 0 }, /limit: given .*a whole number, at least 1/],
  ["half a limit", { limit: 1.5 }, /limit: given/],
  ["a word as a time", { since: "yesterday" }, /since: given "yesterday"; allowed: /],
  ["a time without seconds", { since: "2026-01-31T12:00Z" }, /serviceLogs: since: given "2026-01-31T12:00Z"/],
  ["a date as a time", { until: "2026-01-31" }, /until: given "2026-01-31"/],
  ["a time too long ago", { since: "999999999999h" }, /since: given/],
  ["an end before the beginning", { since: "1h", until: "2h" }, /since: given .*; allowed: before until/],
  ["an unknown severity", { severities: ["LOG", "ERRROR"] }, /severities: given "ERRROR"; allowed: DEBUG/],
])("%s is an error that says what is allowed, and asks nobody", async (_name, query, words) => {
  server = await startScriptedServer(page("a"));
  await expect(messagesOf(undefined, query)).rejects.toThrow(words);
  expect(server.asked).toEqual([]);
});
