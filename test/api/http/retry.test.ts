// What is sent again, after how long, and when it is enough: the real client against a real server, on a clock that
// jumps.

import { expect, test } from "vitest";
import { backoffMs } from "../../../provider/api/http/exchange";
import { parseRetryAfter } from "../../../provider/api/serverTime";
import { ApiError, type Client, TransportError } from "../../../provider/client";
import { wireBareService } from "../fixtures";
import type { Reply } from "../../support/scriptedServer";
import { openClient, failureOf, inProject, ofService } from "../../support/client";
import { textLike, textWith } from "../../support/matchers";

const hangUp: Reply = (response) => void response.destroy();
const cutShort: Reply = (response) => {
  response.writeHead(200, { "content-length": "1000" });
  response.write('{"service_id":', () => response.destroy());
};
const found: Reply = { json: wireBareService };

const get = (client: Client): Promise<unknown> => client.services.get(ofService);
const setPassword = (client: Client): Promise<unknown> =>
  client.services.updatePassword({ ...ofService, password: "n3w-passw0rd" });
const stop = (client: Client): Promise<unknown> => client.services.stop(ofService);
const create = (client: Client): Promise<unknown> => client.services.create({ ...inProject, name: "orders" });

const unknown: [string, Reply][] = [
  ["a 500", { status: 500 }],
  ["a 502 of HTML", { status: 502, text: "<html>" }],
  ["a 503", { status: 503 }],
  ["a 408", { status: 408 }],
  ["a connection that ends", hangUp],
  ["half an answer", cutShort],
  ["half of a text", { text: '{"service_id":"svc1' }],
];

test.each(unknown)("after %s a read is repeated", async (_, reply) => {
  const { client, server, clock } = await openClient([reply, reply, found]);
  expect(await get(client)).toMatchObject({ serviceId: "svc1234567" });
  expect(server.asked).toHaveLength(3);
  expect(clock.sleeps).toEqual([500, 1_000]);
});

test.each([
  ...unknown.map((each) => [...each, "a create", create] as const),
  ...unknown
    .slice(0, 5)
    .flatMap((each) => [
      [...each, "setting the same value", setPassword] as const,
      [...each, "what needs a read first", stop] as const,
    ]),
])("after $0, $2 is not repeated", async (_, reply, _what, call) => {
  const { client, server, clock } = await openClient([reply, found]);
  expect(await failureOf(call(client))).toSatisfy(isUnclear);
  expect([server.asked.length, clock.sleeps]).toEqual([1, []]);
});

function isUnclear(error: unknown): boolean {
  if (error instanceof TransportError) return error.sent === "maybe";
  return error instanceof ApiError && error.category === "server";
}

test.each([
  ["the same value", setPassword],
  ["a change", stop],
  ["a create", create],
])("%s that did nothing is not repeated", async (_, call) => {
  const { client, server } = await openClient([{ status: 429 }, found]);
  expect(await failureOf(call(client))).toMatchObject({ status: 429 });
  expect(server.asked).toHaveLength(1);
  await server.close();
  expect(await failureOf(call(client))).toMatchObject({ code: "TRANSPORT", sent: "no" });
});

test("a read that finds nobody is repeated, and given up within eight seconds", async () => {
  const { server, client, clock } = await openClient([found], { random: () => 0.99 });
  await server.close();
  const start = clock.now();
  const error = await failureOf(get(client));
  const message = textLike(/refused \(ECONNREFUSED\) \(attempt 5\)\.$/);
  expect(error).toMatchObject({ code: "TRANSPORT", sent: "no", message, hint: textWith("DBCLOUD_BASE_URL") });
  expect(clock.now() - start).toBeLessThanOrEqual(8_000);
  expect(clock.sleeps).toHaveLength(4);
});

test("a server that was there before is waited for longer", async () => {
  const { server, client, clock } = await openClient([{ json: [] }]);
  await client.projects.list();
  await server.close();
  const start = clock.now();
  await failureOf(client.projects.list());
  expect(clock.now() - start).toBeGreaterThan(90_000);
  expect(clock.now() - start).toBeLessThanOrEqual(120_000);
});

test.each([400, 401, 402, 403, 404, 405, 409, 410, 422, 423, 501])("a %d is final at once", async (status) => {
  const { client, server, clock } = await openClient([{ status }]);
  for (const call of [get, setPassword, stop, create]) {
    expect(await failureOf(call(client))).toBeInstanceOf(ApiError);
  }
  expect([server.asked.length, clock.sleeps]).toEqual([4, []]);
});

test("pauses double from half a second to twenty, with full jitter", () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 20].map((attempt) => backoffMs(attempt, () => 1));
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
  expect(backoffMs(5, () => 0)).toBe(0);
  expect(backoffMs(5, () => 0.25)).toBe(2_000);
});

test.each([429, 503])("a pause is as long as the server asks with a %d, if that is longer", async (status) => {
  const { client, clock } = await openClient([
    { status, headers: { "retry-after": "9" } },
    { status, headers: { "retry-after": "0" } },
    { status, headers: { "retry-after": "Sun, 01 Mar 2026 00:00:40 GMT", date: "Sun, 01 Mar 2026 00:00:00 GMT" } },
    { status, headers: { "retry-after": "86400" } },
    found,
  ]);
  await client.services.get(ofService, { deadlineMs: clock.now() + 600_000 });
  expect(clock.sleeps).toEqual([9_000, 1_000, 40_000, 120_000]);
});

test("a pause is not as long as a 500 asks", async () => {
  const { client, clock } = await openClient([{ status: 500, headers: { "retry-after": "60" } }, found]);
  await get(client);
  expect(clock.sleeps).toEqual([500]);
});

test("retries end two minutes after the first failure", async () => {
  const { client, clock } = await openClient([{ status: 500 }]);
  const start = clock.now();
  expect(await failureOf(get(client))).toMatchObject({ status: 500 });
  expect(clock.now() - start).toBe(111_500);
});

test("retries end at the caller's deadline: no wait that would pass it, and the last error tells", async () => {
  const { client, clock, server } = await openClient([{ status: 503 }, { status: 502 }, { status: 500 }]);
  const start = clock.now();
  const error = await failureOf(client.services.get(ofService, { deadlineMs: start + 1_600 }));
  expect(error).toMatchObject({ status: 500 });
  expect([clock.now() - start, server.asked.length]).toEqual([1_500, 3]);
});

test("a wait that the server asks for and that is too long is not begun", async () => {
  const { client, clock } = await openClient([{ status: 429, headers: { "retry-after": "60" } }]);
  const error = await failureOf(client.services.get(ofService, { deadlineMs: clock.now() + 59_000 }));
  expect(error).toMatchObject({ status: 429, retryAfterMs: 60_000 });
  expect(clock.sleeps).toEqual([]);
});

test("the caller is told once of waits that are worth it", async () => {
  const lines: string[] = [];
  const report = (line: string): void => void lines.push(line);
  const { client } = await openClient([
    { status: 502 },
    found,
    ...Array.from({ length: 6 }, () => ({ status: 502 })),
    found,
  ]);
  await client.services.get(ofService, { report });
  expect(lines).toEqual([]);
  await client.services.get(ofService, { report });
  expect(lines).toEqual([textLike(/^getService \(services\/svc1234567\): 502; waiting 4 s/)]);
});

const now = Date.parse("2026-03-01T12:00:00Z");

test.each([
  ["0", 0],
  ["7", 7_000],
  [" 7 ", 7_000],
  ["1.5", 1_500],
  ["119", 119_000],
  ["3600", 120_000],
  ["1000000000", 120_000],
  ["99999999999999999999", 120_000],
  ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
  ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
  ["Sun, 01 Mar 2026 13:00:00 GMT", 120_000],
  ["Sunday, 01-Mar-26 12:00:05 GMT", 5_000],
])("a Retry-After of %j is %i ms", (text, ms) => {
  expect(parseRetryAfter(text, now)).toBe(ms);
});

test.each([undefined, "", "soon", "-1", "1e3", "7 s", "in 2026", "Mon, nonsense GMT"])(
  "a Retry-After of %j is no time",
  (text) => {
    expect(parseRetryAfter(text, now)).toBeUndefined();
  },
);

test("a Retry-After that is a date counts from the server's own clock, if it tells", () => {
  const inAMinute = "Sun, 01 Mar 2026 09:01:00 GMT";
  expect(parseRetryAfter(inAMinute, now, "Sun, 01 Mar 2026 09:00:00 GMT")).toBe(60_000);
  expect(parseRetryAfter(inAMinute, now, "gibberish")).toBe(0);
});
