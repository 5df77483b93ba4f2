// What the reads of a collection have shown says which objects a list lacks that are there.

import { beforeEach, expect, test } from "vitest";
import { listed, type Unreadable } from "../../provider/domain/listed";
import { createSnapshots, type Snapshots } from "../../provider/core/sightings";

interface Thing {
  id: string;
}

let nowMs: number;
let seen: Snapshots<Thing>;
beforeEach(() => {
  nowMs = 0;
  const now = (): number => nowMs;
  seen = createSnapshots<Thing>(({ id }) => id, {
    clock: { now, sleep: () => Promise.resolve() },
    wallClock: { epochMs: now },
    longestGapMs: 10_000,
  });
});

function list(ids: readonly string[], unreadable: Unreadable[] = []): void {
  seen.listed(
    seen.begin(),
    listed(
      ids.map((id) => ({ id })),
      unreadable,
    ),
  );
}

const read = (id: string, isThere = true): Promise<unknown> =>
  seen.single(id, () => Promise.resolve(isThere ? { id } : undefined));

const ids = (): string[] => seen.unlisted().map(({ id }) => id);

test("what a list has shown, the next one lacks, and answers by its id since, is unlisted", async () => {
  list(["a", "b"]);
  list(["a"]);
  expect(ids()).toEqual([]);
  expect(seen.unasked([])).toEqual(["b"]);
  await read("b");
  expect(ids()).toEqual(["b"]);
  expect(seen.unasked([])).toEqual([]);
  list(["a", "b"]);
  expect(ids()).toEqual([]);
});

test("what has answered before the last list must be asked for again before it is unlisted", async () => {
  await read("b");
  list(["a"]);
  expect([ids(), seen.unasked([])]).toEqual([[], ["b"]]);
  await read("b");
  expect(ids()).toEqual(["b"]);
});

test("what was shown for the first time after the list is new, and no gap of it", async () => {
  list(["a"]);
  await read("b");
  expect(ids()).toEqual([]);
});

test("what the state has was there before any list", async () => {
  list(["a"]);
  seen.expect(["b"]);
  expect(seen.unasked(["b"])).toEqual(["b"]);
  await read("b");
  expect(ids()).toEqual(["b"]);
});

test("what its own read misses is not asked for again, and not unlisted", async () => {
  list(["a", "b"]);
  list(["a"]);
  await read("b", false);
  expect([ids(), seen.unasked(["b"])]).toEqual([[], []]);
});

test("what cannot be read in a list may be any object, so nothing is unlisted then", async () => {
  list(["a", "b"]);
  list(["a"], [{ problem: "id" }]);
  await read("b");
  expect([ids(), seen.unasked([])]).toEqual([[], []]);
});

test("a list that was repeated for minutes proves an absence only from its answer on", () => {
  const beginning = seen.begin();
  nowMs = 150_000;
  seen.listed(beginning, listed([{ id: "a" }]));
  nowMs = 154_000;
  list(["a"]);
  expect(seen.absentSinceMs("b")).toBe(150_000);
});

test("what a list holds, and nobody can read, is missing from none", () => {
  list(["a"]);
  list(["a"], [{ id: "b", problem: "status" }]);
  expect(seen.absentSinceMs("b")).toBeUndefined();
});

test("what has changed since the last list is missing from the next one on", () => {
  list(["a"]);
  seen.changed("b");
  expect(seen.absentSinceMs("b")).toBeUndefined();
  list(["a"]);
  expect(seen.absentSinceMs("b")).toBe(0);
});

test("what has answered although the last list lacks it is missing from none until one shows it", async () => {
  list(["a"]);
  await read("b");
  list(["a"]);
  expect(seen.absentSinceMs("b")).toBeUndefined();
  list(["a", "b"]);
  list(["a"]);
  expect(seen.absentSinceMs("b")).toBe(0);
});
