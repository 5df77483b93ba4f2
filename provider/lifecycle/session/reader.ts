// What waiters read objects through, and how a collection of the API is read.

import type { Listed } from "../../domain/listed";
import type { Expectation } from "./forecast";

/** The limits of one read. */
export interface ReadLimits {
  deadlineMs: number;
  /** A shared read is not repeated here, since its waiters poll again; a pause that the server asks for is kept. */
  attempts?: "onlyThrottled";
  /** The read fails after this time without an answer. */
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
   * Reads until there is an answer, or with `isOnce` once and bounded. `maxAgeMs` allows the answer of a list that is not
   * older than that, unless the object was changed since.
   */
  get(id: string, options?: ReadOptions): Promise<O | undefined>;
  /** One bounded read of this object alone, at once: for an object that most likely has the awaited state. */
  fetch(id: string, deadlineMs: number): Promise<O | undefined>;
  /**
   * The next shared, bounded read, about `inMs` from now; sooner when another waiter's read comes first, or where it is
   * expected to find more operations done. None is sent for a waiter that has left.
   */
  nextPoll(
    id: string,
    inMs: number,
    deadlineMs: number,
    signal?: AbortSignal,
    expects?: Expectation,
  ): Promise<O | undefined>;
  /** Whether a list that began after the object was last changed lacks it. No request. */
  isMissingFromList(id: string): boolean;
  /** All objects of the collection. */
  list(options?: { maxAgeMs?: number; deadlineMs?: number }): Promise<Listed<O>>;
  /** A call was sent for the object: earlier reads no longer count. */
  invalidate(id: string): void;
}
