// The shared reads of the process: all waiters for objects of one collection share one request. One object is read alone;
// two or more at once are read with one list. An object that the list lacks is then read by id, because a list may lag and
// never proves that an object is gone. No waiter waits for the read of another object, each read has a time limit, and each
// waiter keeps its own deadline.

import type { Turn } from "../../api/http/rate";
import { failureClassOf } from "../../api/http/retry";
import { ApiError, TransportError } from "../../domain/errors";
import type { Listed } from "../../domain/listed";
import { NOT_REACHED, orAborted } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";
import { type Clocks, createLists, type Listing, type Lists } from "./lists";
import { pauseAfter } from "./pace";
import { type Poll, PollQueue, type PollWish, type SharedRead } from "./pollQueue";
import type { ListOptions, PollOptions, Reader, ReadLimits, ReadOptions, Source } from "./session";

/** Default time limit of a repeated read without a deadline. */
const READ_LIMIT_MS = 120_000;
/**
 * After this many lists in a row without an answer, objects are read alone, `READ_ALONE` at a time. The next list comes
 * after as many such rounds as lists have failed, because all waiters wait for a list that is never answered.
 */
const LISTS_WITHOUT_ANSWER = 2;
const READ_ALONE = 16;
/** After this many polls without an answer, a caller that needs one reads the object alone. */
const POLLS_WITHOUT_ANSWER = 2;
/** During the pause after a list, at most this many single reads are under way at once; more share the next list. */
const MOST_ALONE = 16;

/** Its functions are own properties, because a resource may spread a reader and replace one of them. */
export class SharedReader<O> implements Reader<O> {
  readonly #one: Source<O>["one"];
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #readLimitMs: number;
  readonly #single: BoundedReads<O>;
  readonly #lists: Lists<O>;
  readonly #queue: PollQueue<O>;
  #listsWithoutAnswer = 0;
  #listError: unknown;
  #aloneSinceList = 0;
  /** The number of objects read alone so far; the next round begins after them. */
  #readAlone = 0;
  #aloneUnderWay = 0;
  /** The last list for callers of `list`, and the next one until it begins. */
  #last: Promise<Listing<O>> | undefined;
  #next: { deadlineMs: number; list: Promise<Listing<O>> } | undefined;

  constructor(source: Source<O>, clocks: Clocks, intervalMs: number, readLimitMs = READ_LIMIT_MS) {
    const { clock } = clocks;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#readLimitMs = readLimitMs;
    this.#lists = createLists(source, clocks);
    this.#one = (id, limits) => this.#lists.readAlone(id, () => source.one(id, limits));
    this.#single = createBoundedReads(this.#one, clock);
    this.#queue = new PollQueue({ clock, intervalMs, read: (polls, how) => this.#readFor(polls, how) });
  }

  readonly get = async (id: string, options: ReadOptions = {}): Promise<O | undefined> => {
    const { maxAgeMs, deadlineMs, isOnce, isReference } = options;
    const untilMs = deadlineMs ?? this.#clock.now() + this.#readLimitMs;
    // A shared read may be repeated until the deadline of other waiters. This caller then reads its object alone.
    const sharedMs = Math.min(untilMs, this.#clock.now() + READ_TIMEOUT_MS);
    const list = await this.#recent(maxAgeMs, sharedMs);
    const known = list !== undefined && this.#lists.isAsNewAs(list, id) ? list : undefined;
    const listed = known?.byId.get(id);
    const item = listed ?? (isReference === true ? await this.#recentAlone(id, maxAgeMs, sharedMs) : undefined);
    if (item !== undefined) return item;
    if (isOnce === true) return known === undefined ? this.#pollNow(id, untilMs) : this.fetch(id, untilMs);
    if (known === undefined) return this.#readUntilAnswered(id, untilMs);
    return this.#single.within(this.#one(id, { deadlineMs: untilMs }), untilMs);
  };

  readonly fetch = (id: string, deadlineMs: number, turn?: Turn): Promise<O | undefined> =>
    this.#single.within(this.#single.readOnce(id, deadlineMs, turn), deadlineMs);

  readonly nextPoll = (id: string, { inMs = 0, deadlineMs, signal }: PollOptions): Promise<O | undefined> =>
    this.#poll({ id, latestMs: this.#clock.now() + inMs, deadlineMs }, signal);

  readonly isMissingFromList = (id: string): boolean => this.#lists.isMissing(id);

  readonly list = async (options: ListOptions = {}): Promise<Listed<O>> => {
    const { maxAgeMs, answeredWithinMs = -1, deadlineMs, turn } = options;
    const untilMs = deadlineMs ?? this.#clock.now() + this.#readLimitMs;
    const answered = this.#lists.answeredWithin(answeredWithinMs);
    if (answered !== undefined) return answered.all;
    if (turn !== undefined) return (await this.#lists.read({ ...boundedBy(untilMs), turn })).all;
    const recent = await this.#recent(maxAgeMs, untilMs);
    const { all } = recent ?? (await this.#single.within(this.#nextList(untilMs), untilMs));
    return all;
  };

  readonly invalidate = (id: string): void => {
    this.#lists.invalidate(id);
  };

  /**
   * A list that begins after the call. All callers until it begins share it, and it is read until the last of their
   * deadlines. It begins once the one before it is answered, or takes long.
   */
  #nextList(deadlineMs: number): Promise<Listing<O>> {
    this.#next ??= { deadlineMs, list: this.#listAfter(this.#last) };
    this.#next.deadlineMs = Math.max(this.#next.deadlineMs, deadlineMs);
    return this.#next.list;
  }

  async #listAfter(last: Promise<Listing<O>> | undefined): Promise<Listing<O>> {
    await (last && this.#single.within(last, 0).catch(() => undefined));
    const { deadlineMs = 0 } = this.#next ?? {};
    this.#next = undefined;
    this.#last = this.#lists.read({ deadlineMs });
    return this.#last;
  }

  /** Gives each wait its answer when it arrives. Resolves with the shared list, without waiting for single reads. */
  async #readFor(polls: readonly Poll<O>[], how: SharedRead): Promise<void> {
    const byId = Map.groupBy(polls, ({ id }) => id);
    let items: ReadonlyMap<string, O> = new Map();
    try {
      if (how === "list") items = await this.#listFor(byId.size, latestOf(polls));
    } catch (error) {
      if (byId.size > 1 || asksForPause(error)) {
        const alone = await this.#readWithoutList(byId, error);
        for (const poll of polls) if (!alone.has(poll.id)) poll.reject(error);
        return;
      }
    }
    for (const [id, own] of byId) {
      const item = items.get(id);
      resolveAll(own, item === undefined ? this.#single.readOnce(id, latestOf(own)) : Promise.resolve(item));
    }
  }

  /** Fails with the error of the last list if it is too soon for another one. */
  async #listFor(objects: number, deadlineMs: number): Promise<ReadonlyMap<string, O>> {
    this.#aloneSinceList += Math.min(objects, READ_ALONE);
    const failures = this.#listsWithoutAnswer;
    const isFailing = failures >= LISTS_WITHOUT_ANSWER && mayObjectsAnswer(this.#listError);
    if (isFailing && this.#aloneSinceList <= READ_ALONE * failures) throw this.#listError;
    this.#aloneSinceList = 0;
    try {
      // A list for one object is useless if it takes long because the server asks for pauses.
      const soonMs = objects > 1 ? deadlineMs : Math.min(deadlineMs, this.#clock.now() + READ_TIMEOUT_MS);
      const { byId } = await this.#lists.read(boundedBy(soonMs));
      this.#listsWithoutAnswer = 0;
      return byId;
    } catch (error) {
      this.#listsWithoutAnswer += 1;
      this.#listError = error;
      throw error;
    }
  }

  /**
   * A list may always fail although each object can be read. One object is read first. If that is not answered either, the
   * server is down, and nothing more is sent. Returns the ids that were read alone.
   */
  async #readWithoutList(byId: ReadonlyMap<string, readonly Poll<O>[]>, error: unknown): Promise<ReadonlySet<string>> {
    if (this.#listsWithoutAnswer < LISTS_WITHOUT_ANSWER || !mayObjectsAnswer(error)) return new Set();
    const ids = [...byId.keys()].toSorted();
    const from = this.#readAlone % ids.length;
    const turn = [...ids.slice(from), ...ids.slice(0, from)].slice(0, READ_ALONE);
    const [first = ""] = turn;
    const read = (id: string): Promise<O | undefined> => this.#single.readOnce(id, latestOf(byId.get(id) ?? []));
    const answer = read(first);
    const isAnswered = await answer.then(
      () => true,
      () => false,
    );
    const alone = isAnswered ? turn : [first];
    this.#readAlone += alone.length;
    for (const id of alone) resolveAll(byId.get(id) ?? [], id === first ? answer : read(id));
    return new Set(alone);
  }

  async #poll(wish: PollWish, signal?: AbortSignal): Promise<O | undefined> {
    const { answer, leave } = this.#queue.join(wish);
    try {
      const untilMs = Math.max(wish.deadlineMs, wish.latestMs + LAST_READ_MS);
      return await this.#single.within(orAborted(answer, signal), untilMs);
    } finally {
      // Nothing is sent for waits that have left.
      leave();
    }
  }

  async #pollNow(id: string, deadlineMs: number): Promise<O | undefined> {
    if (!this.#queue.isPausedByList || this.#aloneUnderWay >= MOST_ALONE) {
      return this.#poll({ id, latestMs: this.#clock.now(), deadlineMs, isAtOnce: true });
    }
    this.#aloneUnderWay += 1;
    try {
      return await this.fetch(id, deadlineMs);
    } finally {
      this.#aloneUnderWay -= 1;
    }
  }

  /** Polls; after two failures reads this object alone until there is an answer. */
  async #readUntilAnswered(id: string, deadlineMs: number): Promise<O | undefined> {
    for (let polls = 1; polls <= POLLS_WITHOUT_ANSWER; polls += 1) {
      try {
        return await this.#pollNow(id, deadlineMs);
      } catch (error) {
        const pauseMs = pauseAfter(error, this.#intervalMs);
        if (!isWorthAnother(error) || this.#clock.now() + pauseMs > deadlineMs) throw error;
        await this.#clock.sleep(pauseMs);
      }
    }
    return this.#single.within(this.#one(id, { deadlineMs }), deadlineMs);
  }

  /** The answer of a single read that began at most `maxAgeMs` ago. If the object was missing, it is read again. */
  async #recentAlone(id: string, maxAgeMs: number | undefined, deadlineMs: number): Promise<O | undefined> {
    const answer = maxAgeMs === undefined ? undefined : this.#lists.recentAlone(id, maxAgeMs);
    return answer === undefined ? undefined : this.#single.within(answer, deadlineMs).catch(() => undefined);
  }

  /** A list that began at most `maxAgeMs` ago; it may still be under way. */
  async #recent(maxAgeMs: number | undefined, deadlineMs: number): Promise<Listing<O> | undefined> {
    const list = maxAgeMs === undefined ? undefined : this.#lists.recent(maxAgeMs);
    return list instanceof Promise ? this.#single.within(list, deadlineMs).catch(() => undefined) : list;
  }
}

function resolveAll<O>(polls: readonly Poll<O>[], answer: Promise<O | undefined>): void {
  for (const poll of polls) poll.resolve(answer);
}

/** False if the server refuses the key, or asks for a pause. */
function mayObjectsAnswer(error: unknown): boolean {
  return !(error instanceof ApiError) || (error.category === "server" && !asksForPause(error));
}

function asksForPause(error: unknown): boolean {
  return error instanceof ApiError && (error.category === "rate" || error.retryAfterMs !== undefined);
}

function latestOf(polls: readonly { deadlineMs: number }[]): number {
  return polls.reduce((most, { deadlineMs }) => Math.max(most, deadlineMs), Number.NEGATIVE_INFINITY);
}

/** Whether the client itself would have retried the read. */
function isWorthAnother(error: unknown): boolean {
  return failureClassOf(error instanceof TransportError ? error.cause : error) !== "final";
}

// Reads single objects, each with a time limit.

type BoundedReads<O> = ReturnType<typeof createBoundedReads<O>>;

/** Time limit of one poll. */
export const READ_TIMEOUT_MS = 15_000;
/** Minimum time limit, for a read that begins at the deadline. */
const LAST_READ_MS = 10_000;

function createBoundedReads<O>(one: (id: string, limits: ReadLimits) => Promise<O | undefined>, clock: Clock) {
  const throttled = new Map<string, { untilMs: number; error: unknown }>();
  return {
    /** Rejects once the deadline has passed; a read that begins near or after it gets the minimum time limit. */
    async within<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
      const limit = new AbortController();
      const leftMs = Math.max(deadlineMs - clock.now(), LAST_READ_MS);
      const late = clock.sleep(leftMs, limit.signal).then(() => {
        throw new TransportError("read", "maybe", "no answer before the deadline");
      });
      try {
        return await Promise.race([answer, late]);
      } finally {
        late.catch(() => undefined);
        limit.abort(NOT_REACHED);
      }
    },
    /** One read with a time limit. During a pause that the server asked for, every read of the object fails with the last error. */
    async readOnce(id: string, deadlineMs: number, turn?: Turn): Promise<O | undefined> {
      const pause = throttled.get(id);
      if (pause !== undefined && clock.now() < pause.untilMs) throw pause.error;
      throttled.delete(id);
      try {
        return await one(id, { ...boundedBy(deadlineMs), turn });
      } catch (error) {
        const pauseMs = pauseAfter(error, 0);
        if (pauseMs > 0) throttled.set(id, { untilMs: clock.now() + pauseMs, error });
        throw error;
      }
    },
  };
}

function boundedBy(deadlineMs: number): ReadLimits {
  return { deadlineMs, attempts: "onlyThrottled", timeoutMs: READ_TIMEOUT_MS };
}
