// Reads one collection for everybody in the process: one loop, which runs while somebody waits for an object or for the list.
// One list serves all of them; a single object is read by its id. What a list lacks is read by id too, because a list may lag
// and never proves that an object is gone, and so is everything while lists fail. Each caller keeps its own deadline.

import type { Turn } from "../api/http/rate";
import { failureClassOf } from "../api/http/exchange";
import { TransportError } from "../domain/errors";
import type { Listed } from "../domain/listed";
import { NOT_REACHED, onAbort, orAborted } from "../domain/values/abort";
import { pauseAfter } from "./pace";
import { type Clocks, createSnapshots, type Snapshot, type Snapshots } from "./sightings";
import type { ListOptions, PollOptions, Reader, ReadLimits, ReadOptions, Source } from "./session";

export interface ObserverOptions {
  intervalMs: number;
  intervalMaxMs: number;
  /** The requests of the client that may be under way at once. */
  maxConcurrency: number;
  /** The time between the answers of two lists beyond which nobody has watched. */
  longestGapMs: number;
  /** How long a read without a deadline is repeated. Default: two minutes. */
  readLimitMs?: number | undefined;
}

const READ_LIMIT_MS = 120_000;
/** Time limit of one read of the loop. */
const READ_TIMEOUT_MS = 15_000;
/** Minimum time limit, for a read that begins at the deadline. */
const LAST_READ_MS = 10_000;
/** After this many failures in a row, objects are read without the list, and a caller's read is left to the client's retries. */
const FAILURES = 2;
/**
 * The distance of lists, as a multiple of the time that the last one took: for a caller of `list`, whose operation needs one
 * alone, and for those who wait for an object; for these also as a share of the interval.
 */
const DISTANCE_IF_WANTED = 3;
const DISTANCE_IN_LISTS = 6;
const DISTANCE = 1 / 4;
/** A second object that is wanted within this share of the interval: more will follow, and one list serves them all. */
const SOON = 1 / 2;

/** Somebody who waits for an object. */
interface Watch<O> {
  id: string;
  /** Only reads count that begin later, by their number. */
  from: number;
  dueMs: number;
  /** The wait fails then. */
  deadlineMs: number;
  /** It does not wait for the distance of lists, because an operation needs the read, or the effect shows soon. */
  isAtOnce: boolean;
  resolve(item: O | undefined): void;
  reject(error: unknown): void;
}

/** A list that is to be read, for all who want one until it begins. */
interface WantedList<O> extends PromiseWithResolvers<Snapshot<O>> {
  deadlineMs: number;
  /** With the client's retries, which know when to give a server up. */
  isPatient: boolean;
}

/** Its functions are own properties, because a resource may spread a reader and replace one of them. */
export class Observer<O> implements Reader<O> {
  readonly #source: Source<O>;
  readonly #clock: Clocks["clock"];
  readonly #options: ObserverOptions;
  readonly #snapshots: Snapshots<O>;
  readonly #watches = new Set<Watch<O>>();
  /** The ids to be read alone, the oldest first, and those that are being read so. */
  readonly #queue = new Set<string>();
  readonly #reading = new Set<string>();
  #wanted: WantedList<O> | undefined;
  #list: { beganMs: number; answer: Promise<Snapshot<O>> } | undefined;
  /** When the next list may begin: for a caller of `list`, for an object that is to be read at once, and for all others. */
  #nextWantedMs = Number.NEGATIVE_INFINITY;
  #nextAtOnceMs = Number.NEGATIVE_INFINITY;
  #nextListMs = Number.NEGATIVE_INFINITY;
  /** The lists in a row that have failed, and the error of the last one. */
  #failures = 0;
  #listError: unknown;
  /** A list has failed, and nothing was answered since. */
  #isDown = false;
  /** The object that was last read because it was the only one. */
  #only: { id: string; beganMs: number } | undefined;
  /** Until when the loop sleeps; undefined while it does not run. */
  #sleep: { untilMs: number; wake: AbortController } | undefined;
  #isRunning = false;

  constructor(source: Source<O>, clocks: Clocks, options: ObserverOptions) {
    this.#source = source;
    this.#clock = clocks.clock;
    this.#options = options;
    this.#snapshots = createSnapshots((item) => source.idOf(item), { ...clocks, longestGapMs: options.longestGapMs });
  }

  readonly get = async (id: string, options: ReadOptions = {}): Promise<O | undefined> => {
    const { deadlineMs, isOnce, isAlone, maxAgeMs, turn } = options;
    const untilMs = deadlineMs ?? this.#limitMs();
    if (turn !== undefined) return this.fetch(id, untilMs, turn);
    const readPatiently = (): Promise<O | undefined> => this.#one(id, { deadlineMs: untilMs });
    if (isAlone === true) {
      const recent = maxAgeMs === undefined ? undefined : this.#snapshots.recentSingle(id, maxAgeMs);
      const shown = recent && (await this.#within(untilMs, recent).catch(() => undefined));
      return shown ?? this.#repeated(untilMs, () => this.fetch(id, untilMs), readPatiently);
    }
    const known = await this.#recent(id, options, untilMs);
    if (known?.item !== undefined) return known.item;
    const read = (): Promise<O | undefined> => {
      if (known !== undefined) this.#queue.add(id);
      return this.#watch(id, { inMs: 0, deadlineMs: untilMs, isAtOnce: true });
    };
    return isOnce === true ? read() : this.#repeated(untilMs, read, readPatiently);
  };

  readonly fetch = (id: string, deadlineMs: number, turn?: Turn): Promise<O | undefined> =>
    this.#within(deadlineMs, this.#one(id, { ...boundedBy(deadlineMs), turn }));

  readonly nextPoll = (id: string, { inMs = 0, isAtOnce = false, ...options }: PollOptions): Promise<O | undefined> =>
    orAborted(this.#watch(id, { inMs, isAtOnce, ...options }), options.signal);

  readonly list = async (options: ListOptions = {}): Promise<Listed<O>> => {
    const { maxAgeMs, answeredWithinMs = Number.NEGATIVE_INFINITY, deadlineMs, turn } = options;
    const untilMs = deadlineMs ?? this.#limitMs();
    const answered = this.#snapshots.answeredWithin(answeredWithinMs);
    if (answered !== undefined) return answered.all;
    if (turn !== undefined) return (await this.#snapshot({ ...boundedBy(untilMs), turn })).all;
    const known = maxAgeMs === undefined ? undefined : await this.#recentList(maxAgeMs, untilMs);
    const read = (isPatient: boolean): Promise<Snapshot<O>> =>
      this.#within(untilMs, this.#nextList(untilMs, isPatient));
    const { all } =
      known ??
      (await this.#repeated(
        untilMs,
        () => read(false),
        () => read(true),
      ));
    return all;
  };

  readonly absentSinceMs = (id: string): number | undefined => this.#snapshots.absentSinceMs(id);

  readonly shown = (): O[] => this.#snapshots.shown();

  readonly unlisted = async (others?: Parameters<Reader<O>["unlisted"]>[0]): Promise<O[]> => {
    if (others !== undefined) {
      const { ids, deadlineMs, turn } = others;
      this.#snapshots.expect(ids);
      await Promise.all(this.#snapshots.unasked(ids).map((id) => this.fetch(id, deadlineMs, turn)));
    }
    return this.#snapshots.unlisted();
  };

  readonly missing = (ids: readonly string[]): string[] => this.#snapshots.missing(ids);

  readonly invalidate = (id: string): void => this.#snapshots.changed(id);

  // What was read a moment ago.

  /** Undefined without a recent read; no item if the list does not show it, so that it is read alone. */
  async #recent(
    id: string,
    { maxAgeMs }: ReadOptions,
    deadlineMs: number,
  ): Promise<{ item: O | undefined } | undefined> {
    if (maxAgeMs === undefined) return undefined;
    // A shared read may be repeated until the deadline of others. This caller then reads its object alone.
    const untilMs = Math.min(deadlineMs, this.#clock.now() + READ_TIMEOUT_MS);
    const list = await this.#recentList(maxAgeMs, untilMs);
    return list && { item: this.#snapshots.inList(id, list) };
  }

  /** The last list, or the one under way. */
  async #recentList(maxAgeMs: number, deadlineMs: number): Promise<Snapshot<O> | undefined> {
    const last = this.#snapshots.recent(maxAgeMs);
    if (last !== undefined || this.#list === undefined) return last;
    const isRecent = this.#clock.now() - this.#list.beganMs <= maxAgeMs;
    return isRecent ? this.#within(deadlineMs, this.#list.answer).catch(() => undefined) : undefined;
  }

  // The callers.

  #limitMs(): number {
    return this.#clock.now() + (this.#options.readLimitMs ?? READ_LIMIT_MS);
  }

  #watch(
    id: string,
    wish: { inMs: number; deadlineMs: number; isAtOnce: boolean; signal?: AbortSignal | undefined },
  ): Promise<O | undefined> {
    const { inMs, isAtOnce, signal } = wish;
    const dueMs = this.#clock.now() + inMs;
    const deadlineMs = Math.max(wish.deadlineMs, dueMs + LAST_READ_MS);
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const watch = { id, from: this.#snapshots.begin().number, dueMs, deadlineMs, isAtOnce, resolve, reject };
    this.#watches.add(watch);
    this.#wakeUp(dueMs);
    if (signal === undefined) return promise;
    // Nothing is read for those who have left.
    const release = onAbort(signal, () => this.#leave(watch));
    promise.then(release, release);
    return promise;
  }

  #leave(watch: Watch<O>): void {
    this.#watches.delete(watch);
    if (this.#watches.size === 0) this.#wakeUp(Number.NEGATIVE_INFINITY);
  }

  #nextList(deadlineMs: number, isPatient: boolean): Promise<Snapshot<O>> {
    this.#wanted ??= { deadlineMs, isPatient, ...Promise.withResolvers<Snapshot<O>>() };
    this.#wanted.deadlineMs = Math.max(this.#wanted.deadlineMs, deadlineMs);
    this.#wanted.isPatient ||= isPatient;
    this.#wakeUp(this.#clock.now());
    return this.#wanted.promise;
  }

  /** Reads until there is an answer. After some failures, or without a connection, it is the client that repeats the read. */
  async #repeated<T>(deadlineMs: number, read: () => Promise<T>, readPatiently: () => Promise<T>): Promise<T> {
    for (let failures = 0; failures < FAILURES; failures += 1) {
      try {
        return await read();
      } catch (error) {
        if (failureClassOf(error) === "unsent") break;
        const pauseMs = pauseAfter(error, this.#options.intervalMs);
        if (!isWorthAnother(error) || this.#clock.now() + pauseMs > deadlineMs) throw error;
        await this.#clock.sleep(pauseMs);
      }
    }
    return this.#within(deadlineMs, readPatiently());
  }

  async #within<T>(deadlineMs: number, answer: Promise<T>): Promise<T> {
    const limit = new AbortController();
    const leftMs = Math.max(deadlineMs - this.#clock.now(), LAST_READ_MS);
    const late = this.#clock.sleep(leftMs, limit.signal).then(() => {
      throw tooLate();
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      late.catch(() => undefined);
      limit.abort(NOT_REACHED);
    }
  }

  // The loop.

  /** The loop looks again if it sleeps longer. */
  #wakeUp(dueMs: number): void {
    if (!this.#isRunning) void this.#run();
    else if (this.#sleep !== undefined && dueMs < this.#sleep.untilMs) this.#sleep.wake.abort(NOT_REACHED);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      // All callers of the same turn of the event loop share one read.
      await Promise.resolve();
      const untilMs = this.#beginDue();
      if (untilMs === undefined) break;
      const wake = new AbortController();
      this.#sleep = { untilMs, wake };
      const isOver =
        untilMs === Infinity
          ? new Promise(() => undefined)
          : this.#clock.sleep(untilMs - this.#clock.now(), wake.signal);
      await orAborted(isOver, wake.signal).catch(() => undefined);
      this.#sleep = undefined;
    }
    this.#isRunning = false;
  }

  /** Begins what is due, and says when to look again; undefined when nobody waits. */
  #beginDue(): number | undefined {
    const nowMs = this.#clock.now();
    for (const watch of this.#watches) if (watch.deadlineMs <= nowMs) this.#fail(watch, tooLate());
    const waiting = [...this.#watches].filter(({ id }) => !this.#queue.has(id) && !this.#reading.has(id));
    const due = waiting.filter(({ dueMs }) => dueMs <= nowMs);
    const only = this.#onlyObject(nowMs);
    const isWanted = this.#wanted !== undefined && (this.#wanted.isPatient || nowMs >= this.#nextWantedMs);
    const atOnce = due.filter(({ isAtOnce }) => isAtOnce);
    const nextMs = atOnce.length > 0 ? this.#nextAtOnceMs : this.#nextListMs;
    const isPause = this.#list === undefined && nowMs < nextMs && !isWanted;
    const isListDue = isWanted || (due.length > 0 && only === undefined && !isPause);
    const beginsList = isListDue && this.#list === undefined;
    if (beginsList) void this.#readList();
    if (this.#failures >= FAILURES || (only !== undefined && !beginsList)) {
      if (only !== undefined && due.length > 0) this.#only = { id: only, beganMs: nowMs };
      for (const { id } of due) this.#queue.add(id);
    } else if (isPause) {
      for (const { id } of atOnce.slice(0, this.#room())) this.#queue.add(id);
      // Who found no room waits for the list like all others.
      for (const watch of atOnce) watch.isAtOnce = false;
    }
    this.#readQueue();
    if (this.#watches.size === 0 && this.#wanted === undefined) return undefined;
    const nextListMs = this.#list === undefined ? this.#nextListMs : Infinity;
    const next = [this.#wanted === undefined || this.#list !== undefined ? Infinity : this.#nextWantedMs];
    for (const { id, dueMs, deadlineMs } of this.#watches) {
      next.push(deadlineMs);
      if (!this.#queue.has(id) && !this.#reading.has(id)) next.push(dueMs > nowMs ? dueMs : nextListMs);
    }
    return next.reduce((least, ms) => Math.min(least, ms));
  }

  /** The object, if all wait for one and the same, and no other was read so a moment ago. */
  #onlyObject(nowMs: number): string | undefined {
    const [first] = this.#watches;
    if (first === undefined) return undefined;
    for (const { id } of this.#watches) if (id !== first.id) return undefined;
    const before = this.#only;
    const isSoon = before !== undefined && nowMs < before.beganMs + SOON * this.#options.intervalMs;
    return isSoon && before.id !== first.id ? undefined : first.id;
  }

  /** Gives the list to all who wait. What it lacks is read alone, once that is due. */
  async #readList(): Promise<void> {
    const { intervalMs, intervalMaxMs } = this.#options;
    const beganMs = this.#clock.now();
    const wanted = this.#wanted;
    this.#wanted = undefined;
    const deadlineMs = latestOf(wanted === undefined ? this.#watches : [...this.#watches, wanted]);
    const answer = this.#snapshot(wanted?.isPatient === true ? { deadlineMs } : boundedBy(deadlineMs));
    this.#list = { beganMs, answer };
    let restMs = 0;
    try {
      const snapshot = await answer;
      this.#failures = 0;
      wanted?.resolve(snapshot);
      for (const watch of this.#watches) {
        if (watch.from > snapshot.number) continue;
        const item = this.#snapshots.inList(watch.id, snapshot);
        if (item !== undefined) this.#end(watch, item);
        else if (watch.isAtOnce || watch.dueMs <= this.#clock.now()) this.#queue.add(watch.id);
      }
    } catch (error) {
      this.#listError = error;
      this.#isDown = true;
      this.#failures = Math.max(this.#failures + 1, isWorthAnother(error) ? 0 : FAILURES);
      wanted?.reject(error);
      restMs = pauseAfter(error, this.#failures * intervalMs);
    }
    const nowMs = this.#clock.now();
    const after = (lists: number): number =>
      Math.max(beganMs + Math.min(lists * (nowMs - beganMs), intervalMaxMs), nowMs + restMs);
    this.#nextWantedMs = after(DISTANCE_IF_WANTED);
    this.#nextAtOnceMs = after(DISTANCE_IN_LISTS);
    this.#nextListMs = Math.max(beganMs + DISTANCE * intervalMs, this.#nextAtOnceMs);
    this.#list = undefined;
    this.#wakeUp(Number.NEGATIVE_INFINITY);
  }

  async #snapshot(limits: ReadLimits): Promise<Snapshot<O>> {
    const beginning = this.#snapshots.begin();
    const all = await this.#source.all(limits);
    this.#isDown = false;
    return this.#snapshots.listed(beginning, all);
  }

  // The reads of single objects: half the requests that may be under way at once, and one while the server may be down.

  #room(): number {
    const most = this.#isDown ? 1 : Math.max(1, Math.floor(this.#options.maxConcurrency / 2));
    return Math.max(0, most - this.#reading.size);
  }

  #readQueue(): void {
    for (const id of this.#queue) {
      if (this.#room() === 0) return;
      if (!this.#reading.has(id)) void this.#readAlone(id);
    }
  }

  async #readAlone(id: string): Promise<void> {
    this.#queue.delete(id);
    const watches = this.#watchesOf(id);
    if (watches.length === 0) return;
    this.#reading.add(id);
    try {
      const item = await this.#one(id, boundedBy(latestOf(watches)));
      for (const watch of watches) this.#end(watch, item);
    } catch (error) {
      for (const watch of watches) this.#fail(watch, error);
      // Neither the list nor the first object is answered: nothing more is sent for those who wait.
      if (this.#isDown && this.#failures >= FAILURES) this.#giveUp();
    }
    this.#reading.delete(id);
    this.#readQueue();
    this.#wakeUp(Number.NEGATIVE_INFINITY);
  }

  #giveUp(): void {
    for (const id of this.#queue) for (const watch of this.#watchesOf(id)) this.#fail(watch, this.#listError);
    this.#queue.clear();
  }

  #watchesOf(id: string): Watch<O>[] {
    return [...this.#watches].filter((watch) => watch.id === id);
  }

  #end(watch: Watch<O>, item: O | undefined): void {
    this.#watches.delete(watch);
    watch.resolve(item);
  }

  #fail(watch: Watch<O>, error: unknown): void {
    this.#watches.delete(watch);
    watch.reject(error);
  }

  #one(id: string, limits: ReadLimits): Promise<O | undefined> {
    return this.#snapshots.single(id, async () => {
      const item = await this.#source.one(id, limits);
      this.#isDown = false;
      return item;
    });
  }
}

function boundedBy(deadlineMs: number): ReadLimits {
  return { deadlineMs, attempts: "once", timeoutMs: READ_TIMEOUT_MS };
}

function latestOf(callers: Iterable<{ deadlineMs: number }>): number {
  return [...callers].reduce((latest, { deadlineMs }) => Math.max(latest, deadlineMs), Number.NEGATIVE_INFINITY);
}

function tooLate(): TransportError {
  return new TransportError("read", "maybe", "no answer before the deadline");
}

/** Whether the client itself would have retried the read. */
function isWorthAnother(error: unknown): boolean {
  return failureClassOf(error) !== "final";
}
