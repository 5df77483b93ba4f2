// Reads that are not answered: they end at their own deadlines, and keep nobody else waiting.

import { beforeEach, describe, expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import { listed } from "../../../provider/domain/listed";
import type { ReadLimits } from "../../../provider/lifecycle/session/session";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { all, clock, FAR, silent, type Thing, useSharedReads, view } from "./sharedThings";

useSharedReads();

describe("an object that does not answer", () => {
  beforeEach(() => {
    silent.add("a");
  });

  test("keeps nobody waiting, whoever asked first", async () => {
    const own = view.nextPoll("a", { deadlineMs: 60_000 }).catch(() => "no answer");
    await clock.sleep(10);
    expect(await all(view.nextPoll("b", { deadlineMs: FAR }), view.nextPoll("c", { deadlineMs: FAR }))).toEqual([2, 3]);
    expect(await all(view.get("b"))).toEqual([2]);
    expect(clock.now()).toBeLessThanOrEqual(2_000);
    expect(await own).toBe("no answer");
  });

  test.each<[string, (deadlineMs: number) => Promise<unknown>]>([
    ["a shared read", (deadlineMs) => view.nextPoll("a", { deadlineMs: deadlineMs })],
    ["a read of its own", (deadlineMs) => view.fetch("a", deadlineMs)],
    ["a read", (deadlineMs) => view.get("a", { deadlineMs })],
  ])("%s ends at the deadline of who asked, and each has their own", async (_, ask) => {
    const endsMs = async (deadlineMs: number): Promise<number> => {
      await expect(ask(deadlineMs)).rejects.toThrow("no answer before the deadline");
      return clock.now();
    };
    expect(await Promise.all([endsMs(30_000), endsMs(20_000), endsMs(90_000)])).toEqual([30_000, 20_000, 90_000]);
  });

  test("a list that does not answer ends for everyone at their own deadline too", async () => {
    silent.add("*");
    const endsMs = async (deadlineMs: number): Promise<number> => {
      await expect(view.list({ deadlineMs })).rejects.toThrow("no answer before the deadline");
      return clock.now();
    };
    expect(await Promise.all([endsMs(30_000), endsMs(20_000)])).toEqual([30_000, 20_000]);
  });

  test("a read that begins at the deadline still has a while", async () => {
    expect(await all(view.nextPoll("b", { inMs: 5_000, deadlineMs: 5_000 }))).toEqual([2]);
  });

  test("is read once at a time, within a limit of its own; where the server asks for a pause, it is kept", async () => {
    const requests: ReadLimits[] = [];
    let refusals = 0;
    const limited = new SharedReader<Thing>(
      {
        one: (_, limits) => {
          requests.push(limits);
          refusals += 1;
          const details = { operation: "getService", status: 503, category: "server", retryAfterMs: 7_000 } as const;
          return Promise.reject(new ApiError(details, "503"));
        },
        all: () => Promise.resolve(listed([])),
        idOf: (item) => item.id,
      },
      { clock, wallClock: clock },
      1_000,
    );
    for (let read = 0; read < 9; read += 1) {
      await expect(limited.nextPoll("a", { inMs: 1_000, deadlineMs: FAR })).rejects.toThrow("503");
    }
    expect(refusals).toBe(2);
    expect(requests[0]).toMatchObject({ attempts: "onlyThrottled", timeoutMs: 15_000 });
  });
});

describe("others that do not answer", () => {
  test.each([{}, { isOnce: true }] as const)(
    "a list for others that does not answer: the object is read then, with %j",
    async (more) => {
      silent.add("*");
      const list = view.list({ deadlineMs: 3_600_000 }).catch(() => "no answer");
      await clock.sleep(10);
      expect(await all(view.get("b", { maxAgeMs: 1_000, deadlineMs: 1_800_000, ...more }))).toEqual([2]);
      expect(clock.now()).toBeLessThanOrEqual(16_000);
      expect(await list).toBe("no answer");
    },
  );

  test("a pause that the server asks for, beyond the deadline: the read ends before it", async () => {
    const details = { operation: "getService", status: 503, category: "server", retryAfterMs: 120_000 } as const;
    const refused = (): Promise<never> => Promise.reject(new ApiError(details, "503"));
    const source = { one: refused, all: refused, idOf: (item: Thing) => item.id };
    const resting = new SharedReader<Thing>(source, { clock, wallClock: clock }, 1_000);
    await expect(resting.get("a", { deadlineMs: 60_000 })).rejects.toThrow("503");
    expect(clock.now()).toBeLessThanOrEqual(60_000);
  });
});
