// The waits of one collection, and the moment of their next shared read.

import type { Clock } from "../../domain/values/clock";
import type { Awaited, Forecast } from "./forecast";
import type { Expectation } from "./session";

/** What a wait asks of the next shared read. */
export interface PollWish {
  id: string;
  /** The read comes no later, unless another one is under way then. */
  latestMs: number;
  deadlineMs: number;
  expects?: Expectation | undefined;
}

/** One wait for the next shared read. */
export interface Poll<O> extends PollWish {
  joinedMs: number;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

/**
 * Least pause from one shared read to the next, as a share of the interval: a forecast never asks for more. A short one is
 * paid for by longer ones before it, up to so many intervals, so that in the long run the other one is least.
 */
const LEAST_PAUSE = { short: 0.46, longRun: 0.52 };
const MOST_SPARE = 3;
/** Least pause after an answer, so that reads which take long come less often. */
const REST = 0.42;
/** Waits that join within this share of the interval are planned for together. */
const TOGETHER = 0.05;
/** Where more than these wait, one more changes little, and a plan for all of them takes its time. */
const MANY = 128;

interface QueueParts<O> {
  clock: Clock;
  intervalMs: number;
  forecast: Forecast | undefined;
  /** Reads for all of them at once; resolves when the next shared read may begin. */
  read: (polls: readonly Poll<O>[]) => Promise<void>;
}

export class PollQueue<O> {
  readonly #parts: QueueParts<O>;
  #polls = new Set<Poll<O>>();
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #leastPause = new LeastPause();
  /** No read begins before. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  /** When the last read was due, if it came sooner: who waits on is read then too, so that no forecast makes it later. */
  #owedMs = Number.POSITIVE_INFINITY;
  /** When the next read was planned, and for when. */
  #plan = { madeMs: Number.NEGATIVE_INFINITY, readMs: Number.POSITIVE_INFINITY };
  #wakeMs = Number.POSITIVE_INFINITY;
  #wake: AbortController | undefined;
  #isRunning = false;

  constructor(parts: QueueParts<O>) {
    this.#parts = parts;
  }

  /** When the last shared read began. */
  get lastReadMs(): number {
    return this.#lastReadMs;
  }

  /** The answer of the next read, and how a wait leaves before it. */
  join(wish: PollWish): { answer: Promise<O | undefined>; leave: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const latestMs = Math.max(this.#earliestMs, Math.min(wish.latestMs, this.#owedMs));
    const poll = { ...wish, latestMs, joinedMs: this.#parts.clock.now(), resolve, reject };
    this.#polls.add(poll);
    this.#planAgain(poll.latestMs);
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#run();
    }
    return { answer: promise, leave: () => this.#leave(poll) };
  }

  #leave(poll: Poll<O>): void {
    if (!this.#polls.delete(poll) || this.#polls.size > 0) return;
    this.#wakeMs = Number.NEGATIVE_INFINITY;
    this.#wake?.abort();
  }

  async #run(): Promise<void> {
    const { clock, intervalMs, forecast, read } = this.#parts;
    while (this.#polls.size > 0) {
      this.#plan = { madeMs: clock.now(), readMs: this.#planRead() };
      if (this.#plan.readMs > clock.now()) {
        await this.#sleepUntil(this.#plan.readMs);
        continue;
      }
      // All waits of this same turn of the event loop share one read.
      await Promise.resolve();
      const batch = [...this.#polls];
      this.#polls.clear();
      if (batch.length === 0) continue;
      const pauseMs = clock.now() - this.#lastReadMs;
      forecast?.readBegan(pauseMs);
      this.#lastReadMs = clock.now();
      this.#earliestMs = this.#lastReadMs + intervalMs * this.#leastPause.after(pauseMs / intervalMs);
      const dueMs = leastOf(batch, ({ latestMs }) => latestMs);
      this.#owedMs = dueMs > this.#lastReadMs ? dueMs : Number.POSITIVE_INFINITY;
      // One list at a time: waits that join in the meantime share the next one.
      await read(batch);
      this.#earliestMs = Math.max(this.#earliestMs, clock.now() + REST * intervalMs);
    }
    this.#isRunning = false;
  }

  #planRead(): number {
    const { forecast } = this.#parts;
    const latestMs = Math.max(
      this.#earliestMs,
      leastOf(this.#polls, (poll) => poll.latestMs),
    );
    if (forecast === undefined) return latestMs;
    const awaited = [...this.#polls].flatMap(({ expects, joinedMs }): Awaited[] =>
      expects === undefined ? [] : [{ ...expects, pendingMs: joinedMs }],
    );
    const bestMs = forecast.nextReadMs(awaited, this.#earliestMs, latestMs);
    // Jitter, which a forecast may use, never goes beyond a deadline.
    return Math.min(
      bestMs,
      Math.max(
        latestMs,
        leastOf(this.#polls, ({ deadlineMs }) => deadlineMs),
      ),
    );
  }

  /** A wait that joins may bring the moment forward. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock } = this.#parts;
    this.#wakeMs = untilMs;
    for (let leftMs = untilMs - clock.now(); leftMs > 0; leftMs = this.#wakeMs - clock.now()) {
      this.#wake = new AbortController();
      await clock.sleep(leftMs, this.#wake.signal).catch(() => undefined);
    }
  }

  #planAgain(latestMs: number): void {
    const isDueSooner = latestMs < this.#plan.readMs;
    if (!isDueSooner && this.#polls.size > MANY) return;
    const againMs = isDueSooner ? latestMs : this.#plan.madeMs + TOGETHER * this.#parts.intervalMs;
    if (againMs >= this.#wakeMs) return;
    this.#wakeMs = againMs;
    this.#wake?.abort();
  }
}

class LeastPause {
  #spare = MOST_SPARE;

  /** The least pause after a read that came so long after the one before, in intervals. */
  after(pause: number): number {
    this.#spare = Math.min(MOST_SPARE, this.#spare + pause - LEAST_PAUSE.longRun);
    return Math.max(LEAST_PAUSE.short, LEAST_PAUSE.longRun - this.#spare);
  }
}

function leastOf<O>(polls: Iterable<Poll<O>>, of: (poll: Poll<O>) => number): number {
  return [...polls].reduce((least, poll) => Math.min(least, of(poll)), Number.POSITIVE_INFINITY);
}
