// Reads that an operation needs before it can begin: the pauses between polls are not theirs, and many still share a list.

import { describe, expect, test } from "vitest";
import { all, asked, broken, clock, FAR, things, useSharedReads, view } from "./sharedThings";

useSharedReads();

const names = Array.from({ length: 100 }, (_, index) => `t${index}`);

function addMany(): void {
  names.forEach((id, index) => things.set(id, index));
}

describe("one operation after the other, as with --parallel 1", () => {
  test("a refresh of a hundred: one object, one list, and no pause", async () => {
    addMany();
    for (const id of names) await view.get(id, { maxAgeMs: 5_000, deadlineMs: FAR });
    expect(asked).toEqual(["t0", "*"]);
    expect(clock.now()).toBe(0);
  });

  test("reads of one object again and again are reads of it alone", async () => {
    for (let read = 0; read < 3; read += 1) expect(await all(view.get("a", { deadlineMs: FAR }))).toEqual([1]);
    expect(asked).toEqual(["a", "a", "a"]);
    expect(clock.now()).toBe(0);
  });

  test("what was changed after the list is read alone, during the pause after the list too", async () => {
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

  test("a list that fails: the object is read alone, and no pause comes of it", async () => {
    broken.add("*");
    expect(await all(view.get("a", { deadlineMs: FAR }))).toEqual([1]);
    expect(await all(view.get("b", { deadlineMs: FAR, isOnce: true }))).toEqual([2]);
    expect(asked).toEqual(["a", "*", "b"]);
    expect(clock.now()).toBe(0);
  });
});

describe("eight operations at a time", () => {
  test("a refresh of a hundred: one object, one list, and no pause", async () => {
    addMany();
    const rest = [...names];
    const operate = async (): Promise<void> => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
        await view.get(id, { maxAgeMs: 5_000, deadlineMs: FAR });
      }
    };
    await Promise.all(Array.from({ length: 8 }, operate));
    expect(asked.length).toBeLessThanOrEqual(2);
    expect(clock.now()).toBe(0);
  });

  test("updates over ten seconds, by lists of at most a second: two reads for each of them", async () => {
    addMany();
    for (let second = 0; second < 10; second += 1) {
      for (const id of names) await view.get(id, { maxAgeMs: 1_000, deadlineMs: FAR, isOnce: true });
      await clock.sleep(1_001);
    }
    expect(clock.now()).toBe(10_010);
    expect(asked.length).toBeLessThanOrEqual(20);
  });
});

describe("all at a time, as with --parallel 1000", () => {
  test("reads of a hundred that no list from before may answer: those who come during a list share the next", async () => {
    addMany();
    const readAll = (ids: readonly string[]): Promise<unknown>[] => ids.map((id) => view.get(id, { deadlineMs: FAR }));
    const reads = readAll(names.slice(0, 50));
    while (asked.length === 0) await Promise.resolve();
    reads.push(...readAll(names.slice(50)));
    expect(await Promise.all(reads)).toEqual(names.map((id, value) => ({ id, value })));
    expect(asked).toEqual(["*", "*"]);
    expect(clock.now()).toBe(0);
  });
});

test("a poll keeps its pause, whatever is read at once beside it", async () => {
  await view.nextPoll("a", { deadlineMs: FAR });
  const polled = view.nextPoll("a", { deadlineMs: FAR }).then(() => clock.now());
  expect(await all(view.get("b", { deadlineMs: FAR }), view.get("c", { deadlineMs: FAR }))).toEqual([2, 3]);
  await polled;
  const startedMs = clock.now();
  await view.nextPoll("a", { deadlineMs: FAR });
  expect(clock.now() - startedMs).toBe(1_000);
});
