// Reads one collection for everybody in the process: one loop, which runs while somebody waits for an object or for the list.
// One list serves all of them; a single object is read by its id. What a list lacks is read by id too, because a list may lag
// and never proves that an object is gone, and so is everything while lists fail. Each caller keeps its own deadline.

import type { Turn } from "../../api/http/rate";
import { failureClassOf } from "../../api/http/retry";
import { TransportError } from "../../domain/errors";
import type { Listed } from "../../domain/listed";
import { NOT_REACHED, orAborted } from "../../domain/values/abort";
import { pauseAfter } from "./pace";
import { type Clocks, createSnapshots, type Snapshot, type Snapshots } from "./snapshots";
import type { ListOptions, PollOptions, Reader, ReadLimits, ReadOptions, Source } from "./session";

export interface ObserverOptions {
  intervalMs: number;
  intervalMaxMs: number;
  /** The requests of the client that may be under way at once. */
  maxConcurrency: number;
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
/** The distance of lists: this share of the interval, and this multiple of the time that the last one took. */
const DISTANCE = 1 / 4;
const DISTANCE_IN_LISTS = 4;
/** A second object that is wanted within this share of the interval: more will follow, and one list serves them all. */
const SOON = 1 / 2;

/** Somebody who waits for an object. */
interface Watch<O> {
  id: string;
  /** Only reads count that begin later, by their number. */
  from: number;
  dueMs: number;
  deadlineMs: number;
  /** An operation needs the read before it can begin: it does not wait for the distance of lists. */
  isAtOnce?: true;
  resolve(item: O | undefined): void;
  reject(error: unknown): void;
}

/** A list that is to be read, for all who want one until it begins. */
interface WantedList<O> extends PromiseWithResolvers<Snapshot<O>> {
  deadlineMs: number;
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
  #nextListMs = Number.NEGATIVE_INFINITY;
  /** The lists in a row that have failed, and the error of the last one. */
  #failures = 0;
  #listError: unknown;
  /** A list has failed, and nothing was answered since. */
  #isDown = false;
  /** The object that was last read because it was the only one. */
  #only: { id: string; beganMs: number } | undefined;
  /** A list with the client's retries, until it begins. */
  #patient: { deadlineMs: number; list: Promise<Snapshot<O>> } | undefined;
  #isRunning = false;
  #wake = new AbortController();

  constructor(source: Source<O>, clocks: Clocks, options: ObserverOptions) {
    this.#source = source;
    this.#clock = clocks.clock;
    this.#options = options;
    this.#snapshots = createSnapshots((item) => source.idOf(item), clocks);
  }

  readonly get = async (id: string, options: ReadOptions = {}): Promise<O | undefined> => {
    const { deadlineMs, isOnce } = options;
    const untilMs = deadlineMs ?? this.#limitMs();
    const known = await this.#recent(id, options, untilMs);
    if (known?.item !== undefined) return known.item;
    const read = (): Promise<O | undefined> => {
      if (known !== undefined) this.#queue.add(id);
      return this.#watch(id, { dueMs: this.#clock.now(), deadlineMs: untilMs, isAtOnce: true });
    };
    return isOnce === true ? read() : this.#repeated(untilMs, read, () => this.#one(id, { deadlineMs: untilMs }));
  };

  readonly fetch = (id: string, deadlineMs: number, turn?: Turn): Promise<O | undefined> =>
    this.#within(deadlineMs, this.#one(id, { ...boundedBy(deadlineMs), turn }));

  readonly nextPoll = (id: string, { inMs = 0, deadlineMs, signal }: PollOptions): Promise<O | undefined> =>
    this.#watch(id, { dueMs: this.#clock.now() + inMs, deadlineMs }, signal);

  readonly list = async (options: ListOptions = {}): Promise<Listed<O>> => {
    const { maxAgeMs, answeredWithinMs, deadlineMs, turn } = options;
    const untilMs = deadlineMs ?? this.#limitMs();
    const answered = answeredWithinMs === undefined ? undefined : this.#snapshots.answeredWithin(answeredWithinMs);
    if (answered !== undefined) return answered.all;
    if (turn !== undefined) return (await this.#snapshot({ ...boundedBy(untilMs), turn })).all;
    const known = maxAgeMs === undefined ? undefined : await this.#recentList(maxAgeMs, untilMs);
    const read = (): Promise<Snapshot<O>> => this.#within(untilMs, this.#nextList(untilMs));
    const { all } = known ?? (await this.#repeated(untilMs, read, () => this.#patientList(untilMs)));
    return all;
  };

  readonly absentSinceMs = (id: string): number | undefined => this.#snapshots.absentSinceMs(id);

  readonly hasShown = (): boolean => this.#snapshots.hasShown();

  readonly invalidate = (id: string): void => this.#snapshots.changed(id);

  // What was read a moment ago.

  /** Undefined without a recent read; no item if the list does not show it, so that it is read alone. */
  async #recent(
    id: string,
    { maxAgeMs, isReference }: ReadOptions,
    deadlineMs: number,
  ): Promise<{ item: O | undefined } | undefined> {
    if (maxAgeMs === undefined) return undefined;
    // A shared read may be repeated until the deadline of others. This caller then reads its object alone.
    const untilMs = Math.min(deadlineMs, this.#clock.now() + READ_TIMEOUT_MS);
    const single = isReference === true ? this.#snapshots.recentSingle(id, maxAgeMs) : undefined;
    const shown = await (single && this.#within(untilMs, single).catch(() => undefined));
    if (shown !== undefined) return { item: shown };
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

  async #watch(
    id: string,
    wish: Pick<Watch<O>, "dueMs" | "deadlineMs" | "isAtOnce">,
    signal?: AbortSignal,
  ): Promise<O | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const watch = { id, ...wish, from: this.#snapshots.begin().number, resolve, reject };
    this.#watches.add(watch);
    this.#wakeUp();
    try {
      const untilMs = Math.max(wish.deadlineMs, wish.dueMs + LAST_READ_MS);
      return await this.#within(untilMs, orAborted(promise, signal));
    } finally {
      // Nothing is read for those who have left.
      if (this.#watches.delete(watch)) this.#wakeUp();
    }
  }

  #nextList(deadlineMs: number): Promise<Snapshot<O>> {
    this.#wanted ??= { deadlineMs, ...Promise.withResolvers<Snapshot<O>>() };
    this.#wanted.deadlineMs = Math.max(this.#wanted.deadlineMs, deadlineMs);
    this.#wakeUp();
    return this.#wanted.promise;
  }

  /** All who are given up by the loop at one moment share it. */
  #patientList(deadlineMs: number): Promise<Snapshot<O>> {
    const begun = async (): Promise<Snapshot<O>> => {
      await Promise.resolve();
      const limits = { deadlineMs: this.#patient?.deadlineMs ?? deadlineMs };
      this.#patient = undefined;
      return this.#snapshot(limits);
    };
    this.#patient ??= { deadlineMs, list: begun() };
    this.#patient.deadlineMs = Math.max(this.#patient.deadlineMs, deadlineMs);
    return this.#patient.list;
  }

  /** Reads until there is an answer. After some failures the client repeats the read, which knows when to give a server up. */
  async #repeated<T>(deadlineMs: number, read: () => Promise<T>, readPatiently: () => Promise<T>): Promise<T> {
    for (let failures = 0; failures < FAILURES; failures += 1) {
      try {
        return await read();
      } catch (error) {
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
      throw new TransportError("read", "maybe", "no answer before the deadline");
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      late.catch(() => undefined);
      limit.abort(NOT_REACHED);
    }
  }

  // The loop.

  #wakeUp(): void {
    this.#wake.abort(NOT_REACHED);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      // All callers of the same turn of the event loop share one read.
      await Promise.resolve();
      const nextMs = this.#beginDue();
      if (nextMs === undefined) break;
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      const sleep =
        nextMs === Infinity ? new Promise(() => undefined) : this.#clock.sleep(nextMs - this.#clock.now(), signal);
      await orAborted(sleep, signal).catch(() => undefined);
    }
    this.#isRunning = false;
  }

  /** Begins what is due, and says when to look again; undefined when nobody waits for the loop. */
  #beginDue(): number | undefined {
    const nowMs = this.#clock.now();
    const due = [...this.#watches].filter(({ id, dueMs }) => dueMs <= nowMs && !this.#queue.has(id));
    const only = this.#onlyObject(nowMs);
    const isPause = this.#list === undefined && nowMs < this.#nextListMs;
    const isListWanted = this.#wanted !== undefined || (due.length > 0 && only === undefined);
    const beginsList = isListWanted && this.#list === undefined && !isPause;
    if (beginsList) void this.#readList();
    if (this.#failures >= FAILURES || (only !== undefined && !beginsList)) {
      if (only !== undefined && due.length > 0) this.#only = { id: only, beganMs: nowMs };
      for (const { id } of due) this.#queue.add(id);
    } else if (isPause) {
      const atOnce = due.filter(({ isAtOnce }) => isAtOnce).slice(0, this.#room());
      for (const { id } of atOnce) this.#queue.add(id);
    }
    this.#readQueue();
    const nextListMs = this.#list === undefined ? this.#nextListMs : Infinity;
    const waiting = [...this.#watches].filter(({ id }) => !this.#queue.has(id));
    if (waiting.length === 0 && this.#wanted === undefined) return undefined;
    return waiting.reduce(
      (least, { dueMs }) => Math.min(least, dueMs > nowMs ? dueMs : nextListMs),
      this.#wanted === undefined ? Infinity : nextListMs,
    );
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
    const asked = wanted === undefined ? this.#watches : [...this.#watches, wanted];
    this.#list = { beganMs, answer: this.#snapshot(boundedBy(latestOf(asked))) };
    let restMs = 0;
    try {
      const snapshot = await this.#list.answer;
      this.#failures = 0;
      wanted?.resolve(snapshot);
      for (const watch of this.#watches) {
        if (watch.from > snapshot.number) continue;
        const item = this.#snapshots.inList(watch.id, snapshot);
        if (item !== undefined) this.#watches.delete(watch) && watch.resolve(item);
        else if (watch.dueMs <= this.#clock.now()) this.#queue.add(watch.id);
      }
    } catch (error) {
      this.#listError = error;
      this.#isDown = true;
      this.#failures = Math.max(this.#failures + 1, isWorthAnother(error) ? 0 : FAILURES);
      wanted?.reject(error);
      restMs = pauseAfter(error, this.#failures * intervalMs);
    }
    const nowMs = this.#clock.now();
    const distanceMs = Math.min(DISTANCE_IN_LISTS * (nowMs - beganMs), intervalMaxMs);
    this.#nextListMs = Math.max(beganMs + Math.max(DISTANCE * intervalMs, distanceMs), nowMs + restMs);
    this.#list = undefined;
    this.#wakeUp();
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
    const watches = this.#leaving(id);
    if (watches.length === 0) return;
    this.#reading.add(id);
    try {
      const item = await this.#one(id, boundedBy(latestOf(watches)));
      for (const watch of watches) watch.resolve(item);
    } catch (error) {
      for (const watch of watches) watch.reject(error);
      if (this.#isDown && this.#failures >= FAILURES) this.#giveUp();
    }
    this.#reading.delete(id);
    this.#readQueue();
  }

  /** Neither the list nor the first object is answered: nothing more is sent for those who wait. */
  #giveUp(): void {
    for (const id of this.#queue) for (const watch of this.#leaving(id)) watch.reject(this.#listError);
  }

  /** Those who wait for the object; they have left the loop. */
  #leaving(id: string): Watch<O>[] {
    const watches = [...this.#watches].filter((watch) => watch.id === id);
    for (const watch of watches) this.#watches.delete(watch);
    this.#queue.delete(id);
    return watches;
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

/** Whether the client itself would have retried the read. */
function isWorthAnother(error: unknown): boolean {
  return failureClassOf(error instanceof TransportError ? error.cause : error) !== "final";
}
