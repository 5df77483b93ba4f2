// A source of things behind a shared reader: what it holds, what it hides, and what it was asked.

import { afterEach, beforeEach } from "vitest";
import type { Reported } from "../../provider/core/reported";
import { listed, type Unreadable } from "../../provider/domain/listed";
import type { Reader, Source } from "../../provider/core/session";
import { Observer } from "../../provider/core/observer";
import { createTestClock, type TestClock } from "../support/clock";

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
/** The errors of the next requests, by id. */
export let failsWith: Map<string, Error[]>;
/** Ids whose own request is never answered. */
export let silent: Set<string>;
export let unreadable: Unreadable[];
export let asked: string[];
export let view: Reader<Thing>;

let machineAheadMs = 0;
let underWay = 0;
let mostUnderWay = 0;

/** How many requests were under way at once. */
export const mostAtOnce = { track: (): void => void (mostUnderWay = 0), seen: (): number => mostUnderWay };

/** A request takes a turn of the event loop. */
async function request(id: string): Promise<void> {
  asked.push(id);
  underWay += 1;
  mostUnderWay = Math.max(mostUnderWay, underWay);
  await Promise.resolve();
  underWay -= 1;
  if (silent.has(id)) await new Promise(() => undefined);
  const error = failsWith.get(id)?.shift() ?? (broken.has(id) ? new Error(`${id} is broken`) : undefined);
  if (error !== undefined) throw error;
}

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
    failsWith = new Map();
    silent = new Set();
    unreadable = [];
    asked = [];
    machineAheadMs = 0;
    view = observe(source());
  });
  afterEach(() => {
    clock.close();
  });
}

/** An observer with the usual settings. */
export function observe(from: Source<Thing>): Reader<Thing> {
  const wallClock = { epochMs: () => clock.now() + machineAheadMs };
  const settings = { intervalMs: 1_000, intervalMaxMs: 15_000, maxConcurrency: 16, longestGapMs: 10_000 };
  return new Observer(from, { clock, wallClock }, settings);
}

function source(): Source<Thing> {
  return {
    async one(id) {
      await request(id);
      const value = things.get(id);
      return value === undefined ? undefined : { id, value };
    },
    async all() {
      await request("*");
      return listed(
        [...things].filter(([id]) => !unlisted.has(id)).map(([id, value]) => ({ id, value })),
        unreadable,
      );
    },
    idOf: (item) => item.id,
  };
}

/** A thing as a kind reports it: its value says its status. */
export function reportedThing({ id, value }: Thing): Reported {
  return {
    id,
    name: id,
    status: value < 0 ? "deleted" : "READY",
    condition: value === 0 ? "deleting" : "settled",
    showsCondition: true,
    isWhole: false,
    live: () => ({ value }),
    outputs: () => ({}),
    describe: () => `thing ${id}`,
  };
}

/** A poll that may take for ever. */
export const poll = (id: string, inMs = 0): Promise<Thing | undefined> => view.nextPoll(id, { inMs, deadlineMs: FAR });

export async function all(...reads: Promise<Thing | undefined>[]): Promise<(number | undefined)[]> {
  const seen = await Promise.all(reads);
  return seen.map((item) => item?.value);
}
