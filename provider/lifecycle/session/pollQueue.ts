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
  /** The read may begin during the pause after a list. */
  isUnpaused?: true;
}

/** One wait for the next shared read. */
export interface Poll<O> extends PollWish {
  joinedMs: number;
  /** Wanted at once: only a read that is under way, or the pause after a list, delays it. */
  isAtOnce: boolean;
  /** It joined while another read was under way, whose end it awaits. */
  isNext: boolean;
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

/**
 * Least pause from one shared read to the next, as a share of the interval; no forecast asks for a shorter one. It is `short`
 * while earlier pauses were longer than `longRun`: their surplus, at most `MOST_SPARE` intervals, is spent by short ones.
 * Short pauses vary by `range`, so that reads do not keep step with operations that end at an even pace.
 */
const LEAST_PAUSE = { short: 0.44, range: 0.06, longRun: 0.52 };
const MOST_SPARE = 4;
/** Least pause after an answer, so that reads which take long come less often. */
const REST = 0.4;
/** Its multiples leave remainders that are spread evenly over 0 to 1, however many there are. */
const GOLDEN_RATIO = (1 + Math.sqrt(5)) / 2;
/** Waits that join within this share of the interval are planned for together. */
const TOGETHER = 0.05;
/** Where more than these wait, one more changes little, and a plan for all of them takes its time. */
const MANY = 128;

export type SharedRead = "list" | "object";

interface QueueParts<O> {
  clock: Clock;
  intervalMs: number;
  forecast: Forecast | undefined;
  /** Reads for all of them at once, with one list or the read of one object; resolves when the next may begin. */
  read: (polls: readonly Poll<O>[], how: SharedRead) => Promise<void>;
}

export class PollQueue<O> {
  readonly #parts: QueueParts<O>;
  #polls = new Set<Poll<O>>();
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #leastPause = new LeastPause();
  /** When the last read began that nobody wanted at once. Only such reads count against the least pause. */
  #lastPlannedReadMs = Number.NEGATIVE_INFINITY;
  /** No read begins before. */
  #earliestMs = Number.NEGATIVE_INFINITY;
  /** What was read last; of one object, its id. */
  #last: { how: SharedRead; id: string | undefined } = { how: "object", id: undefined };
  /** When the last read was due, if a forecast brought it forward. Waits that go on are read at that time too. */
  #plannedMs = Number.POSITIVE_INFINITY;
  /** When the next read was planned, and for when. */
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

  /** Whether the pause after a list is under way: for a read that is wanted at once, that is too long. */
  get isPausedByList(): boolean {
    return this.#last.how === "list" && !this.#isReading && this.#parts.clock.now() < this.#earliestMs;
  }

  /** The answer of the next read, and how a wait leaves before it. */
  join(wish: PollWish): { answer: Promise<O | undefined>; leave: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const joinedMs = this.#parts.clock.now();
    // Who joins later waits for something else.
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
      // All waits of this same turn of the event loop share one read.
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

  /** A read that nobody wanted at once: a short pause before it uses up the surplus, and the credit of the forecast. */
  #countRead(): void {
    const { intervalMs, forecast } = this.#parts;
    const pauseMs = this.#lastReadMs - this.#lastPlannedReadMs;
    this.#lastPlannedReadMs = this.#lastReadMs;
    forecast?.readBegan(pauseMs);
    this.#leastPause.spend(pauseMs / intervalMs);
  }

  /** A second object so soon after the first one: more will follow, and a list serves them all. */
  #nextRead(batch: readonly Poll<O>[]): { how: SharedRead; id: string | undefined } {
    const { id } = batch[0] ?? {};
    const isSoon = this.#last.how === "object" && this.#last.id !== id && this.#parts.clock.now() < this.#earliestMs;
    return isSoon || batch.some((poll) => poll.id !== id) ? { how: "list", id: undefined } : { how: "object", id };
  }

  /**
   * When the read is due. A read that is wanted at once does not wait for the pause after the read of one object. It waits
   * for a list that is under way, and not for the pause after it.
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
  #reads = 0;

  /** A read came so long after the one before, in intervals. */
  spend(pause: number): void {
    this.#spare = Math.min(MOST_SPARE, this.#spare + pause - LEAST_PAUSE.longRun);
    this.#reads += 1;
  }

  /** After the read that begins now. */
  get intervals(): number {
    const short = LEAST_PAUSE.short + LEAST_PAUSE.range * (((this.#reads * GOLDEN_RATIO) % 1) - 0.5);
    return Math.max(short, LEAST_PAUSE.longRun - this.#spare);
  }
}

function leastOf<O>(polls: Iterable<Poll<O>>, of: (poll: Poll<O>) => number): number {
  return [...polls].reduce((least, poll) => Math.min(least, of(poll)), Number.POSITIVE_INFINITY);
}
