// The lists of one collection: keeps the last list, and shares one that is under way. A list does not count for an object
// that was changed, or read alone and answered, after the list began.

import type { Listed } from "../../domain/listed";
import type { Clock, WallClock } from "../../domain/values/clock";
import type { ReadLimits, Source } from "./session";

export interface Clocks {
  clock: Clock;
  wallClock: WallClock;
}

/** A time by both clocks. */
interface Moment {
  ms: number;
  wallMs: number;
}

/** The items of one list, and when it began: its time, and its number in the order of reads and changes. */
export interface Listing<O> {
  started: Moment;
  order: number;
  all: Listed<O>;
  byId: ReadonlyMap<string, O>;
}

export interface Lists<O> {
  /** Reads the collection. */
  read(limits: ReadLimits): Promise<Listing<O>>;
  /** A list that began at most `maxAgeMs` ago: the last one, or the promise of one under way. */
  recent(maxAgeMs: number): Listing<O> | Promise<Listing<O>> | undefined;
  /** Reads one object alone. */
  readAlone(id: string, limits: ReadLimits): Promise<O | undefined>;
  /** Whether a list began after the object was last changed, and after the last answered read of it alone. */
  isAsNewAs(list: Listing<O>, id: string): boolean;
  /** A call was sent for the object. */
  invalidate(id: string): void;
}

export function createLists<O>(source: Source<O>, { clock, wallClock }: Clocks): Lists<O> {
  // A clock is too coarse to decide which of two reads and changes began first; a counter is exact.
  let order = 0;
  const next = (): number => (order += 1);
  /** By object: the number of its last change, or of its last answered read alone. */
  const lastOf = new Map<string, number>();
  const count = (id: string, number: number): void => void lastOf.set(id, Math.max(number, lastOf.get(id) ?? 0));
  const now = (): Moment => ({ ms: clock.now(), wallMs: wallClock.epochMs() });
  // The clock may stop while the machine sleeps, and the wall clock may not. The greater age only costs a read.
  const ageOf = ({ ms, wallMs }: Moment): number => Math.max(clock.now() - ms, wallClock.epochMs() - wallMs);
  let last: Listing<O> | undefined;
  let underWay: { started: Moment; done: Promise<Listing<O>> } | undefined;

  async function read(limits: ReadLimits, began: { started: Moment; order: number }): Promise<Listing<O>> {
    const items = await source.all(limits);
    const list = { ...began, all: items, byId: new Map(items.map((item) => [source.idOf(item), item])) };
    if (last === undefined || last.order < list.order) last = list;
    return list;
  }

  return {
    read(limits) {
      const started = now();
      const mine = { started, done: read(limits, { started, order: next() }) };
      underWay = mine;
      const forget = (): void => {
        if (underWay === mine) underWay = undefined;
      };
      mine.done.then(forget, forget);
      return mine.done;
    },
    recent(maxAgeMs) {
      if (last !== undefined && ageOf(last.started) <= maxAgeMs) return last;
      return underWay === undefined || ageOf(underWay.started) > maxAgeMs ? undefined : underWay.done;
    },
    async readAlone(id, limits) {
      const mine = next();
      const item = await source.one(id, limits);
      count(id, mine);
      return item;
    },
    isAsNewAs: (list, id) => list.order >= (lastOf.get(id) ?? 0),
    invalidate: (id) => count(id, next()),
  };
}
