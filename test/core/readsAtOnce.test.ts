// Reads that an operation needs before it can begin: the pauses between polls are not theirs, and many still share a list.

import { expect, test } from "vitest";
import { ApiError } from "../../provider/domain/errors";
import { listed, type Listed } from "../../provider/domain/listed";
import { reportedBy } from "../../provider/core/definitionHelpers";
import type { Reader } from "../../provider/core/session";
import { whole } from "../../provider/core/patience";
import {
  all,
  asked,
  clock,
  failsWith,
  FAR,
  observe,
  reportedThing,
  type Thing,
  things,
  useSharedReads,
  view,
} from "./sharedThings";

useSharedReads();

const names = Array.from({ length: 100 }, (_, index) => `t${index}`);

function addMany(): void {
  names.forEach((id, index) => things.set(id, index));
}

/** Objects answer; lists fail so often, after a time. */
function readerWith(failures: number, afterMs: number): Reader<Thing> {
  let left = failures;
  const source = {
    async one(id: string): Promise<Thing> {
      asked.push(id);
      await clock.sleep(50);
      return { id, value: 1 };
    },
    async all(): Promise<Listed<Thing>> {
      asked.push("*");
      await clock.sleep(afterMs);
      left -= 1;
      if (left >= 0) throw new ApiError({ operation: "listServices", status: 504, category: "server" }, "504");
      return listed(names.map((id) => ({ id, value: 1 })));
    },
    idOf: (item: Thing) => item.id,
  };
  return observe(source);
}

test("one after the other, a refresh of a hundred: one object, one list, and no pause", async () => {
  addMany();
  for (const id of names) await view.get(id, { maxAgeMs: 5_000, deadlineMs: FAR });
  expect(asked).toEqual(["t0", "*"]);
  expect(clock.now()).toBe(0);
});

test("one after the other, reads of one object again and again are reads of it alone", async () => {
  for (let read = 0; read < 3; read += 1) expect(await all(view.get("a", { deadlineMs: FAR }))).toEqual([1]);
  expect(asked).toEqual(["a", "a", "a"]);
  expect(clock.now()).toBe(0);
});

test("one after the other, what was changed after the list is read alone, during the pause after the list too", async () => {
  addMany();
  await view.get("t0", { maxAgeMs: 5_000, deadlineMs: FAR });
  await view.get("t1", { maxAgeMs: 5_000, deadlineMs: FAR });
  for (const id of ["t2", "t3"]) {
    view.invalidate(id);
    await view.get(id, { maxAgeMs: 5_000, deadlineMs: FAR });
  }
  expect(asked).toEqual(["t0", "*", "t2", "t3"]);
  expect(clock.now()).toBe(0);
});

test("all at a time, reads of a hundred that no list from before may answer: those who come during a list share the next", async () => {
  addMany();
  const readAll = (ids: readonly string[]): Promise<unknown>[] => ids.map((id) => view.get(id, { deadlineMs: FAR }));
  const reads = readAll(names.slice(0, 50));
  while (asked.length === 0) await Promise.resolve();
  reads.push(...readAll(names.slice(50)));
  expect(await Promise.all(reads)).toEqual(names.map((id, value) => ({ id, value })));
  expect(asked.filter((id) => id === "*")).toHaveLength(2);
  expect(asked.length).toBeLessThanOrEqual(2 + 8);
  expect(clock.now()).toBeLessThanOrEqual(250);
});

test("lists of one moment are one request; those who come while it is under way share the next one", async () => {
  const sixty = (): Promise<unknown>[] =>
    Array.from({ length: 60 }, (_, index) => view.list({ deadlineMs: FAR + index }));
  const first = sixty();
  while (asked.length === 0) await Promise.resolve();
  await Promise.all([...first, ...sixty()]);
  expect(asked).toEqual(["*", "*"]);
  expect(clock.now()).toBe(0);
});

test("many at once, in the pause after a list: half the concurrency alone, and one more list for all others", async () => {
  const reader = readerWith(0, 100);
  const readMany = (): Promise<unknown> => Promise.all(names.map((id) => reader.get(id, { deadlineMs: FAR })));
  await readMany();
  await readMany();
  expect(asked).toEqual(["*", ...names.slice(0, 8), "*"]);
  expect(clock.now()).toBe(6 * 100 + 100);
});

test("a list that is never answered does not hold up one read after the other", async () => {
  const reader = readerWith(Infinity, 15_000);
  for (const id of names) await reader.get(id, { deadlineMs: FAR });
  expect(asked.filter((id) => id === "*").length).toBeLessThanOrEqual(3);
  expect(asked.filter((id) => id !== "*")).toEqual(names);
  expect(clock.now()).toBe(30_000 + 100 * 50);
});

test("many polls at once: the longer a list fails, the less often it is read", async () => {
  const reader = readerWith(Infinity, 15_000);
  const seen = names.slice(0, 8).map(async (id) => {
    let answers = 0;
    while (clock.now() < 600_000) {
      const answered = reader.nextPoll(id, { inMs: 1_000, deadlineMs: FAR });
      answers += await answered.then(
        () => 1,
        () => 0,
      );
    }
    return answers;
  });
  expect(Math.min(...(await Promise.all(seen)))).toBeGreaterThan(200);
});

test("a throttled read of what a list does not show is repeated, like any other", async () => {
  const throttled = (): Error => new ApiError({ operation: "getThing", status: 429, category: "rate" }, "429");
  failsWith.set("a", [throttled(), throttled()]);
  const reader = whole(reportedBy(view, reportedThing));
  const seen = await Promise.all([reader.get("a"), reader.get("b")]);
  expect(seen.map((item) => item?.live()["value"])).toEqual([1, 2]);
  expect(asked).toEqual(["*", "a", "b", "a", "a"]);
});
