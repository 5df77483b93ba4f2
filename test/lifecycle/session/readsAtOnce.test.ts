// Reads that an operation needs before it can begin: the pauses between polls are not theirs, and many still share a list.

import { describe, expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import { listed, type Listed } from "../../../provider/domain/listed";
import { createForecast } from "../../../provider/lifecycle/session/forecast";
import { PollQueue } from "../../../provider/lifecycle/session/pollQueue";
import type { Reader } from "../../../provider/lifecycle/session/session";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { all, asked, broken, clock, FAR, type Thing, things, useSharedReads, view } from "./sharedThings";

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

describe("many at once, and lists that are just over or fail", () => {
  const readAll = (): Promise<unknown> =>
    Promise.all([...things.keys()].map((id) => view.get(id, { deadlineMs: FAR })));

  test("in the pause after a list: sixteen alone, and one more list without a pause", async () => {
    addMany();
    await readAll();
    await readAll();
    expect(asked.filter((id) => id === "*")).toHaveLength(2);
    expect(asked).toHaveLength(18);
    expect(clock.now()).toBe(0);
  });

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
    return new SharedReader<Thing>(source, { clock, wallClock: clock }, 1_000);
  }

  test("a list that fails once: another list after the interval, and no read of each object", async () => {
    const reader = readerWith(1, 0);
    await Promise.all(names.map((id) => reader.get(id, { deadlineMs: FAR })));
    expect(asked).toEqual(["*", "*"]);
    expect(clock.now()).toBe(1_000);
  });

  test("a list that is never answered does not hold up one read after the other", async () => {
    const reader = readerWith(Infinity, 15_000);
    for (const id of names) await reader.get(id, { deadlineMs: FAR });
    expect(asked.filter((id) => id === "*")).toHaveLength(2);
    expect(asked.filter((id) => id !== "*")).toEqual(names);
    expect(clock.now()).toBe(30_000 + 100 * 50);
  });

  test("nor polls: the longer it fails, the less often it is read", async () => {
    const reader = readerWith(Infinity, 15_000);
    const seen = names.slice(0, 8).map(async (id) => {
      let answers = 0;
      while (clock.now() < 600_000) {
        const poll = reader.nextPoll(id, { inMs: 1_000, deadlineMs: FAR });
        answers += await poll.then(
          () => 1,
          () => 0,
        );
      }
      return answers;
    });
    expect(Math.min(...(await Promise.all(seen)))).toBeGreaterThan(200);
  });
});

describe("beside polls", () => {
  const INTERVAL_MS = 1_000;

  test("a poll keeps its pause, whatever is read at once", async () => {
    await view.nextPoll("a", { deadlineMs: FAR });
    const polled = view.nextPoll("a", { deadlineMs: FAR }).then(() => clock.now());
    expect(await all(view.get("b", { deadlineMs: FAR }), view.get("c", { deadlineMs: FAR }))).toEqual([2, 3]);
    await polled;
    const startedMs = clock.now();
    await view.nextPoll("a", { deadlineMs: FAR });
    expect(clock.now() - startedMs).toBe(INTERVAL_MS);
  });

  test("polls do not pay for reads at once: after a thousand of them, the next poll comes as soon as ever", async () => {
    for (let read = 0; read < 1_000; read += 1) await view.get("a", { deadlineMs: FAR });
    await view.nextPoll("b", { deadlineMs: FAR });
    expect(clock.now()).toBe(INTERVAL_MS);
  });

  test("nor do forecasts: they add as many reads as without reads at once", async () => {
    const pollsAfter = async (reads: number): Promise<readonly number[]> => {
      const forecast = createForecast(INTERVAL_MS);
      const create = { kind: "create", sinceMs: 0 };
      for (let one = 0; one < 50; one += 1) forecast.learn(create, 1_350, 1_400);
      const one = (id: string): Promise<Thing> => Promise.resolve({ id, value: 1 });
      const source = { one, all: () => Promise.resolve(listed([])), idOf: (item: Thing) => item.id };
      const reader = new SharedReader<Thing>(source, { clock, wallClock: clock }, INTERVAL_MS, forecast);
      for (let read = 0; read < reads; read += 1) await reader.get("a", { deadlineMs: FAR });
      await clock.sleep(60_000);
      const sinceMs = clock.now();
      const poll = { inMs: INTERVAL_MS, deadlineMs: FAR, expects: { ...create, sinceMs } };
      const polls: number[] = [];
      while (polls.length < 3) {
        await Promise.all(Array.from({ length: 5 }, () => reader.nextPoll("a", poll)));
        polls.push(Math.round(clock.now() - sinceMs));
      }
      return polls;
    };
    const polls = await pollsAfter(0);
    expect(polls[1]).toBeLessThan(2 * INTERVAL_MS);
    expect(await pollsAfter(100)).toEqual(polls);
  });

  /** A queue whose forecast brings each read forward by so much, and when it reads. */
  function queueWith(soonerMs: number): { poll: () => Promise<unknown>; reads: readonly number[] } {
    const reads: number[] = [];
    const queue = new PollQueue<Thing>({
      clock,
      intervalMs: INTERVAL_MS,
      forecast: {
        learn: () => undefined,
        readBegan: () => undefined,
        nextReadMs: (_awaited, _earliestMs, latestMs) => latestMs - soonerMs,
      },
      read: (polls) => {
        reads.push(clock.now());
        for (const poll of polls) poll.resolve(undefined);
        return Promise.resolve();
      },
    });
    const poll = (): Promise<unknown> =>
      queue.join({ id: "a", latestMs: clock.now() + INTERVAL_MS, deadlineMs: FAR }).answer;
    return { poll, reads };
  }

  test("a poll that comes back after its forecast read was due does not count as an immediate read", async () => {
    const { poll, reads } = queueWith(50);
    await poll();
    await clock.sleep(100);
    await poll();
    expect(reads[0]).toBe(950);
    // Forecasts and polls keep a good part of the interval between reads.
    expect(reads[1]).toBeGreaterThan(1_250);
  });

  test("a poll long after a forecast read was due is not due with it", async () => {
    const { poll, reads } = queueWith(50);
    await poll();
    await clock.sleep(60_000);
    await poll();
    expect(reads).toEqual([950, 950 + 60_000 + 950]);
  });
});
