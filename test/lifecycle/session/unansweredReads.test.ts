// Reads that are not answered: they end at their own deadlines, and keep nobody else waiting.

import { expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import type { ReadLimits } from "../../../provider/lifecycle/session/session";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { all, clock, FAR, poll, silent, type Thing, useSharedReads, view } from "./sharedThings";

useSharedReads();

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
