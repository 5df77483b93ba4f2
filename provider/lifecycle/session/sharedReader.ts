// The shared reads of the process: everyone who awaits an object of one collection shares one request. A single object is
// fetched by itself; as soon as two are wanted at once, one list serves them all, and whoever is missing from the list is
// asked for by id, because a list may lag behind and is never proof that something is gone.
// Nobody waits for the read of an object that is not theirs, each read is bounded, and everyone keeps their own deadline.

import { troubleOf } from "../../api/http/retry";
import type { Clock } from "../../domain/values/clock";
import { ApiError, TransportError } from "../../domain/errors";
import { type Listed, mayHold } from "../../domain/listed";
import type { Snapshot } from "./snapshot";

/** How one read may behave. */
export interface ReadLimits {
  deadlineMs: number;
  /** A shared read is not repeated here, since whoever waits looks again; where the server asks for a pause, it is kept. */
  attempts?: "onlyThrottled";
  /** After so long without an answer, the read has failed. */
  timeoutMs?: number;
}

/** How one collection of the API is read. `one` answers undefined for a 404. */
export interface Source<O> {
  one(id: string, limits: ReadLimits): Promise<O | undefined>;
  all(limits: ReadLimits): Promise<Listed<O>>;
  idOf(item: O): string;
}

export interface ReadOptions {
  maxAgeMs?: number;
  deadlineMs?: number;
  isOnce?: true;
}

export interface Reader<O> {
  /**
   * Reads until there is an answer, or once and bounded. `maxAgeMs` allows what a list showed that short a time ago,
   * unless the object was changed since.
   */
  get(id: string, options?: ReadOptions): Promise<O | undefined>;
  /** One bounded read of this object alone, at once: for one that most likely is as it is awaited. */
  fetch(id: string, deadlineMs: number): Promise<O | undefined>;
  /** The next shared, bounded read, about `inMs` from now; sooner when somebody else's comes first. */
  nextPoll(id: string, inMs: number, deadlineMs: number): Promise<O | undefined>;
  /** Whether a list that began after the object was last changed lacks it. No request. */
  isMissingFromList(id: string): boolean;
  /** Everything there is. */
  list(options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<Listed<O>>;
  /** Something was sent to the object: what was seen before no longer counts. */
  invalidate(id: string): void;
}

interface Request<O> {
  id: string;
  deadlineMs: number;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

/** How long a read that is repeated may go on trying when nobody set a limit. */
const LOOK_LIMIT_MS = 120_000;
/** How long one read of those that are made again and again may take. */
const READ_TIMEOUT_MS = 15_000;
/** A read that begins at the deadline itself is given so long. */
const LAST_READ_MS = 10_000;

export function createSharedReader<O>(source: Source<O>, clock: Clock, intervalMs: number): Reader<O> {
  // A clock is too coarse to tell whether a read began before or after a change; counting is not.
  let order = 0;
  const changes = new Map<string, number>();
  let snapshot: Snapshot<O> | undefined;
  let listing: { startedMs: number; done: Promise<Snapshot<O>> } | undefined;

  const resting = new Map<string, { untilMs: number; error: unknown }>();
  let waiting: Request<O>[] = [];
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

  /** A list that began that short a time ago, also one that is still under way. */
  async function recent(maxAgeMs: number | undefined, deadlineMs: number): Promise<Snapshot<O> | undefined> {
    if (maxAgeMs === undefined) return undefined;
    const sinceMs = clock.now() - maxAgeMs;
    if (snapshot !== undefined && snapshot.startedMs >= sinceMs) return snapshot;
    if (listing === undefined || listing.startedMs < sinceMs) return undefined;
    return within(listing.done, deadlineMs).catch(() => undefined);
  }

  /** Rejects once the deadline has passed; a read that begins later than that still has its while. */
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

  /** An object whose reads the server wants to be rare is left alone for so long, whoever asks. */
  async function readOnce(id: string, deadlineMs: number): Promise<O | undefined> {
    const rest = resting.get(id);
    if (rest !== undefined && clock.now() < rest.untilMs) throw rest.error;
    resting.delete(id);
    try {
      return await source.one(id, bounded(deadlineMs));
    } catch (error) {
      const pauseMs = pauseAfter(error, 0);
      if (pauseMs > 0) resting.set(id, { untilMs: clock.now() + pauseMs, error });
      throw error;
    }
  }

  /** Gives everyone their answer as it comes. Resolves when the list that they share is there, and waits for no other. */
  async function serve(batch: readonly Request<O>[]): Promise<void> {
    lastStartMs = clock.now();
    const byId = new Map<string, Request<O>[]>();
    for (const request of batch) byId.set(request.id, [...(byId.get(request.id) ?? []), request]);
    let seen: ReadonlyMap<string, O> = new Map();
    try {
      if (byId.size > 1) seen = (await list(bounded(latest(batch)))).byId;
    } catch (error) {
      for (const request of batch) request.reject(error);
      return;
    }
    for (const [id, requests] of byId) {
      const item = seen.get(id);
      const answer = item === undefined ? readOnce(id, latest(requests)) : Promise.resolve(item);
      for (const request of requests) request.resolve(answer);
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const waitMs = dueMs - clock.now();
      if (waitMs > 0) {
        wake = new AbortController();
        await clock.sleep(waitMs, wake.signal).catch(() => undefined);
        continue;
      }
      // Everyone who asks in this same turn of the event loop shares the request.
      await Promise.resolve();
      const batch = waiting;
      waiting = [];
      dueMs = Number.POSITIVE_INFINITY;
      // One list at a time: whoever comes in the meantime shares the next one.
      await serve(batch);
    }
    isRunning = false;
  }

  function ask(id: string, whenMs: number, deadlineMs: number): Promise<O | undefined> {
    const answer = new Promise<O | undefined>((resolve, reject) => {
      waiting.push({ id, deadlineMs, resolve, reject });
      if (whenMs < dueMs) {
        dueMs = whenMs;
        wake?.abort();
      }
      if (isRunning) return;
      isRunning = true;
      void run();
    });
    return within(answer, Math.max(deadlineMs, whenMs + LAST_READ_MS));
  }

  const limit = (deadlineMs: number | undefined): number => deadlineMs ?? clock.now() + LOOK_LIMIT_MS;

  /** As `ask`, and when that fails once, for this object alone until there is an answer. */
  async function askUntilAnswered(id: string, deadlineMs: number): Promise<O | undefined> {
    try {
      return await ask(id, clock.now(), deadlineMs);
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
      if (isOnce === true) return isUsable ? within(readOnce(id, untilMs), untilMs) : ask(id, clock.now(), untilMs);
      return isUsable ? within(source.one(id, { deadlineMs: untilMs }), untilMs) : askUntilAnswered(id, untilMs);
    },
    fetch: (id, deadlineMs) => within(readOnce(id, deadlineMs), deadlineMs),
    nextPoll(id, inMs, deadlineMs) {
      return ask(id, Math.max(clock.now() + inMs, lastStartMs + intervalMs), deadlineMs);
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

/** What the client itself would have sent again. */
function isWorthAnother(error: unknown): boolean {
  return troubleOf(error instanceof TransportError ? error.cause : error) !== "final";
}

/** As long as the server asked to be left alone. */
export function pauseAfter(error: unknown, leastMs: number): number {
  return Math.max(leastMs, error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0);
}
