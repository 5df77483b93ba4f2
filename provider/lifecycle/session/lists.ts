// The lists of one collection: keeps the last list, and shares one that is under way. A list does not count for an object
// that was changed, or read alone and answered, after the list began. Also keeps and shares the last single read of each object.

import { type Listed, mayHold } from "../../domain/listed";
import type { Clock, WallClock } from "../../domain/values/clock";
import type { ReadLimits } from "./session";

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
  answered: Moment;
  order: number;
  all: Listed<O>;
  byId: ReadonlyMap<string, O>;
}

export interface Lists<O> {
  /** Reads the collection. */
  read(limits: ReadLimits): Promise<Listing<O>>;
  /** A list that began at most `maxAgeMs` ago: the last one, or the promise of one under way. */
  recent(maxAgeMs: number): Listing<O> | Promise<Listing<O>> | undefined;
  /** The last list, if its answer arrived at most that long ago. */
  answeredWithin(ms: number): Listing<O> | undefined;
  /** Reads one object alone. */
  readAlone(id: string, read: () => Promise<O | undefined>): Promise<O | undefined>;
  /** The last read of the object alone, if it began at most `maxAgeMs` ago and after the object was last changed. */
  recentAlone(id: string, maxAgeMs: number): Promise<O | undefined> | undefined;
  /** Whether a list began after the object was last changed, and after the last answered read of it alone. */
  isAsNewAs(list: Listing<O>, id: string): boolean;
  /** Whether the last list began after the object was last changed, and lacks it. */
  isMissing(id: string): boolean;
  /** A call was sent for the object. */
  invalidate(id: string): void;
}

export function createLists<O>(
  source: { all(limits: ReadLimits): Promise<Listed<O>>; idOf(item: O): string },
  clocks: Clocks,
): Lists<O> {
  const order = createOrder();
  const { now, ageOf } = momentsOf(clocks);
  let last: Listing<O> | undefined;
  let underWay: { started: Moment; done: Promise<Listing<O>> } | undefined;

  async function read(limits: ReadLimits, began: { started: Moment; order: number }): Promise<Listing<O>> {
    const items = await source.all(limits);
    const list = {
      ...began,
      answered: now(),
      all: items,
      byId: new Map(items.map((item) => [source.idOf(item), item])),
    };
    if (last === undefined || last.order < list.order) last = list;
    return list;
  }

  return {
    read(limits) {
      const started = now();
      const mine = { started, done: read(limits, { started, order: order.next() }) };
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
    answeredWithin: (ms) => (last !== undefined && ageOf(last.answered) <= ms ? last : undefined),
    ...createReadsAlone<O>(order, { now, ageOf }),
    isAsNewAs: (list, id) => list.order >= order.ofLastAnswer(id),
    isMissing: (id) =>
      last !== undefined && last.order > order.ofLastChange(id) && !last.byId.has(id) && !mayHold(last.all, id),
    invalidate: order.changed,
  };
}

type ReadsAlone<O> = Pick<Lists<O>, "readAlone" | "recentAlone">;

/** The number of single reads that are kept. Few objects are referred to by many others, and a run may read thousands. */
const MOST_KEPT = 64;

function createReadsAlone<O>(order: Order, { now, ageOf }: Moments): ReadsAlone<O> {
  const reads = new Map<string, { started: Moment; order: number; done: Promise<O | undefined> }>();

  async function read(id: string, readOne: () => Promise<O | undefined>, mine: number): Promise<O | undefined> {
    const item = await readOne();
    order.answered(id, mine);
    return item;
  }

  return {
    readAlone(id, readOne) {
      const mine = order.next();
      const done = read(id, readOne, mine);
      reads.delete(id);
      reads.set(id, { started: now(), order: mine, done });
      const [oldest = id] = reads.keys();
      if (reads.size > MOST_KEPT) reads.delete(oldest);
      return done;
    },
    recentAlone(id, maxAgeMs) {
      const last = reads.get(id);
      const isNew = last !== undefined && last.order > order.ofLastChange(id) && ageOf(last.started) <= maxAgeMs;
      return isNew ? last.done : undefined;
    },
  };
}

type Moments = ReturnType<typeof momentsOf>;

function momentsOf({ clock, wallClock }: Clocks) {
  return {
    now: (): Moment => ({ ms: clock.now(), wallMs: wallClock.epochMs() }),
    // The clock may stop while the machine sleeps, and the wall clock may not. The greater age only costs a read.
    ageOf: ({ ms, wallMs }: Moment): number => Math.max(clock.now() - ms, wallClock.epochMs() - wallMs),
  };
}

type Order = ReturnType<typeof createOrder>;

/** The order of reads and changes. A clock is too coarse to decide which of two began first; a counter is exact. */
function createOrder() {
  let last = 0;
  const changes = new Map<string, number>();
  const answers = new Map<string, number>();
  const next = (): number => (last += 1);
  const ofLastChange = (id: string): number => changes.get(id) ?? 0;
  const ofLastAnswer = (id: string): number => Math.max(ofLastChange(id), answers.get(id) ?? 0);
  return {
    next,
    changed: (id: string): void => void changes.set(id, next()),
    /** A single read of the object, which got this number when it began. */
    answered: (id: string, order: number): void => void answers.set(id, Math.max(order, answers.get(id) ?? 0)),
    ofLastChange,
    /** The number of the last answered single read of the object, or of its last change. */
    ofLastAnswer,
  };
}
