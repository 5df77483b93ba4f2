// Logs: pages of at most 500, newest first, and every filter.

import { expect, test } from "vitest";
import type { LogLine } from "../../../emulator/index";
import { openWithService } from "../support/emulator";
import type { EmulatorOptions } from "../../../emulator/index";

interface Page {
  logs: string[];
  entries?: { message: string; severity: string; timestamp: string }[];
  last_cursor?: string | null;
  lastCursor?: string | null;
}

async function openWithLogs(lines: (start: number) => LogLine[], options: EmulatorOptions = {}) {
  const world = await openWithService(options);
  const start = world.clock.now() + 1_000;
  world.emulator.mutate.logs(world.id, lines(start));
  const page = async (query = ""): Promise<Page> => {
    const answer = await world.call("GET", `${world.path}/logs${query}`);
    expect(answer.status).toBe(200);
    return answer.json as Page;
  };
  return { ...world, start, page };
}

const numbered =
  (count: number) =>
  (start: number): LogLine[] =>
    Array.from({ length: count }, (_, index) => ({ message: `entry ${index}`, at: start + Math.floor(index / 3) }));

test("1,700 entries in pages of 500, each once and newest first, many of one moment", async () => {
  const { page } = await openWithLogs(numbered(1_700));
  const seen: string[] = [];
  const sizes: number[] = [];
  let cursor: string | null | undefined;
  do {
    const found = await page(cursor ? `?cursor=${encodeURIComponent(cursor)}&search=entry` : "?search=entry");
    seen.push(...found.logs);
    sizes.push(found.logs.length);
    cursor = found.last_cursor;
  } while (cursor);
  expect(sizes).toEqual([500, 500, 500, 200]);
  expect(seen).toEqual(Array.from({ length: 1_700 }, (_, index) => `entry ${1_699 - index}`));
});

test("both spellings of the cursor are the same; new entries do not shift older pages", async () => {
  const { page, emulator, id, start } = await openWithLogs(numbered(501));
  const first = await page("?search=entry");
  expect(first.last_cursor).toBe(first.lastCursor);
  emulator.mutate.logs(id, [{ message: "entry that came late", at: start + 60_000 }]);
  const second = await page(`?search=entry&cursor=${first.last_cursor}`);
  expect(second.logs).toEqual(["entry 0"]);
});

test("entries and plain logs hold the same messages", async () => {
  const { page, start } = await openWithLogs((at) => [{ message: "out of memory", severity: "FATAL", at }]);
  const found = await page();
  expect(found.entries?.[0]).toEqual({
    message: "out of memory",
    severity: "FATAL",
    timestamp: new Date(start).toISOString(),
  });
  expect(found.entries?.map((entry) => entry.message)).toEqual(found.logs);
  expect(found.logs.length).toBeGreaterThan(5);
});

const mixed = (start: number): LogLine[] => [
  { message: "slow query on orders", severity: "LOG", at: start },
  { message: "Slow query on invoices", severity: "WARNING", at: start + 1_000 },
  { message: "deadlock on orders", severity: "ERROR", at: start + 2_000, node: 1 },
  { message: "deadlock on invoices", severity: "ERROR", at: start + 3_000 },
];

test.each([
  ["?search=slow", ["Slow query on invoices", "slow query on orders"]],
  ["?search=slow&search=orders", ["slow query on orders"]],
  ["?severities=ERROR", ["deadlock on invoices", "deadlock on orders"]],
  ["?severities=warning&severities=error&search=invoices", ["deadlock on invoices", "Slow query on invoices"]],
  ["?node=1", ["deadlock on orders"]],
  ["?node=7", []],
  ["?since=2026-03-01T12:00:02Z", ["deadlock on invoices", "deadlock on orders"]],
  ["?since=2026-03-01T12:00:01Z&until=2026-03-01T12:00:03Z", ["Slow query on invoices"]],
  ["?since=2026-03-01T13:00:02%2B01:00", ["deadlock on invoices", "deadlock on orders"]],
])("a log with the filter %s has only what fits", async (query, expected) => {
  const { page } = await openWithLogs(mixed);
  expect((await page(query)).logs).toEqual(expected);
});

test("older servers send a null cursor at the end", async () => {
  const { page } = await openWithLogs(numbered(501), { switches: { nullFields: true } });
  const first = await page("?search=entry");
  const last = await page(`?search=entry&cursor=${first.lastCursor}`);
  expect(last.lastCursor).toBeNull();
});
