// What the reads of one collection have shown. Each read and each change gets a number when it begins, because a clock is too
// coarse to decide which of two began first. A read does not count for an object that was changed after it began, and a list
// does not count for an object whose own later read was answered.

import { createWatch, isEmpty, type Listed, mayHold, unreadableOf } from "../domain/listed";
import type { Clock, WallClock } from "../domain/values/clock";

export interface Clocks {
  clock: Clock;
  wallClock: WallClock;
}

/** When a read began. */
export interface Beginning {
  number: number;
  ms: number;
  wallMs: number;
}

/** When a list was answered, and how long lists were watched until then. */
interface Answered extends Beginning {
  watchedMs: number;
}

/** The items of one list. */
export interface Snapshot<O> extends Beginning {
  /** When the answer arrived. */
  answered: Answered;
  all: Listed<O>;
  byId: ReadonlyMap<string, O>;
}

/** One read of an object by its id; undefined is a 404. */
export interface SingleRead<O> extends Beginning {
  answer: Promise<O | undefined>;
}

/** How long the read of one object is kept. No caller takes an older one. */
const KEPT_MS = 60_000;

export type Snapshots<O> = ReturnType<typeof createSnapshots<O>>;

export function createSnapshots<O>(
  idOf: (item: O) => string,
  { clock, wallClock, longestGapMs }: Clocks & { longestGapMs: number },
) {
  let number = 0;
  let last: Snapshot<O> | undefined;
  /** The last list that showed anything. */
  let lastFull: Snapshot<O> | undefined;
  /** When the first list was answered that lacks what no later list has shown. */
  let first: Answered | undefined;
  /** The first of the last lists, if all of them showed nothing: they say nothing of one object, and all of them lack it. */
  let empty: Answered | undefined;
  /** When the first list was answered that lacks an object which an earlier read has shown. */
  const absent = new Map<string, Answered>();
  /** The last change of each object, or the last read by its id that showed it, if the last list began before that. */
  const touched = new Map<string, number>();
  const changes = new Map<string, number>();
  const single = new Map<string, SingleRead<O>>();
  const watch = createWatch(longestGapMs);
  const emptyWatch = createWatch(longestGapMs);
  /** All objects that any read has shown, as the last one did. What lists have lacked for long, or cannot show, has no item. */
  const everShown = new Map<string, O | undefined>();
  /** The first read that showed each object. */
  const firstShown = new Map<string, number>();
  /** The last answer to a read of each object by its id. */
  const alone = new Map<string, { number: number; item: O | undefined }>();
  /** What has answered by its id although the last list lacked it, until a list shows it: lists that lack it say nothing. */
  const hidden = new Set<string>();

  const shows = (id: string, item: O | undefined, readNumber: number): void => {
    everShown.set(id, item);
    if (!firstShown.has(id)) firstShown.set(id, readNumber);
  };
  const isMissing = (id: string): boolean => last !== undefined && !last.byId.has(id) && !mayHold(last.all, id);
  const begin = (): Beginning => ({ number: (number += 1), ms: clock.now(), wallMs: wallClock.epochMs() });
  const changeOf = (id: string): number => changes.get(id) ?? 0;

  function ageOf({ ms, wallMs }: Beginning): number {
    // The clock may stop while the machine sleeps, and the wall clock may not. The greater age only costs a read.
    return Math.max(clock.now() - ms, wallClock.epochMs() - wallMs);
  }

  return {
    begin,
    /** A list was answered. */
    listed(beginning: Beginning, all: Listed<O>): Snapshot<O> {
      const answered = begin();
      const snapshot = {
        ...beginning,
        answered: { ...answered, watchedMs: watch.until(answered.ms) },
        all,
        byId: new Map(all.map((item) => [idOf(item), item])),
      };
      if (last !== undefined && last.number > snapshot.number) return snapshot;
      last = snapshot;
      if (isEmpty(all)) {
        empty ??= { ...answered, watchedMs: emptyWatch.until(answered.ms) };
        emptyWatch.looked(answered.ms);
        return snapshot;
      }
      empty = undefined;
      watch.looked(answered.ms);
      const shown = new Set(idsIn(snapshot));
      for (const id of shown) hidden.delete(id);
      const over = [...touched].filter(([, touch]) => touch < snapshot.number).map(([id]) => id);
      for (const id of over) touched.delete(id);
      for (const id of [...(lastFull === undefined ? [] : idsIn(lastFull)), ...over]) {
        if (!shown.has(id)) absent.set(id, snapshot.answered);
      }
      for (const [id, { ms }] of absent) {
        if (shown.has(id)) absent.delete(id);
        else if (everShown.has(id) && snapshot.ms - ms > KEPT_MS) everShown.set(id, undefined);
      }
      for (const [id, read] of single) if (read.number < snapshot.number) single.delete(id);
      first ??= snapshot.answered;
      // What has no readable id may be any object.
      if (unreadableOf(all).some((item) => item.id === undefined)) {
        absent.clear();
        first = undefined;
      }
      lastFull = snapshot;
      for (const id of shown) shows(id, snapshot.byId.get(id) ?? everShown.get(id), snapshot.number);
      return snapshot;
    },
    /** Records a read of one object, which others may share while it is under way. */
    single(id: string, read: () => Promise<O | undefined>): Promise<O | undefined> {
      const beginning = begin();
      const answer = read().then((item) => {
        if ((alone.get(id)?.number ?? 0) < beginning.number) alone.set(id, { number: beginning.number, item });
        if (item === undefined) return undefined;
        if (isMissing(id) && beginning.number > (last?.number ?? 0)) hidden.add(id);
        shows(id, item, beginning.number);
        touched.set(id, Math.max(beginning.number, touched.get(id) ?? 0));
        return item;
      });
      single.delete(id);
      single.set(id, { ...beginning, answer });
      for (const [known, { ms }] of single) {
        if (beginning.ms - ms <= KEPT_MS) break;
        single.delete(known);
      }
      answer.catch(() => {
        if (single.get(id)?.number === beginning.number) single.delete(id);
      });
      return answer;
    },
    /** A call was sent for the object. */
    changed(id: string): void {
      changes.set(id, begin().number);
      touched.set(id, changeOf(id));
    },
    /** The last list, if it began at most `maxAgeMs` ago. */
    recent: (maxAgeMs: number): Snapshot<O> | undefined =>
      last !== undefined && ageOf(last) <= maxAgeMs ? last : undefined,
    /** The last list, if its answer arrived at most that long ago. */
    answeredWithin: (ms: number): Snapshot<O> | undefined =>
      last !== undefined && ageOf(last.answered) <= ms ? last : undefined,
    /** The object in this list, unless it was changed, or read by its id, after the list began. */
    inList(id: string, list: Snapshot<O>): O | undefined {
      const isLast = list.number > changeOf(id) && list.number > (single.get(id)?.number ?? 0);
      return isLast ? list.byId.get(id) : undefined;
    },
    /** The last read of the object by its id, if it began at most `maxAgeMs` ago and after the last change. */
    recentSingle(id: string, maxAgeMs: number): Promise<O | undefined> | undefined {
      const read = single.get(id);
      const isNew = read !== undefined && read.number > changeOf(id) && ageOf(read) <= maxAgeMs;
      return isNew ? read.answer : undefined;
    },
    /**
     * When the first list was answered that lacked the object, if all lists since then lack it; later by what nobody has
     * watched since. A read may have begun, and been repeated, long before the server looked. Undefined if the last list shows
     * the object, or what cannot be read and may be it, or the object was changed or shown after that list, or a list is known to
     * be cut that lacks it.
     */
    absentSinceMs(id: string): number | undefined {
      if (last === undefined || touched.has(id) || last.byId.has(id) || mayHold(last.all, id)) return undefined;
      if (hidden.has(id)) return undefined;
      const [since, watched] = empty === undefined ? [absent.get(id) ?? first, watch] : [empty, emptyWatch];
      const nowMs = clock.now();
      return since && nowMs - (watched.until(nowMs) - since.watchedMs);
    },
    shown: (): O[] => [...everShown.values()].filter((item) => item !== undefined),
    /** What was there before the last list, is not in it, and has answered by its id since. */
    unlisted: (): O[] =>
      [...alone].flatMap(([id, { number: read, item }]) => {
        const before = last?.number ?? 0;
        const isKnown = (firstShown.get(id) ?? read) < before && read > before;
        return item !== undefined && isKnown && isMissing(id) ? [item] : [];
      }),
    /** Of these, and of all that was shown, what the last list lacks. */
    missing: (ids: readonly string[]): string[] => [...new Set([...ids, ...everShown.keys()])].filter(isMissing),
    /**
     * Of these, and of all that was shown, what the last list lacks, and no read has shown since that list, or missed since
     * lists lack it.
     */
    unasked: (ids: readonly string[]): string[] =>
      [...new Set([...ids, ...everShown.keys()])].filter((id) => {
        const answered = alone.get(id);
        const lacking = answered?.item === undefined ? (absent.get(id) ?? first ?? last) : last;
        return isMissing(id) && (answered?.number ?? 0) <= (lacking?.number ?? 0);
      }),
    /** The state has these objects, so they were there before any list of this process. */
    expect: (ids: readonly string[]): void => {
      for (const id of ids) firstShown.set(id, 0);
    },
  };
}

/** The ids of all items, readable or not. */
function idsIn<O>({ all, byId }: Snapshot<O>): string[] {
  return [...byId.keys(), ...unreadableOf(all).flatMap(({ id }) => id ?? [])];
}
