// Shared reads: who looks at once shares a request, who is missing from a list is asked for by itself, and one that
// fails is nothing to the others.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApiError } from "../../../provider/domain/errors";
import { listed, type Unreadable } from "../../../provider/domain/listed";
import type { Reader, ReadLimits, Source } from "../../../provider/lifecycle/session/reader";
import { createSharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { createTestClock, type TestClock } from "../../support/clock";

interface Thing {
  id: string;
  value: number;
}

const FAR = Number.MAX_SAFE_INTEGER;

let clock: TestClock;
let things: Map<string, number>;
/** Ids that lists leave out. */
let unlisted: Set<string>;
/** Ids whose own request fails. */
let broken: Set<string>;
/** Ids whose own request is never answered. */
let silent: Set<string>;
let unreadable: Unreadable[];
let asked: string[];
let view: Reader<Thing>;

beforeEach(() => {
  clock = createTestClock(0);
  things = new Map([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  unlisted = new Set();
  broken = new Set();
  silent = new Set();
  unreadable = [];
  asked = [];
  view = createSharedReader(source(), clock, 1_000);
});
afterEach(() => {
  clock.close();
});

function source(): Source<Thing> {
  return {
    async one(id) {
      asked.push(id);
      await Promise.resolve();
      if (silent.has(id)) await new Promise(() => undefined);
      if (broken.has(id)) throw new Error(`${id} is broken`);
      const value = things.get(id);
      return value === undefined ? undefined : { id, value };
    },
    async all() {
      asked.push("*");
      await Promise.resolve();
      if (silent.has("*")) await new Promise(() => undefined);
      if (broken.has("*")) throw new Error("the list is broken");
      return listed(
        [...things].filter(([id]) => !unlisted.has(id)).map(([id, value]) => ({ id, value })),
        unreadable,
      );
    },
    idOf: (item) => item.id,
  };
}

async function all(...looks: Promise<Thing | undefined>[]): Promise<(number | undefined)[]> {
  const seen = await Promise.all(looks);
  return seen.map((item) => item?.value);
}

describe("who looks together", () => {
  test("one asks for itself", async () => {
    expect(await all(view.nextPoll("a", 0, FAR))).toEqual([1]);
    expect(asked).toEqual(["a"]);
  });

  test("several share one list", async () => {
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("b", 0, FAR), view.nextPoll("c", 0, FAR))).toEqual([
      1, 2, 3,
    ]);
    expect(asked).toEqual(["*"]);
  });

  test("several of one object share one request", async () => {
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("a", 0, FAR))).toEqual([1, 1]);
    expect(asked).toEqual(["a"]);
  });

  test("a hundred cost what two do", async () => {
    for (let index = 0; index < 100; index++) things.set(`t${index}`, index);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => view.nextPoll(`t${index}`, 1_000, FAR)));
    }
    expect(asked).toEqual(["*", "*", "*"]);
  });

  test("whoever is due later comes along when somebody is due sooner", async () => {
    const startedMs = clock.now();
    await all(view.nextPoll("a", 9_000, FAR), view.nextPoll("b", 2_000, FAR));
    expect(clock.now() - startedMs).toBe(2_000);
    expect(asked).toEqual(["*"]);
  });

  test("looks never follow each other faster than the interval", async () => {
    await view.nextPoll("a", 0, FAR);
    const startedMs = clock.now();
    await view.nextPoll("a", 0, FAR);
    expect(clock.now() - startedMs).toBe(1_000);
  });
});

describe("a list", () => {
  test("is no proof that something is gone: it is asked for by itself", async () => {
    unlisted.add("b");
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("b", 0, FAR))).toEqual([1, 2]);
    expect(asked).toEqual(["*", "b"]);
    things.delete("c");
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("c", 0, FAR))).toEqual([1, undefined]);
  });

  test("that fails, fails for those who shared it, and for nobody later", async () => {
    broken.add("*");
    const looks = await Promise.allSettled([view.nextPoll("a", 0, FAR), view.nextPoll("b", 0, FAR)]);
    expect(looks.map((look) => look.status)).toEqual(["rejected", "rejected"]);
    broken.clear();
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("b", 0, FAR))).toEqual([1, 2]);
  });

  test("one object that fails by itself is nothing to the others", async () => {
    unlisted.add("b");
    broken.add("b");
    const looks = await Promise.allSettled([
      view.nextPoll("a", 0, FAR),
      view.nextPoll("b", 0, FAR),
      view.nextPoll("c", 0, FAR),
    ]);
    expect(looks.map((look) => look.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});

describe("an object that does not answer", () => {
  beforeEach(() => {
    silent.add("a");
  });

  test("keeps nobody waiting, whoever asked first", async () => {
    const own = view.nextPoll("a", 0, 60_000).catch(() => "no answer");
    await clock.sleep(10);
    expect(await all(view.nextPoll("b", 0, FAR), view.nextPoll("c", 0, FAR))).toEqual([2, 3]);
    expect(await all(view.get("b"))).toEqual([2]);
    expect(clock.now()).toBeLessThanOrEqual(2_000);
    expect(await own).toBe("no answer");
  });

  test.each<[string, (deadlineMs: number) => Promise<unknown>]>([
    ["a shared read", (deadlineMs) => view.nextPoll("a", 0, deadlineMs)],
    ["a read of its own", (deadlineMs) => view.fetch("a", deadlineMs)],
    ["a look", (deadlineMs) => view.get("a", { deadlineMs })],
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
    expect(await all(view.nextPoll("b", 5_000, 5_000))).toEqual([2]);
  });

  test("is read once at a time, within a limit of its own; where the server asks for a pause, it is kept", async () => {
    const requests: ReadLimits[] = [];
    let refusals = 0;
    const limited = createSharedReader<Thing>(
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
      clock,
      1_000,
    );
    for (let look = 0; look < 9; look += 1) {
      await expect(limited.nextPoll("a", 1_000, FAR)).rejects.toThrow("503");
    }
    expect(refusals).toBe(2);
    expect(requests[0]).toMatchObject({ attempts: "onlyThrottled", timeoutMs: 15_000 });
  });
});

describe("what cannot be read", () => {
  test("is asked for by itself, and never counts as missing", async () => {
    unreadable.push({ id: "a", name: "a", problem: "value: not a number" });
    unlisted.add("a");
    expect(await all(view.nextPoll("a", 0, FAR), view.nextPoll("b", 0, FAR))).toEqual([1, 2]);
    expect(asked).toEqual(["*", "a"]);
    expect([view.isMissingFromList("a"), view.isMissingFromList("none")]).toEqual([false, true]);
    unreadable.push({ problem: "id: not a text" });
    await view.list();
    expect(view.isMissingFromList("none")).toBe(false);
  });
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

  test("does not count for an object that was changed since", async () => {
    await view.list();
    things.set("a", 7);
    view.invalidate("a");
    expect(await all(view.get("a", { maxAgeMs: 60_000 }), view.get("b", { maxAgeMs: 60_000 }))).toEqual([7, 2]);
    expect(asked).toEqual(["*", "a"]);
  });

  test("does not count for who does not ask for it", async () => {
    await view.list();
    things.set("a", 7);
    expect(await all(view.get("a"))).toEqual([7]);
  });

  test("is no proof of absence", async () => {
    await view.list();
    things.set("new", 9);
    expect(await all(view.get("new", { maxAgeMs: 60_000 }))).toEqual([9]);
  });
});
