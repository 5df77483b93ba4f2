// The shared eyes: who looks at once shares a request, who is missing from a list is asked for by itself, and one that
// fails is nothing to the others.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLooks, type Source, type View } from "../../provider/lifecycle/looks";
import { createTestClock, type TestClock } from "../support/clock";

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
let asked: string[];
let view: View<Thing>;

beforeEach(() => {
  clock = createTestClock(0);
  things = new Map([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  unlisted = new Set();
  broken = new Set();
  asked = [];
  view = createLooks(source(), clock, 1_000);
});
afterEach(() => {
  clock.close();
});

function source(): Source<Thing> {
  return {
    async one(id) {
      asked.push(id);
      await Promise.resolve();
      if (broken.has(id)) throw new Error(`${id} is broken`);
      const value = things.get(id);
      return value === undefined ? undefined : { id, value };
    },
    async all() {
      asked.push("*");
      await Promise.resolve();
      if (broken.has("*")) throw new Error("the list is broken");
      return [...things].filter(([id]) => !unlisted.has(id)).map(([id, value]) => ({ id, value }));
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
    expect(await all(view.next("a", 0, FAR))).toEqual([1]);
    expect(asked).toEqual(["a"]);
  });

  test("several share one list", async () => {
    expect(await all(view.next("a", 0, FAR), view.next("b", 0, FAR), view.next("c", 0, FAR))).toEqual([1, 2, 3]);
    expect(asked).toEqual(["*"]);
  });

  test("several of one object share one request", async () => {
    expect(await all(view.next("a", 0, FAR), view.next("a", 0, FAR))).toEqual([1, 1]);
    expect(asked).toEqual(["a"]);
  });

  test("a hundred cost what two do", async () => {
    for (let index = 0; index < 100; index++) things.set(`t${index}`, index);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => view.next(`t${index}`, 1_000, FAR)));
    }
    expect(asked).toEqual(["*", "*", "*"]);
  });

  test("whoever is due later comes along when somebody is due sooner", async () => {
    const startedMs = clock.now();
    await all(view.next("a", 9_000, FAR), view.next("b", 2_000, FAR));
    expect(clock.now() - startedMs).toBe(2_000);
    expect(asked).toEqual(["*"]);
  });

  test("looks never follow each other faster than the interval", async () => {
    await view.next("a", 0, FAR);
    const startedMs = clock.now();
    await view.next("a", 0, FAR);
    expect(clock.now() - startedMs).toBe(1_000);
  });
});

describe("a list", () => {
  test("is no proof that something is gone: it is asked for by itself", async () => {
    unlisted.add("b");
    expect(await all(view.next("a", 0, FAR), view.next("b", 0, FAR))).toEqual([1, 2]);
    expect(asked).toEqual(["*", "b"]);
    things.delete("c");
    expect(await all(view.next("a", 0, FAR), view.next("c", 0, FAR))).toEqual([1, undefined]);
  });

  test("that fails, fails for those who shared it, and for nobody later", async () => {
    broken.add("*");
    const looks = await Promise.allSettled([view.next("a", 0, FAR), view.next("b", 0, FAR)]);
    expect(looks.map((look) => look.status)).toEqual(["rejected", "rejected"]);
    broken.clear();
    expect(await all(view.next("a", 0, FAR), view.next("b", 0, FAR))).toEqual([1, 2]);
  });

  test("one object that fails by itself is nothing to the others", async () => {
    unlisted.add("b");
    broken.add("b");
    const looks = await Promise.allSettled([view.next("a", 0, FAR), view.next("b", 0, FAR), view.next("c", 0, FAR)]);
    expect(looks.map((look) => look.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});

describe("what was seen a moment ago", () => {
  test("serves who allows it, and only so long", async () => {
    await view.all();
    expect(await all(view.look("a", { maxAgeMs: 1_000 }), view.look("b", { maxAgeMs: 1_000 }))).toEqual([1, 2]);
    expect(asked).toEqual(["*"]);
    await clock.sleep(1_500);
    await view.look("a", { maxAgeMs: 1_000 });
    expect(asked).toEqual(["*", "a"]);
  });

  test("does not count for an object that was changed since", async () => {
    await view.all();
    things.set("a", 7);
    view.changed("a");
    expect(await all(view.look("a", { maxAgeMs: 60_000 }), view.look("b", { maxAgeMs: 60_000 }))).toEqual([7, 2]);
    expect(asked).toEqual(["*", "a"]);
  });

  test("does not count for who does not ask for it", async () => {
    await view.all();
    things.set("a", 7);
    expect(await all(view.look("a"))).toEqual([7]);
  });

  test("is no proof of absence", async () => {
    await view.all();
    things.set("new", 9);
    expect(await all(view.look("new", { maxAgeMs: 60_000 }))).toEqual([9]);
  });
});
