// Holds the waits of one collection. Their next shared read comes when the first of them is due, and serves them all.

import type { Clock } from "../../domain/values/clock";

/** The request of a wait to the next shared read. */
export interface PollWish {
  id: string;
  /** The read begins no later than this, unless another read or the pause after it is under way then. */
  latestMs: number;
  deadlineMs: number;
  /** The pause after a read does not delay this wait. */
  isAtOnce?: true;
}

/** One wait for the next shared read. */
export interface Poll<O> extends PollWish {
  resolve(item: O | undefined | PromiseLike<O | undefined>): void;
  reject(error: unknown): void;
}

export type SharedRead = "list" | "object";

/** As shares of the interval: the pause after each read, and the distance of lists in a long stream of them. */
const PAUSE = 1 / 10;
const LIST_DISTANCE = 1 / 4;
/** How far the lists of a short stream may run ahead of that distance, in intervals: four come with the pause alone. */
const AHEAD = 1;
/** A second object that is read within this share of the interval: more will follow, and one list serves them all. */
const SOON = 1 / 2;

interface QueueParts<O> {
  clock: Clock;
  intervalMs: number;
  /** Reads for all waits at once, with one list or the read of one object. Resolves when the next read may begin. */
  read: (polls: readonly Poll<O>[], how: SharedRead) => Promise<void>;
}

export class PollQueue<O> {
  readonly #parts: QueueParts<O>;
  readonly #polls = new Set<Poll<O>>();
  /** The last read: the list, or the id of one object. */
  #last: { how: SharedRead; id: string | undefined; beganMs: number } | undefined;
  /** The end of the pause after it. */
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** When the next list would come at the distance of a long stream. */
  #nextListMs = Number.NEGATIVE_INFINITY;
  #sleep: { untilMs: number; wake: AbortController } | undefined;
  #isRunning = false;
  #isReading = false;

  constructor(parts: QueueParts<O>) {
    this.#parts = parts;
  }

  /** Whether the pause after a list is under way, which is too long for a read that is wanted at once. */
  get isPausedByList(): boolean {
    return this.#last?.how === "list" && !this.#isReading && this.#parts.clock.now() < this.#pausedUntilMs;
  }

  /** The answer of the next read, and a function with which the wait leaves before it. */
  join(wish: PollWish): { answer: Promise<O | undefined>; leave: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<O | undefined>();
    const poll = { ...wish, resolve, reject };
    this.#polls.add(poll);
    if (this.#sleep !== undefined && this.#dueMs(poll) < this.#sleep.untilMs) this.#sleep.wake.abort();
    if (!this.#isRunning) void this.#run();
    return { answer: promise, leave: () => this.#leave(poll) };
  }

  #leave(poll: Poll<O>): void {
    if (this.#polls.delete(poll) && this.#polls.size === 0) this.#sleep?.wake.abort();
  }

  async #run(): Promise<void> {
    const { clock, intervalMs, read } = this.#parts;
    this.#isRunning = true;
    while (this.#polls.size > 0) {
      const dueMs = [...this.#polls].reduce((least, poll) => Math.min(least, this.#dueMs(poll)), Infinity);
      if (dueMs > clock.now()) {
        await this.#sleepUntil(dueMs);
        continue;
      }
      // All waits of the same turn of the event loop share one read.
      await Promise.resolve();
      const batch = [...this.#polls];
      this.#polls.clear();
      if (batch.length === 0) continue;
      this.#last = this.#nextRead(batch);
      // One list at a time: waits that join in the meantime share the next one.
      this.#isReading = true;
      await read(batch, this.#last.how);
      this.#isReading = false;
      const { how, beganMs } = this.#last;
      if (how === "list") this.#nextListMs = Math.max(this.#nextListMs, beganMs) + LIST_DISTANCE * intervalMs;
      this.#pausedUntilMs = Math.max(clock.now() + PAUSE * intervalMs, this.#nextListMs - AHEAD * intervalMs);
    }
    this.#isRunning = false;
  }

  #nextRead(batch: readonly Poll<O>[]): { how: SharedRead; id: string | undefined; beganMs: number } {
    const beganMs = this.#parts.clock.now();
    const { id } = batch[0] ?? {};
    const before = this.#last?.how === "object" && this.#last.id !== id ? this.#last : undefined;
    const isSoon = before !== undefined && beganMs < before.beganMs + SOON * this.#parts.intervalMs;
    const how = isSoon || batch.some((poll) => poll.id !== id) ? "list" : "object";
    return { how, id, beganMs };
  }

  #dueMs({ latestMs, isAtOnce }: Poll<O>): number {
    return isAtOnce === true ? latestMs : Math.max(latestMs, this.#pausedUntilMs);
  }

  /** Ends sooner if a wait joins that is due sooner, or the last one leaves. */
  async #sleepUntil(untilMs: number): Promise<void> {
    const { clock } = this.#parts;
    const wake = new AbortController();
    this.#sleep = { untilMs, wake };
    await clock.sleep(untilMs - clock.now(), wake.signal).catch(() => undefined);
    this.#sleep = undefined;
  }
}
