// The shared reads of the process: all waiters for objects of one collection share one request. A single object is read by
// itself; two or more at once are read with one list. An object that the list lacks is then read by id, because a list may
// lag behind and never proves that an object is gone. No waiter waits for the read of another's object, each read is
// bounded, and each waiter keeps its own deadline.

import { troubleOf } from "../../api/http/retry";
import { orAborted } from "../../domain/values/abort";
import type { Clock } from "../../domain/values/clock";
import { ApiError, TransportError } from "../../domain/errors";
import { mayHold } from "../../domain/listed";
import type { Reader, ReadLimits, Source } from "./reader";
import type { Snapshot } from "./snapshot";

interface Request<O> {
  id: string;
  deadlineMs: number;
  answer: Promise<O | undefined>;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

function requestFor<O>(id: string, deadlineMs: number): Request<O> {
  let settle: Pick<Request<O>, "resolve" | "reject"> = { resolve: () => undefined, reject: () => undefined };
  const answer = new Promise<O | undefined>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { id, deadlineMs, answer, ...settle };
}

/** Time limit of a repeated read without a deadline of its own. */
const READ_LIMIT_MS = 120_000;
/** Time limit of one poll. */
const READ_TIMEOUT_MS = 15_000;
/** Least time limit, for a read that begins at the deadline itself. */
const LAST_READ_MS = 10_000;

export function createSharedReader<O>(source: Source<O>, clock: Clock, intervalMs: number): Reader<O> {
  // A clock is too coarse to tell whether a read began before or after a change; a counter is exact.
  let order = 0;
  const changes = new Map<string, number>();
  let snapshot: Snapshot<O> | undefined;
  let listing: { startedMs: number; done: Promise<Snapshot<O>> } | undefined;

  const throttled = new Map<string, { untilMs: number; error: unknown }>();
  let waiting = new Set<Request<O>>();
  let dueMs = Number.POSITIVE_INFINITY;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let wake: AbortController | undefined;
  let isRunning = false;

  function list(limits: ReadLimits): Promise<Snapshot<O>> {
    order += 1;
    const began = { startedMs: clock.now(), order };
    const done = source.all(limits).then((all) => {
      const mine = { ...began, all, byId: new Map(all.map((item) => [source.idOf(item), item])) };
      if (snapshot === undefined || snapshot.order < mine.order) snapshot = mine;
      return mine;
    });
    const mine = { startedMs: began.startedMs, done };
    listing = mine;
    const forget = (): void => {
      if (listing === mine) listing = undefined;
    };
    done.then(forget, forget);
    return done;
  }

  /** A list that began at most `maxAgeMs` ago, also one that is still under way. */
  async function recent(maxAgeMs: number | undefined, deadlineMs: number): Promise<Snapshot<O> | undefined> {
    if (maxAgeMs === undefined) return undefined;
    const sinceMs = clock.now() - maxAgeMs;
    if (snapshot !== undefined && snapshot.startedMs >= sinceMs) return snapshot;
    if (listing === undefined || listing.startedMs < sinceMs) return undefined;
    return within(listing.done, deadlineMs).catch(() => undefined);
  }

  /** Rejects once the deadline has passed; a read that begins near or after it gets the least time limit. */
  async function within<T>(answer: Promise<T>, deadlineMs: number): Promise<T> {
    const limit = new AbortController();
    const leftMs = Math.max(deadlineMs - clock.now(), LAST_READ_MS);
    const late = clock.sleep(leftMs, limit.signal).then(() => {
      throw new TransportError("read", "maybe", "no answer before the deadline");
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      late.catch(() => undefined);
      limit.abort();
    }
  }

  const bounded = (deadlineMs: number): ReadLimits => ({
    deadlineMs,
    attempts: "onlyThrottled",
    timeoutMs: READ_TIMEOUT_MS,
  });

  /** One bounded read. While the server's pause for this object lasts, every read of it fails with the last error. */
  async function readOnce(id: string, deadlineMs: number): Promise<O | undefined> {
    const pause = throttled.get(id);
    if (pause !== undefined && clock.now() < pause.untilMs) throw pause.error;
    throttled.delete(id);
    try {
      return await source.one(id, bounded(deadlineMs));
    } catch (error) {
      const pauseMs = pauseAfter(error, 0);
      if (pauseMs > 0) throttled.set(id, { untilMs: clock.now() + pauseMs, error });
      throw error;
    }
  }

  /** Gives each request its answer as it comes. Resolves with the shared list, and does not wait for single reads. */
  async function serve(batch: readonly Request<O>[]): Promise<void> {
    lastStartMs = clock.now();
    const byId = new Map<string, Request<O>[]>();
    for (const request of batch) byId.set(request.id, [...(byId.get(request.id) ?? []), request]);
    let items: ReadonlyMap<string, O> = new Map();
    try {
      if (byId.size > 1) items = (await list(bounded(latest(batch)))).byId;
    } catch (error) {
      for (const request of batch) request.reject(error);
      return;
    }
    for (const [id, requests] of byId) {
      const item = items.get(id);
      const answer = item === undefined ? readOnce(id, latest(requests)) : Promise.resolve(item);
      for (const request of requests) request.resolve(answer);
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const waitMs = dueMs - clock.now();
      if (waitMs > 0) {
        wake = new AbortController();
        await clock.sleep(waitMs, wake.signal).catch(() => undefined);
        continue;
      }
      // All requests of this same turn of the event loop share one read.
      await Promise.resolve();
      const batch = [...waiting];
      waiting = new Set();
      dueMs = Number.POSITIVE_INFINITY;
      // One list at a time: requests that come in the meantime share the next one.
      await serve(batch);
    }
    dueMs = Number.POSITIVE_INFINITY;
    isRunning = false;
  }

  async function schedule(
    id: string,
    whenMs: number,
    deadlineMs: number,
    signal?: AbortSignal,
  ): Promise<O | undefined> {
    const request = requestFor<O>(id, deadlineMs);
    waiting.add(request);
    if (whenMs < dueMs) {
      dueMs = whenMs;
      wake?.abort();
    }
    if (!isRunning) {
      isRunning = true;
      void run();
    }
    try {
      return await within(orAborted(request.answer, signal), Math.max(deadlineMs, whenMs + LAST_READ_MS));
    } finally {
      // Nothing is sent for those who have left.
      waiting.delete(request);
      if (waiting.size === 0) wake?.abort();
    }
  }

  const limit = (deadlineMs: number | undefined): number => deadlineMs ?? clock.now() + READ_LIMIT_MS;

  /** As `schedule`, and when that fails once, reads this object alone until there is an answer. */
  async function readUntilAnswered(id: string, deadlineMs: number): Promise<O | undefined> {
    try {
      return await schedule(id, clock.now(), deadlineMs);
    } catch (error) {
      if (!isWorthAnother(error) || clock.now() >= deadlineMs) throw error;
      await clock.sleep(pauseAfter(error, intervalMs));
      return within(source.one(id, { deadlineMs }), deadlineMs);
    }
  }

  return {
    async get(id, { maxAgeMs, deadlineMs, isOnce } = {}) {
      const untilMs = limit(deadlineMs);
      const known = await recent(maxAgeMs, untilMs);
      const isUsable = known !== undefined && known.order >= (changes.get(id) ?? 0);
      const item = isUsable ? known.byId.get(id) : undefined;
      if (item !== undefined) return item;
      if (isOnce === true)
        return isUsable ? within(readOnce(id, untilMs), untilMs) : schedule(id, clock.now(), untilMs);
      return isUsable ? within(source.one(id, { deadlineMs: untilMs }), untilMs) : readUntilAnswered(id, untilMs);
    },
    fetch: (id, deadlineMs) => within(readOnce(id, deadlineMs), deadlineMs),
    nextPoll(id, inMs, deadlineMs, signal) {
      return schedule(id, Math.max(clock.now() + inMs, lastStartMs + intervalMs), deadlineMs, signal);
    },
    isMissingFromList: (id) =>
      snapshot !== undefined &&
      snapshot.order > (changes.get(id) ?? 0) &&
      !snapshot.byId.has(id) &&
      !mayHold(snapshot.all, id),
    async list({ maxAgeMs, deadlineMs } = {}) {
      const untilMs = limit(deadlineMs);
      const { all } = (await recent(maxAgeMs, untilMs)) ?? (await within(list({ deadlineMs: untilMs }), untilMs));
      return all;
    },
    invalidate(id) {
      order += 1;
      changes.set(id, order);
    },
  };
}

function latest(requests: readonly { deadlineMs: number }[]): number {
  return requests.reduce((most, { deadlineMs }) => Math.max(most, deadlineMs), Number.NEGATIVE_INFINITY);
}

/** Whether the client itself would have sent the read again. */
function isWorthAnother(error: unknown): boolean {
  return troubleOf(error instanceof TransportError ? error.cause : error) !== "final";
}

/** The pause that the server asked for, but at least `leastMs`. */
export function pauseAfter(error: unknown, leastMs: number): number {
  return Math.max(leastMs, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
}
