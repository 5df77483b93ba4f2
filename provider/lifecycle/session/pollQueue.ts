// Holds the waits of one collection, and schedules their next shared read.

import type { Clock } from "../../domain/values/clock";
import type { Awaited, Forecast } from "./forecast";
import type { Expectation } from "./session";

/** The request of a wait to the next shared read. */
export interface PollWish {
  id: string;
  /** The read begins no later than this, unless another read is under way then. */
  latestMs: number;
  deadlineMs: number;
  expects?: Expectation | undefined;
  /** The read may begin during the pause after a list. */
  isUnpaused?: true;
}

/** One wait for the next shared read. */
export interface Poll<O> extends PollWish {
  joinedMs: number;
  /** The read is wanted at once: only a read under way, or the pause after a list, delays it. */
  isAtOnce: boolean;
  /** The wait joined while another read was under way, and waits for its end. */
  isNext: boolean;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

/**
 * Minimum pause from one shared read to the next, as a share of the interval; no forecast asks for a shorter one. The minimum
 * is `short` while earlier pauses were longer than `longRun`: short pauses use up their surplus of at most `MOST_SPARE`
 * intervals. Short pauses vary by `range`, so that reads do not stay in step with operations that end at regular intervals.
 */
const LEAST_PAUSE = { short: 0.44, range: 0.06, longRun: 0.52 };
const MOST_SPARE = 4;
/** Minimum pause after an answer, so that slow reads come less often. */
const REST = 0.4;
/** The fractional parts of its multiples are spread evenly over 0 to 1, however many there are. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;
/** Waits that join within this share of the interval are planned together. */
const TOGETHER = 0.05;
/** If more than this many wait, one more changes little, and a plan for all of them takes time to compute. */
const MANY = 128;

export type SharedRead = "list" | "object";

interface QueueParts<O> {
  clock: Clock;
  intervalMs: number;
  forecast: Forecast | undefined;
  /** Reads for all waits at once, with one list or the read of one object. Resolves when the next read may begin. */
  read: (polls: readonly Poll<O>[], how: SharedRead) => Promise<void>;
}

export class PollQueue<O> {
  readonly #parts: QueueParts<O>;
  #polls = new Set<Poll<O>>();
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #leastPause = new LeastPause();
  /** When the last scheduled read began, as opposed to one that was wanted at once. Only these count for the minimum pause. */
  #lastPlannedReadMs = Number.NEGATIVE_INFINITY;
  /** No read begins before this time. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  /** The target of the last read: the list, or the id of one object. */
  #last: { how: SharedRead; id: string | undefined } = { how: "object", id: undefined };
  /** When the last read was due, if a forecast brought it forward. Waits that are still pending are read at that time too. */
  #plannedMs = Number.POSITIVE_INFINITY;
  /** When the plan for the next read was made, and the planned time. */
  #plan = { madeMs: Number.NEGATIVE_INFINITY, readMs: Number.POSITIVE_INFINITY };
  #wakeMs = Number.POSITIVE_INFINITY;
  #wake: AbortController | undefined;
  #isRunning = false;
  #isReading = false;

  constructor(parts: QueueParts<O>) {
    this.#parts = parts;
  }

  /** When the last shared read began. */
  get lastReadMs(): number {
    return this.#lastReadMs;
  }

  /** Whether the pause after a list is under way, which is too long for a read that is wanted at once. */
  get isPausedByList(): boolean {
    return this.#last.how === "list" && !this.#isReading && this.#parts.clock.now() < this.#earliestMs;
  }

  /** The answer of the next read, and a function with which the wait leaves before it. */
  join(wish: PollWish): { answer: Promise<O | undefined>; leave: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const joinedMs = this.#parts.clock.now();
    // A wait that joins later waits for another read.
    const isPlanned = joinedMs <= Math.max(this.#plannedMs, this.#lastReadMs + this.#parts.intervalMs);
    const latestMs = isPlanned ? Math.min(wish.latestMs, this.#plannedMs) : wish.latestMs;
    const isAtOnce = wish.latestMs <= joinedMs;
    const poll = { ...wish, latestMs, joinedMs, isAtOnce, isNext: this.#isReading, resolve, reject };
    this.#polls.add(poll);
    this.#planAgain(this.#dueMs(poll));
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
    const { clock, intervalMs, read } = this.#parts;
    while (this.#polls.size > 0) {
      this.#plan = { madeMs: clock.now(), readMs: this.#planRead() };
      if (this.#plan.readMs > clock.now()) {
        await this.#sleepUntil(this.#plan.readMs);
        continue;
      }
      // All waits of the same turn of the event loop share one read.
      await Promise.resolve();
      const batch = [...this.#polls];
      this.#polls.clear();
      if (batch.length === 0) continue;
      const dueMs = leastOf(batch, (poll) => this.#dueMs(poll));
      this.#last = this.#nextRead(batch);
      this.#lastReadMs = clock.now();
      if (!batch.some(({ isAtOnce }) => isAtOnce)) this.#countRead();
      this.#earliestMs = this.#lastReadMs + intervalMs * this.#leastPause.intervals;
      this.#plannedMs = dueMs > this.#lastReadMs ? dueMs : Number.POSITIVE_INFINITY;
      // One list at a time: waits that join in the meantime share the next one.
      this.#isReading = true;
      await read(batch, this.#last.how);
      this.#isReading = false;
      this.#earliestMs = Math.max(this.#earliestMs, clock.now() + REST * intervalMs);
    }
    this.#isRunning = false;
  }

  /** For a scheduled read: a short pause before it uses up the surplus, and the credit of the forecast. */
  #countRead(): void {
    const { intervalMs, forecast } = this.#parts;
    const pauseMs = this.#lastReadMs - this.#lastPlannedReadMs;
    this.#lastPlannedReadMs = this.#lastReadMs;
    forecast?.readBegan(pauseMs);
    this.#leastPause.spend(pauseMs / intervalMs);
  }

  /** Whether a second object follows soon after the first one: then more will follow, and one list serves them all. */
  #nextRead(batch: readonly Poll<O>[]): { how: SharedRead; id: string | undefined } {
    const { id } = batch[0] ?? {};
    const isSoon = this.#last.how === "object" && this.#last.id !== id && this.#parts.clock.now() < this.#earliestMs;
    return isSoon || batch.some((poll) => poll.id !== id) ? { how: "list", id: undefined } : { how: "object", id };
  }

  /**
   * When the read is due. A read that is wanted at once does not wait for the pause after a single read. It waits for a list
   * that is under way, and not for the pause after it.
   */
  #dueMs({ latestMs, isAtOnce, isNext, isUnpaused }: Poll<O>): number {
    const isDue = isUnpaused ?? (isAtOnce && (isNext || this.#last.how === "object"));
    return isDue ? latestMs : Math.max(latestMs, this.#earliestMs);
  }

  #planRead(): number {
    const { forecast } = this.#parts;
    const latestMs = leastOf(this.#polls, (poll) => this.#dueMs(poll));
    if (forecast === undefined || latestMs <= this.#earliestMs) return latestMs;
    const awaited = [...this.#polls].flatMap(({ expects, joinedMs }): Awaited[] =>
      expects === undefined ? [] : [{ ...expects, pendingMs: joinedMs }],
    );
    const bestMs = forecast.nextReadMs(awaited, this.#earliestMs, latestMs);
    // Jitter, which a forecast may use, never exceeds a deadline.
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
  #reads = 0;

  /** Records the pause before a read, in intervals. */
  spend(pause: number): void {
    this.#spare = Math.min(MOST_SPARE, this.#spare + pause - LEAST_PAUSE.longRun);
    this.#reads += 1;
  }

  /** The minimum pause after the read that begins now. */
  get intervals(): number {
    const short = LEAST_PAUSE.short + LEAST_PAUSE.range * (((this.#reads * GOLDEN_RATIO) % 1) - 0.5);
    return Math.max(short, LEAST_PAUSE.longRun - this.#spare);
  }
}

function leastOf<O>(polls: Iterable<Poll<O>>, of: (poll: Poll<O>) => number): number {
  return [...polls].reduce((least, poll) => Math.min(least, of(poll)), Number.POSITIVE_INFINITY);
}
