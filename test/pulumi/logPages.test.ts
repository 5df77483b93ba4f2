// Pages of logs that only some servers send, through the real client.

import { afterEach, expect, test } from "vitest";
import { createClient } from "../../provider/client";
import { lookups } from "../../provider/lifecycle/lookups";
import { startWireServer, type WireServer } from "../api/wireServer";
import { collect } from "./program";

let server: WireServer;

afterEach(() => server.close());

async function messagesOf(limit?: number): Promise<string[]> {
  const client = createClient({ baseUrl: server.baseUrl, apiKey: "key" });
  try {
    const session = { client, projectId: () => Promise.resolve("p1") };
    const entries = await collect(lookups(session).serviceLogs({ serviceId: "svc1234567", limit }));
    return entries.map(({ message }) => message);
  } finally {
    await client.close();
  }
}

function page(message: string, cursor?: object): { json: object } {
  const entries = [{ message, severity: "LOG", timestamp: "2026-01-31T12:00:00Z" }];
  return { json: { logs: [message], entries, ...cursor } };
}

test("plain texts stand in for entries", async () => {
  server = await startWireServer(
    { json: { logs: ["b", "a"], last_cursor: "x" } },
    { json: { logs: ["0"], entries: null } },
  );
  expect(await messagesOf()).toEqual(["b", "a", "0"]);
});

test("the deprecated cursor is followed, and the current one where both are sent", async () => {
  server = await startWireServer(
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
  server = await startWireServer(page("b", { last_cursor: "x" }), { json: { logs: [], last_cursor: "y" } }, page("a"));
  expect(await messagesOf()).toEqual(["b", "a"]);
});

test("a cursor that does not move ends the log", async () => {
  server = await startWireServer(page("b", { last_cursor: "x" }), page("a", { last_cursor: "x" }));
  expect(await messagesOf()).toEqual(["b", "a"]);
  expect(server.asked).toHaveLength(2);
});

test("a cursor that goes round in circles ends the log", async () => {
  server = await startWireServer(
    page("c", { last_cursor: "x" }),
    page("b", { last_cursor: "y" }),
    page("a", { last_cursor: "x" }),
  );
  expect(await messagesOf()).toEqual(["c", "b", "a"]);
});

test("a null cursor ends the log", async () => {
  server = await startWireServer(page("a", { last_cursor: null }));
  expect(await messagesOf()).toEqual(["a"]);
});

test.each([0, -1, 1.5, Number.NaN])("limit %d is an error that says what is allowed", async (limit) => {
  server = await startWireServer(page("a"));
  await expect(messagesOf(limit)).rejects.toThrow(/limit: given .*allowed: a whole number, at least 1/);
  expect(server.asked).toEqual([]);
});

test("the limit counts entries, and no page beyond it is asked for", async () => {
  server = await startWireServer(page("b", { last_cursor: "x" }), page("a", { last_cursor: "y" }));
  expect(await messagesOf(2)).toEqual(["b", "a"]);
  expect(server.asked).toHaveLength(2);
});
