// The shared eyes of the process: everyone who wants to see objects of one collection shares one request.
// A single object is fetched by itself; as soon as two are wanted at once, one list serves them all, and whoever is
// missing from the list is asked for by id, because a list may lag behind and is never proof that something is gone.

import type { Clock } from "../domain/clock";

/** How one collection of the API is read. `one` answers undefined for a 404. */
export interface Source<O> {
  one(id: string, deadlineMs: number): Promise<O | undefined>;
  all(deadlineMs: number): Promise<O[]>;
  idOf(item: O): string;
}

export interface View<O> {
  /** One look. `maxAgeMs` allows what a list showed that short a time ago, unless the object was changed since. */
  look(id: string, options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<O | undefined>;
  /** One look for this object alone, at once: for one that most likely is as it is awaited. */
  own(id: string, deadlineMs: number): Promise<O | undefined>;
  /** The next shared look, about `inMs` from now; sooner when somebody else's comes first. */
  next(id: string, inMs: number, deadlineMs: number): Promise<O | undefined>;
  /** Whether a list that began after the object was last changed lacks it. No request. */
  lacks(id: string): boolean;
  /** Everything there is. */
  all(options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<readonly O[]>;
  /** Something was sent to the object: what was seen before no longer counts. */
  changed(id: string): void;
}

interface Request<O> {
  id: string;
  deadlineMs: number;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

/** What one list showed, and when it began: in time, and in the order of looks and changes. */
interface Snapshot<O> {
  startedMs: number;
  order: number;
  all: readonly O[];
  byId: ReadonlyMap<string, O>;
}

/** How long one look may go on trying when nobody set a limit. */
const LOOK_LIMIT_MS = 120_000;

export function createLooks<O>(source: Source<O>, clock: Clock, intervalMs: number): View<O> {
  // A clock is too coarse to tell whether a look began before or after a change; counting is not.
  let order = 0;
  const changes = new Map<string, number>();
  let snapshot: Snapshot<O> | undefined;
  let listing: { startedMs: number; done: Promise<Snapshot<O>> } | undefined;

  let waiting: Request<O>[] = [];
  let dueMs = Number.POSITIVE_INFINITY;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let wake: AbortController | undefined;
  let isRunning = false;

  function list(deadlineMs: number): Promise<Snapshot<O>> {
    order += 1;
    const began = { startedMs: clock.now(), order };
    const done = source.all(deadlineMs).then((all) => {
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
  async function recent(maxAgeMs: number | undefined): Promise<Snapshot<O> | undefined> {
    if (maxAgeMs === undefined) return undefined;
    const sinceMs = clock.now() - maxAgeMs;
    if (snapshot !== undefined && snapshot.startedMs >= sinceMs) return snapshot;
    if (listing === undefined || listing.startedMs < sinceMs) return undefined;
    return listing.done.catch(() => undefined);
  }

  async function serve(batch: readonly Request<O>[]): Promise<void> {
    lastStartMs = clock.now();
    const deadlineMs = batch.reduce((least, request) => Math.min(least, request.deadlineMs), Number.POSITIVE_INFINITY);
    const byId = new Map<string, Request<O>[]>();
    for (const request of batch) byId.set(request.id, [...(byId.get(request.id) ?? []), request]);
    let seen: ReadonlyMap<string, O> = new Map();
    try {
      if (byId.size > 1) seen = (await list(deadlineMs)).byId;
    } catch (error) {
      for (const request of batch) request.reject(error);
      return;
    }
    const answers = [...byId].map(([id, requests]) => {
      const item = seen.get(id);
      // One that fails, or takes its time, is nothing to the others.
      const answer = item === undefined ? source.one(id, deadlineMs) : Promise.resolve(item);
      for (const request of requests) request.resolve(answer);
      return answer;
    });
    await Promise.allSettled(answers);
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
      await serve(batch);
    }
    isRunning = false;
  }

  function ask(id: string, whenMs: number, deadlineMs: number): Promise<O | undefined> {
    return new Promise((resolve, reject) => {
      waiting.push({ id, deadlineMs, resolve, reject });
      if (whenMs < dueMs) {
        dueMs = whenMs;
        wake?.abort();
      }
      if (isRunning) return;
      isRunning = true;
      void run();
    });
  }

  const limit = (deadlineMs: number | undefined): number => deadlineMs ?? clock.now() + LOOK_LIMIT_MS;

  return {
    async look(id, { maxAgeMs, deadlineMs } = {}) {
      const known = await recent(maxAgeMs);
      if (known === undefined || known.order < (changes.get(id) ?? 0)) return ask(id, clock.now(), limit(deadlineMs));
      return known.byId.get(id) ?? source.one(id, limit(deadlineMs));
    },
    own: (id, deadlineMs) => source.one(id, deadlineMs),
    next(id, inMs, deadlineMs) {
      return ask(id, Math.max(clock.now() + inMs, lastStartMs + intervalMs), deadlineMs);
    },
    lacks: (id) => snapshot !== undefined && snapshot.order > (changes.get(id) ?? 0) && !snapshot.byId.has(id),
    async all({ maxAgeMs, deadlineMs } = {}) {
      const { all } = (await recent(maxAgeMs)) ?? (await list(limit(deadlineMs)));
      return all;
    },
    changed(id) {
      order += 1;
      changes.set(id, order);
    },
  };
}
