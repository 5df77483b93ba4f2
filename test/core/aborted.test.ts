// An operation that is aborted, at every request and every sleep of it in turn. Its waits end at once, nothing more is sent,
// and a change that was sent gets its answer: no object is lost, and the next run does only what is missing.

import { expect, test } from "vitest";
import { textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, errorOf, fault, open, world } from "./scene";

const WANTED = { name: "orders", cpuMillis: 1000, memoryGbs: 4, poolerEnabled: true, password: "correct horse" };
/** More than any operation here has. */
const MOST_EFFECTS = 500;

interface Aborted<T> {
  outcome: PromiseSettledResult<T>;
  /** Requests that began after the abort. */
  later: number;
  wasReached: boolean;
}

/** Ends the engine right before the nth request or sleep of the operation. */
async function abortAt<T>(nth: number, operation: () => Promise<T>): Promise<Aborted<T>> {
  let count = 0;
  let later = 0;
  world.onEffect((what) => {
    // The effect in whose beginning the abort falls goes on.
    if (count >= nth && what === "request") later += 1;
    count += 1;
    if (count === nth) world.endEngine();
  });
  const [outcome] = await Promise.allSettled([operation()]);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  world.onEffect(() => undefined);
  return { outcome, later, wasReached: count >= nth };
}

/** Each moment of an operation in a world of its own; ends with the moment that the operation does not reach. */
async function atEachMoment(
  prepare: () => Promise<void>,
  operate: () => Promise<Kept | undefined>,
  judge: (aborted: Aborted<Kept | undefined>, nth: number) => Promise<void>,
): Promise<number> {
  for (let nth = 1; nth < MOST_EFFECTS; nth += 1) {
    await open();
    await prepare();
    const aborted = await abortAt(nth, operate);
    if (!aborted.wasReached) return nth - 1;
    expect(aborted.later, `requests after the abort at moment ${nth}`).toBe(0);
    await judge(aborted, nth);
    await world.close();
  }
  throw new Error("the operation does not end");
}

/** Why it ended early; undefined when the abort came too late for that. */
function failureIn(outcome: PromiseSettledResult<Kept | undefined>): string | undefined {
  return outcome.status === "rejected" ? String(outcome.reason) : outcome.value?.failed;
}

const services = () => world.emulator.state().services;

test("a create keeps the id as soon as there is an object, and the next run does the rest", async () => {
  const moments = await atEachMoment(
    () => Promise.resolve(),
    () => world.service.create(WANTED),
    async ({ outcome }, nth) => {
      const kept = outcome.status === "fulfilled" ? outcome.value : undefined;
      expect(
        services().map(({ id }) => id),
        `moment ${nth}`,
      ).toEqual(kept === undefined ? [] : [kept.id]);
      const failure = failureIn(outcome);
      if (failure === undefined) return;
      expect(failure).toContain("the engine is gone");
      if (kept === undefined) return;
      expect(failure).toContain("exists and is kept in the state");
      expect(kept.outputs["__pending"]).not.toEqual([]);
      world.restart();
      world.service.preview(kept, WANTED);
      expect(world.warnings.join(), `moment ${nth}`).not.toMatch(/restarts the service(?!, if it is not so)/);
      await done(world.service.update(kept, WANTED));
      expect(services()).toMatchObject([{ id: kept.id, name: "orders", poolerEnabled: true }]);
    },
  );
  expect(moments).toBeGreaterThan(10);
});

test("an update records what landed and what is owed, and the next run does only the rest", async () => {
  let before: Kept;
  const news = { ...WANTED, cpuMillis: 2000, memoryGbs: 8, poolerEnabled: false, haReplicas: { replicaCount: 1 } };
  const moments = await atEachMoment(
    async () => {
      before = await world.service.create(WANTED);
      world.calls();
    },
    () => world.service.update(before, news),
    async ({ outcome }, nth) => {
      const first = world.calls();
      const kept = outcome.status === "fulfilled" ? outcome.value : undefined;
      // Without a state of its own the update has changed nothing.
      expect(kept !== undefined || first.length === 0, `moment ${nth}`).toBe(true);
      if (failureIn(outcome) === undefined) return;
      world.restart();
      const whole = await done(world.service.update(kept ?? before, news));
      const { password: _, ...shown } = news;
      expect(whole.outputs).toMatchObject(shown);
      const all = [...first, ...world.calls()];
      expect(all.toSorted(), `moment ${nth}`).toEqual(["disablePooler", "resize", "setHA"]);
    },
  );
  expect(moments).toBeGreaterThan(10);
});

test("a delete leaves the object in the state until it is gone", async () => {
  let kept: Kept;
  const moments = await atEachMoment(
    async () => {
      kept = await world.service.create(WANTED);
    },
    async () => {
      await world.service.remove(kept);
      return undefined;
    },
    async ({ outcome }) => {
      if (failureIn(outcome) === undefined) return;
      world.restart();
      await world.service.remove(kept);
      expect(services()).toEqual([]);
    },
  );
  expect(moments).toBeGreaterThan(3);
});

test("a create whose answer was lost says that its outcome is unknown", async () => {
  await open();
  fault({ kind: "lostAfter", operation: "createService" });
  // The read before the post, the wait for its turn, the post, and the first list after it.
  const { outcome } = await abortAt(4, () => world.service.create({ name: "orders" }));
  const reason = { code: "OUTCOME_UNKNOWN", message: textWith("the engine is gone") };
  expect(outcome).toMatchObject({ status: "rejected", reason });
  expect(services()).toHaveLength(1);
  world.restart();
  // The run that did not end has left a note, so what does not fit its create is not advised.
  const { message, hint } = await errorOf(world.service.create({ name: "orders" }));
  expect(message).toContain("there is already service");
  expect(hint).toMatch(
    /^An earlier run sent this create at \S+ and recorded nothing\. If this is its object, adopt it: .*\nTo create a separate one.*$/,
  );
});

test("an operation that waits for another one's end does not begin", async () => {
  await open();
  const kept = await world.service.create({ name: "orders", cpuMillis: 500, memoryGbs: 2 });
  world.calls();
  fault({ kind: "stuck", status: "UPGRADING", operation: "resize" });
  const first = world.service.update(kept, { name: "orders", cpuMillis: 1000, memoryGbs: 4 });
  const second = errorOf(world.service.update(kept, { name: "bills", cpuMillis: 500, memoryGbs: 2 }));
  while (!world.progress.some((line) => line.startsWith("resize: UPGRADING"))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  world.endEngine();
  expect((await second).message).toContain("the engine is gone");
  expect((await first).failed).toContain("the engine is gone");
  expect(world.calls()).toEqual(["resize"]);
});
