// The locks by themselves: one at a time for each key, and what a holder leaves is over before the next one begins.

import { expect, test } from "vitest";
import { createLocks } from "../../../provider/lifecycle/session/createSession";

test("work with one key runs in turn, however it ends; other keys do not wait", async () => {
  const locks = createLocks();
  const seen: string[] = [];
  const work = (name: string, turns: number) => async (): Promise<string> => {
    seen.push(`${name} begins`);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    seen.push(`${name} ends`);
    if (name === "a") throw new Error("a failed");
    return name;
  };
  const outcomes = await Promise.allSettled([
    locks.run("one", work("a", 9)),
    locks.run("one", work("b", 1)),
    locks.run("two", work("c", 1)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(seen).toEqual(["a begins", "c begins", "c ends", "a ends", "b begins", "b ends"]);
});

test.each(["well", "badly"])(
  "a registered settle runs once, before the next holder, also when it ends %s",
  async (end) => {
    const locks = createLocks();
    const seen: string[] = [];
    const work = (name: string) => (): Promise<void> => Promise.resolve(void seen.push(name));
    await locks.run("one", async () => {
      locks.settleBeforeNext("one", async () => {
        await Promise.resolve();
        seen.push("the rest");
        if (end === "badly") throw new Error("it ended badly");
      });
      return work("a")();
    });
    await locks.run("two", work("b"));
    await Promise.all([locks.run("one", work("c")), locks.run("one", work("d"))]);
    expect(seen).toEqual(["a", "b", "the rest", "c", "d"]);
  },
);
