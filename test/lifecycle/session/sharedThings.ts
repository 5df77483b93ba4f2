// A source of things behind a shared reader: what it holds, what it hides, and what it was asked.

import { afterEach, beforeEach } from "vitest";
import { listed, type Unreadable } from "../../../provider/domain/listed";
import type { Reader, Source } from "../../../provider/lifecycle/session/session";
import { SharedReader } from "../../../provider/lifecycle/session/sharedReader";
import { createTestClock, type TestClock } from "../../support/clock";

export interface Thing {
  id: string;
  value: number;
}

export const FAR = Number.MAX_SAFE_INTEGER;

export let clock: TestClock;
export let things: Map<string, number>;
/** Ids that lists leave out. */
export let unlisted: Set<string>;
/** Ids whose own request fails. */
export let broken: Set<string>;
/** Ids whose own request is never answered. */
export let silent: Set<string>;
export let unreadable: Unreadable[];
export let asked: string[];
export let view: Reader<Thing>;

let machineAheadMs = 0;

/** The machine's clock is set ahead by so much, or back. */
export function setMachine(byMs: number): void {
  machineAheadMs += byMs;
}

/** Starts over before each test. */
export function useSharedReads(): void {
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
    machineAheadMs = 0;
    const wallClock = { epochMs: () => clock.now() + machineAheadMs };
    view = new SharedReader(source(), { clock, wallClock }, 1_000);
  });
  afterEach(() => {
    clock.close();
  });
}

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

/** A poll that may take for ever. */
export const poll = (id: string, inMs = 0): Promise<Thing | undefined> => view.nextPoll(id, { inMs, deadlineMs: FAR });

export async function all(...reads: Promise<Thing | undefined>[]): Promise<(number | undefined)[]> {
  const seen = await Promise.all(reads);
  return seen.map((item) => item?.value);
}
