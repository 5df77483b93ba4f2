// Shared reads: who reads at once shares a request, who is missing from a list is read alone, and one that
// fails, or is not answered, is nothing to the others.

import { describe, expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import type { ReadLimits } from "../../../provider/lifecycle/session/session";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import {
  all,
  asked,
  broken,
  clock,
  FAR,
  poll,
  setMachine,
  silent,
  type Thing,
  things,
  unlisted,
  unreadable,
  useSharedReads,
  view,
} from "./sharedThings";

useSharedReads();

describe("reads at the same time", () => {
  test("several of one object share one request of it", async () => {
    expect(await all(poll("a"), poll("a"))).toEqual([1, 1]);
    expect(asked).toEqual(["a"]);
  });

  test("a hundred cost what two do", async () => {
    for (let index = 0; index < 100; index++) things.set(`t${index}`, index);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => poll(`t${index}`, 1_000)));
    }
    expect(asked).toEqual(["*", "*", "*"]);
  });

  test("one shared read serves waiters that are due later as well", async () => {
    const startedMs = clock.now();
    await all(poll("a", 9_000), poll("b", 2_000));
    expect(clock.now() - startedMs).toBe(2_000);
    expect(asked).toEqual(["*"]);
  });

  test("come at most ten times a second; after four, lists come at most four times a second", async () => {
    const pausesOf = async (reads: number, ...ids: readonly string[]): Promise<number[]> => {
      const pauses: number[] = [];
      for (let read = 0; read < reads; read += 1) {
        const startedMs = clock.now();
        await Promise.all(ids.map((id) => poll(id)));
        pauses.push(clock.now() - startedMs);
      }
      return pauses;
    };
    expect((await pausesOf(40, "a")).slice(1)).toEqual(Array.from({ length: 39 }, () => 100));
    const pauses = await pausesOf(40, "a", "b");
    expect(Math.min(...pauses)).toBe(100);
    expect(pauses.slice(20)).toEqual(Array.from({ length: 20 }, () => 250));
    expect(pauses.filter((pause) => pause === 100).length).toBeLessThanOrEqual(7);
  });
});

describe("a list", () => {
  test("is no proof that something is gone: it is asked for by itself", async () => {
    unlisted.add("b");
    expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
    expect(asked).toEqual(["*", "b"]);
    things.delete("c");
    expect(await all(poll("a"), poll("c"))).toEqual([1, undefined]);
  });

  test("that fails, fails for those who shared it, and for nobody later; one object, for itself alone", async () => {
    broken.add("*");
    const statuses = async (...ids: string[]): Promise<string[]> =>
      (await Promise.allSettled(ids.map((id) => poll(id)))).map(({ status }) => status);
    expect(await statuses("a", "b")).toEqual(["rejected", "rejected"]);
    broken.clear();
    expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
    unlisted.add("b");
    broken.add("b");
    expect(await statuses("a", "b", "c")).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("that fails for good: each object is read by itself, sixteen of many at a turn", async () => {
    broken.add("*");
    for (let index = 0; index < 40; index++) things.set(`t${index}`, index);
    let waiting = [...things.keys()];
    const left: number[] = [];
    while (waiting.length > 0 && left.length < 9) {
      const reads = await Promise.allSettled(waiting.map((id) => poll(id)));
      waiting = waiting.filter((_, index) => reads[index]?.status === "rejected");
      left.push(waiting.length);
    }
    expect(left).toEqual([43, 27, 11, 0]);
    expect(asked.filter((id) => id === "*")).toHaveLength(2);
  });

  test("that fails where objects fail too: one request tells", async () => {
    for (const id of ["*", "a", "b", "c"]) broken.add(id);
    for (let turn = 0; turn < 4; turn += 1) {
      await Promise.allSettled(["a", "b", "c"].map((id) => poll(id)));
    }
    expect(asked).toEqual(["*", "*", "a", "b", "c"]);
  });
});

test("what cannot be read is asked for by itself, and never counts as missing", async () => {
  unreadable.push({ id: "a", name: "a", problem: "value: not a number" });
  unlisted.add("a");
  expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
  expect(asked).toEqual(["*", "a"]);
  expect([view.isMissingFromList("a"), view.isMissingFromList("none")]).toEqual([false, true]);
  unreadable.push({ problem: "id: not a text" });
  await view.list();
  expect(view.isMissingFromList("none")).toBe(false);
});

describe("what was seen a moment ago", () => {
  test("serves who allows it, and only so long", async () => {
    await view.list();
    expect(await all(view.get("a", { maxAgeMs: 1_000 }), view.get("b", { maxAgeMs: 1_000 }))).toEqual([1, 2]);
    expect(asked).toEqual(["*"]);
    await clock.sleep(1_500);
    await view.get("a", { maxAgeMs: 1_000 });
    expect(asked).toEqual(["*", "a"]);
  });

  test.each([
    ["is as old as it is by the time of day: the machine may have slept", 3_600_000, ["*", "a"]],
    ["is no younger by a machine's clock that is set back", -3_600_000, ["*"]],
  ])("%s", async (_what, byMs, reads) => {
    await view.list();
    setMachine(byMs);
    await view.get("a", { maxAgeMs: 1_000 });
    expect(asked).toEqual(reads);
    await clock.sleep(1_500);
    await view.get("b", { maxAgeMs: 1_000 });
    expect(asked).toEqual([...reads, "b"]);
  });

  test.each([
    ["changed", ["*", "a"], () => Promise.resolve(view.invalidate("a"))],
    ["read by itself", ["*", "a", "a"], () => view.fetch("a", FAR)],
  ])("does not count for an object that was %s since", async (_how, reads, touch) => {
    await view.list();
    things.set("a", 7);
    await touch();
    expect(await all(view.get("a", { maxAgeMs: 60_000 }), view.get("b", { maxAgeMs: 60_000 }))).toEqual([7, 2]);
    expect(asked).toEqual(reads);
    await view.list();
    expect(await all(view.get("a", { maxAgeMs: 60_000 }))).toEqual([7]);
    expect(asked).toEqual([...reads, "*"]);
  });

  test("counts for an object whose own read since had no answer", async () => {
    await view.list();
    broken.add("a");
    await expect(view.fetch("a", FAR)).rejects.toThrow("broken");
    expect(await all(view.get("a", { maxAgeMs: 60_000 }))).toEqual([1]);
    expect(asked).toEqual(["*", "a"]);
  });

  test("a read of the object alone counts too where it is only referred to, also while it is under way", async () => {
    const recent = { maxAgeMs: 1_000, isReference: true } as const;
    const first = view.get("a", recent);
    while (asked.length === 0) await Promise.resolve();
    expect(await all(first, view.get("a", recent))).toEqual([1, 1]);
    expect(await all(view.get("a", recent))).toEqual([1]);
    expect(asked).toEqual(["a"]);
    view.invalidate("a");
    await view.get("a", recent);
    await clock.sleep(1_001);
    await view.get("a", recent);
    expect(asked).toEqual(["a", "a", "a"]);
  });

  test("of reads of one object alone, the latest few count: a run may read thousands", async () => {
    const recent = { maxAgeMs: 1_000, isReference: true } as const;
    await view.fetch("a", FAR);
    for (let other = 0; other < 64; other += 1) {
      things.set(`other ${other}`, other);
      await view.fetch(`other ${other}`, FAR);
    }
    await view.get("other 63", recent);
    expect(asked).toHaveLength(65);
    await view.get("a", recent);
    expect(asked).toHaveLength(66);
  });

  test("is no proof of absence, and does not count for who does not ask for it", async () => {
    await view.list();
    things.set("new", 9);
    things.set("a", 7);
    expect(await all(view.get("new", { maxAgeMs: 60_000 }), view.get("a"))).toEqual([9, 7]);
  });
});

const endsMs = (ask: (deadlineMs: number) => Promise<unknown>) => async (deadlineMs: number) => {
  await expect(ask(deadlineMs)).rejects.toThrow("no answer before the deadline");
  return clock.now();
};

test("an object that does not answer keeps nobody waiting, whoever asked first", async () => {
  silent.add("a");
  const own = view.nextPoll("a", { deadlineMs: 60_000 }).catch(() => "no answer");
  await clock.sleep(10);
  expect(await all(poll("b"), poll("c"))).toEqual([2, 3]);
  expect(await all(view.get("b"))).toEqual([2]);
  expect(clock.now()).toBeLessThanOrEqual(2_000);
  expect(await own).toBe("no answer");
});

test.each<[string, (deadlineMs: number) => Promise<unknown>]>([
  ["a shared read", (deadlineMs) => view.nextPoll("a", { deadlineMs })],
  ["a read of its own", (deadlineMs) => view.fetch("a", deadlineMs)],
  ["a read", (deadlineMs) => view.get("a", { deadlineMs })],
  ["a list", (deadlineMs) => view.list({ deadlineMs })],
])("%s that is not answered ends at the deadline of who asked, and each has their own", async (_, ask) => {
  for (const id of ["a", "*"]) silent.add(id);
  expect(await Promise.all([30_000, 20_000, 90_000].map(endsMs(ask)))).toEqual([30_000, 20_000, 90_000]);
});

test("a read that begins at the deadline still has a while", async () => {
  expect(await all(view.nextPoll("b", { inMs: 5_000, deadlineMs: 5_000 }))).toEqual([2]);
});

test.each([{}, { isOnce: true }] as const)(
  "a list for others that does not answer leaves the object to a read of its own, with %j",
  async (more) => {
    silent.add("*");
    const list = view.list({ deadlineMs: 3_600_000 }).catch(() => "no answer");
    await clock.sleep(10);
    expect(await all(view.get("b", { maxAgeMs: 1_000, deadlineMs: 1_800_000, ...more }))).toEqual([2]);
    expect(clock.now()).toBeLessThanOrEqual(16_000);
    expect(await list).toBe("no answer");
  },
);

test("an object is read once at a time, within a limit of its own, and a pause that the server asks for is kept", async () => {
  const requests: ReadLimits[] = [];
  let retryAfterMs = 7_000;
  const refused = (limits: ReadLimits): Promise<never> => {
    requests.push(limits);
    const details = { operation: "getService", status: 503, category: "server", retryAfterMs } as const;
    return Promise.reject(new ApiError(details, "503"));
  };
  const source = {
    one: (_: string, limits: ReadLimits) => refused(limits),
    all: refused,
    idOf: (item: Thing) => item.id,
  };
  const resting = () => new SharedReader<Thing>(source, { clock, wallClock: clock }, 1_000);
  const one = resting();
  for (let read = 0; read < 9; read += 1) {
    await expect(one.nextPoll("a", { inMs: 1_000, deadlineMs: FAR })).rejects.toThrow("503");
  }
  expect(requests).toHaveLength(2);
  expect(requests[0]).toMatchObject({ attempts: "onlyThrottled", timeoutMs: 15_000 });
  // A pause beyond the deadline: the read ends before it.
  retryAfterMs = 120_000;
  const startedMs = clock.now();
  await expect(resting().get("a", { deadlineMs: startedMs + 60_000 })).rejects.toThrow("503");
  expect(clock.now() - startedMs).toBeLessThanOrEqual(60_000);
});
