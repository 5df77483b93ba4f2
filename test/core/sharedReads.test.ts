// Shared reads: who reads at once shares a request, who is missing from a list is read alone, and one that
// fails, or is not answered, is nothing to the others.

import { expect, test } from "vitest";
import { ApiError } from "../../provider/domain/errors";
import { listed } from "../../provider/domain/listed";
import { type Wait, waitFor } from "../../provider/core/wait";
import type { ReadLimits } from "../../provider/core/session";
import {
  all,
  asked,
  broken,
  failsWith,
  mostAtOnce,
  clock,
  FAR,
  observe,
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

test("one shared read serves waiters that are due later as well", async () => {
  const startedMs = clock.now();
  await all(poll("a", 9_000), poll("b", 2_000));
  expect(clock.now() - startedMs).toBe(2_000);
  expect(asked).toEqual(["*"]);
});

test("a list comes without the distance of lists for a wait that is to see its effect soon", async () => {
  await all(poll("a"), poll("b"));
  const others = all(poll("a", 100), poll("b", 100));
  expect(await all(view.nextPoll("c", { inMs: 100, isAtOnce: true, deadlineMs: FAR }))).toEqual([3]);
  expect(await others).toEqual([1, 2]);
  expect(asked).toEqual(["*", "*"]);
  expect(clock.now()).toBe(100);
});

test("lists begin a quarter of the interval apart, and six times as long as the last one took, up to a limit", async () => {
  const beganMs: number[] = [];
  let takesMs = 0;
  const reader = observe({
    one: () => Promise.reject(new Error("nobody asks for one alone")),
    all: async () => {
      beganMs.push(clock.now());
      await clock.sleep(takesMs);
      return listed(["a", "b"].map((id) => ({ id, value: 1 })));
    },
    idOf: (item) => item.id,
  });
  for (takesMs of [0, 0, 100, 20_000, 0]) {
    await Promise.all(["a", "b"].map((id) => reader.nextPoll(id, { deadlineMs: FAR })));
  }
  const distances = beganMs.map((ms, at) => ms - (beganMs[at - 1] ?? 0));
  expect(distances).toEqual([0, 250, 250, 600, 20_000]);
});

test("a list is no proof that something is gone: it is asked for by itself", async () => {
  unlisted.add("b");
  expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
  expect(asked).toEqual(["*", "b"]);
  things.delete("c");
  expect(await all(poll("a"), poll("c"))).toEqual([1, undefined]);
});

test("a list that fails once is read again after the interval for those who wait", async () => {
  const error = new ApiError({ operation: "listServices", status: 500, category: "server" }, "500");
  failsWith.set("*", [error]);
  expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
  expect([asked, clock.now()]).toEqual([["*", "*"], 1_000]);
});

test("a list that fails twice, or for good: each object is read alone, half the concurrency at a time, the oldest first", async () => {
  broken.add("*");
  for (let index = 0; index < 40; index++) things.set(`t${index}`, index);
  mostAtOnce.track();
  expect(await all(...[...things.keys()].map((id) => poll(id)))).toEqual([...things.values()]);
  expect(asked).toEqual(["*", ...things.keys()]);
  expect(mostAtOnce.seen()).toBe(8);
});

test("what cannot be read is asked for by itself, and never counts as missing", async () => {
  unreadable.push({ id: "a", name: "a", problem: "value: not a number" });
  unlisted.add("a");
  expect(await all(poll("a"), poll("b"))).toEqual([1, 2]);
  expect(asked).toEqual(["*", "a"]);
  expect([view.absentSinceMs("a"), view.absentSinceMs("none")]).toEqual([undefined, 0]);
  unreadable.push({ problem: "id: not a text" });
  await view.list();
  expect(view.absentSinceMs("none")).toBeUndefined();
});

test.each([
  ["is as old as it is by the time of day: the machine may have slept", 3_600_000, ["*", "a"]],
  ["is no younger by a machine's clock that is set back", -3_600_000, ["*"]],
])("what was seen a moment ago %s", async (_what, byMs, reads) => {
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
])("what was seen a moment ago does not count for an object that was %s since", async (_how, reads, touch) => {
  await view.list();
  things.set("a", 7);
  await touch();
  expect(await all(view.get("a", { maxAgeMs: 60_000 }), view.get("b", { maxAgeMs: 60_000 }))).toEqual([7, 2]);
  expect(asked).toEqual(reads);
  await view.list();
  expect(await all(view.get("a", { maxAgeMs: 60_000 }))).toEqual([7]);
  expect(asked).toEqual([...reads, "*"]);
});

test("what was seen a moment ago counts for an object whose own read since had no answer", async () => {
  await view.list();
  broken.add("a");
  await expect(view.fetch("a", FAR)).rejects.toThrow("broken");
  expect(await all(view.get("a", { maxAgeMs: 60_000 }))).toEqual([1]);
  expect(asked).toEqual(["*", "a"]);
});

test("a read of the object alone is shared by those who want no other, also while it is under way", async () => {
  const recent = { maxAgeMs: 1_000, isAlone: true } as const;
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

const endsMs = (ask: (deadlineMs: number) => Promise<unknown>) => async (deadlineMs: number) => {
  await expect(ask(deadlineMs)).rejects.toThrow("no answer before the deadline");
  return clock.now();
};

test("an object that does not answer keeps nobody waiting, whoever asked first", async () => {
  silent.add("a");
  const own = poll("a");
  await clock.sleep(10);
  expect(await all(poll("b"), poll("c"))).toEqual([2, 3]);
  expect(await all(view.get("b"))).toEqual([2]);
  expect(clock.now()).toBeLessThanOrEqual(2_000);
  // The list for the others shows it.
  expect(await all(own)).toEqual([1]);
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
  "a list that does not answer leaves an object to its own read: %j",
  async (more) => {
    silent.add("*");
    const list = view.list({ deadlineMs: 3_600_000 }).catch(() => "no answer");
    await clock.sleep(10);
    expect(await all(view.get("b", { maxAgeMs: 1_000, deadlineMs: 1_800_000, ...more }))).toEqual([2]);
    expect(clock.now()).toBeLessThanOrEqual(16_000);
    expect(await list).toBe("no answer");
  },
);

test("a read is sent once, within a limit of its own, and a pause beyond the deadline is not waited for", async () => {
  const requests: ReadLimits[] = [];
  const refused = (limits: ReadLimits): Promise<never> => {
    requests.push(limits);
    const details = { operation: "getService", status: 503, category: "server", retryAfterMs: 120_000 } as const;
    return Promise.reject(new ApiError(details, "503"));
  };
  const one = observe({ one: (_, limits) => refused(limits), all: refused, idOf: (item) => item.id });
  await expect(one.get("a", { deadlineMs: 60_000 })).rejects.toThrow("503");
  expect(clock.now()).toBe(0);
  expect(requests).toEqual([{ deadlineMs: 60_000, attempts: "once", timeoutMs: 15_000 }]);
});

test("an object that lists lack is read alone when its wait is due, and not with each list for others", async () => {
  unlisted.add("a");
  const waited = poll("a", 2_000);
  for (let round = 0; round < 4; round += 1) await all(poll("b"), poll("c"));
  expect(asked).toEqual(["*", "*", "*", "*"]);
  expect(await all(waited)).toEqual([1]);
  expect(clock.now()).toBeGreaterThanOrEqual(2_000);
});

test("an object that lists lack is read alone before its wait is due, if that is to see its effect soon", async () => {
  unlisted.add("a");
  const soon = view.nextPoll("a", { inMs: 200, isAtOnce: true, deadlineMs: FAR });
  await all(poll("b"), poll("c"));
  expect(await all(soon)).toEqual([1]);
  expect(asked).toEqual(["*", "a"]);
  expect(clock.now()).toBe(0);
});

test("an object that lists lack is not read before a pause is over that the server has asked for", async () => {
  unlisted.add("a");
  const details = { operation: "getThing", status: 503, category: "server", retryAfterMs: 1_000 } as const;
  failsWith.set("a", [new ApiError(details, "503")]);
  const wait: Wait<Thing, Thing> = {
    what: "deleteThing",
    label: "thing a",
    id: "a",
    first: "own",
    deadlineMs: 60_000,
    judge: (answer) => ({ is: "yes", answer }),
    absent: () => Promise.reject(new Error("it is there")),
    report: () => undefined,
  };
  let seenMs = 0;
  const pace = { clock, intervalMs: 1_000, intervalMaxMs: 15_000, random: () => 0 };
  const waited = waitFor(view, wait, pace).then(() => (seenMs = clock.now()));
  while (clock.now() < 1_500) await all(poll("b"), poll("c"));
  await waited;
  expect(seenMs).toBe(1_000);
});

test.each<[string, () => Promise<unknown>, sinceMs: number | undefined]>([
  ["from the next list on, if a call was sent for it", () => Promise.resolve(view.invalidate("a")), 3_000],
  ["in no list, until one shows it, if a read of its own does", () => view.fetch("a", FAR), undefined],
])("an object that lists lack is absent anew %s", async (_why, touch, sinceMs) => {
  unlisted.add("a");
  await view.list();
  await touch();
  expect(view.absentSinceMs("a")).toBeUndefined();
  await clock.sleep(3_000);
  await view.list();
  expect(view.absentSinceMs("a")).toBe(sinceMs);
  unlisted.delete("a");
  await view.list();
  unlisted.add("a");
  await view.list();
  expect(view.absentSinceMs("a")).toBe(3_000);
});

test("an object that lists lack is not absent while it may be what cannot be read, nor for the time before that", async () => {
  await view.list();
  await clock.sleep(1_000);
  unreadable.push({ problem: "id: not a text" });
  await view.list();
  expect(view.absentSinceMs("none")).toBeUndefined();
  unreadable.pop();
  await clock.sleep(1_000);
  await view.list();
  expect(view.absentSinceMs("none")).toBe(2_000);
});
