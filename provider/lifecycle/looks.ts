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
  /** One look. `maxAgeMs` allows what was seen that short a time ago, unless the object was changed since. */
  look(id: string, options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<O | undefined>;
  /** The next shared look, about `inMs` from now; sooner when somebody else's comes first. */
  next(id: string, inMs: number, deadlineMs: number): Promise<O | undefined>;
  /** Everything there is. */
  all(options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<O[]>;
  /** Something was sent to the object: what was seen before no longer counts. */
  changed(id: string): void;
}

interface Request<O> {
  id: string;
  dueMs: number;
  deadlineMs: number;
  resolve(item: O | undefined): void;
  reject(error: unknown): void;
}

interface Snapshot<O> {
  startedMs: number;
  items: ReadonlyMap<string, O>;
}

/** How long one shared look may go on trying when nobody set a limit. */
const LOOK_LIMIT_MS = 120_000;

export function createLooks<O>(source: Source<O>, clock: Clock, intervalMs: number): View<O> {
  const waiting = new Set<Request<O>>();
  const changedMs = new Map<string, number>();
  let snapshot: Snapshot<O> | undefined;
  let listing: { startedMs: number; done: Promise<Snapshot<O>> } | undefined;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let wake: AbortController | undefined;
  let isRunning = false;

  function list(deadlineMs: number, notBeforeMs: number): Promise<Snapshot<O>> {
    if (listing !== undefined && listing.startedMs >= notBeforeMs) return listing.done;
    const startedMs = clock.now();
    const done = source.all(deadlineMs).then((items) => {
      snapshot = { startedMs, items: new Map(items.map((item) => [source.idOf(item), item])) };
      return snapshot;
    });
    const mine = { startedMs, done };
    listing = mine;
    const forget = (): void => {
      if (listing === mine) listing = undefined;
    };
    done.then(forget, forget);
    return done;
  }

  function recall(id: string, maxAgeMs: number): O | undefined {
    if (snapshot === undefined || snapshot.startedMs < clock.now() - maxAgeMs) return undefined;
    if (snapshot.startedMs <= (changedMs.get(id) ?? Number.NEGATIVE_INFINITY)) return undefined;
    return snapshot.items.get(id);
  }

  async function serve(batch: Request<O>[]): Promise<void> {
    lastStartMs = clock.now();
    const ids = [...new Set(batch.map((request) => request.id))];
    const deadlineMs = Math.max(...batch.map((request) => request.deadlineMs));
    try {
      const seen = ids.length > 1 ? (await list(deadlineMs, lastStartMs)).items : new Map<string, O>();
      const missing = ids.filter((id) => !seen.has(id));
      const singles = new Map(
        await Promise.all(missing.map(async (id) => [id, await source.one(id, deadlineMs)] as const)),
      );
      for (const request of batch) request.resolve(seen.get(request.id) ?? singles.get(request.id));
    } catch (error) {
      for (const request of batch) request.reject(error);
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const dueMs = Math.min(...[...waiting].map((request) => request.dueMs));
      const waitMs = dueMs - clock.now();
      if (waitMs > 0) {
        wake = new AbortController();
        await clock.sleep(waitMs, wake.signal).catch(() => undefined);
        continue;
      }
      // Everyone who asks in this same turn of the event loop shares the request.
      await Promise.resolve();
      const batch = [...waiting];
      waiting.clear();
      await serve(batch);
    }
    isRunning = false;
  }

  function ask(id: string, dueMs: number, deadlineMs: number): Promise<O | undefined> {
    return new Promise((resolve, reject) => {
      waiting.add({ id, dueMs, deadlineMs, resolve, reject });
      if (isRunning) {
        wake?.abort();
        return;
      }
      isRunning = true;
      void run();
    });
  }

  const limit = (deadlineMs: number | undefined): number => deadlineMs ?? clock.now() + LOOK_LIMIT_MS;

  return {
    async look(id, { maxAgeMs, deadlineMs } = {}) {
      const known = maxAgeMs === undefined ? undefined : recall(id, maxAgeMs);
      return known ?? ask(id, clock.now(), limit(deadlineMs));
    },
    next(id, inMs, deadlineMs) {
      return ask(id, Math.max(clock.now() + inMs, lastStartMs + intervalMs), deadlineMs);
    },
    async all({ maxAgeMs, deadlineMs } = {}) {
      if (maxAgeMs !== undefined && snapshot !== undefined && snapshot.startedMs >= clock.now() - maxAgeMs) {
        return [...snapshot.items.values()];
      }
      return [...(await list(limit(deadlineMs), clock.now())).items.values()];
    },
    changed(id) {
      changedMs.set(id, clock.now());
    },
  };
}
