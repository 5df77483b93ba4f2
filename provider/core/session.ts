// The parts that all calls to one account share, such as the readers of waiters. Types only: each part has a file, and
// `createSession` puts them together.

import type { TurnOptions } from "../api/http/call";
import type { Turn } from "../api/http/rate";
import type { ProviderConfig } from "../domain/config/config";
import type { ConnectionAttempt, DatabaseAddress } from "../domain/connection";
import type { Listed } from "../domain/listed";
import type { Peering } from "../kinds/peering/inputs";
import type { ReadReplicaSet } from "../kinds/readReplicaSet/inputs";
import type { Service } from "../kinds/service/inputs";
import type { Clock } from "../domain/values/clock";
import type { Vpc } from "../kinds/vpc/inputs";

/** A reader for each collection of the API that has its own list. An implementation provides all of them. */
export interface Readers {
  services(projectId: string): Reader<Service>;
  vpcs(projectId: string): Reader<Vpc>;
  peerings(projectId: string, vpcId: string): Reader<Peering>;
  /** The server's own list of the sets of a service that is there; undefined where it has no such list. */
  replicaSets(
    projectId: string,
    serviceId: string,
    limits: Pick<ListOptions, "deadlineMs" | "turn">,
  ): Promise<Listed<ReadReplicaSet> | undefined>;
}

export interface Session extends Readers {
  readonly config: ProviderConfig;
  /** The time of day by the server's clock. The definitions of the kinds know the whole client. */
  readonly client: { serverTime(): number };
  readonly clock: Clock;
  /** Scales the longest waits of `patience.ts`: 1, less in tests with the real CLI, 0 for a report, which forgets nothing. */
  readonly timeScale: number;
  readonly pace: WaitPace;
  readonly locks: Locks;
  /** A turn for a change and the read that it rests on. */
  inTurn<T>(options: TurnOptions, work: (turn: Turn) => Promise<T>): Promise<T>;
  /** Checks whether a PostgreSQL accepts connections at an address. */
  probe(address: DatabaseAddress, timeoutMs: number): Promise<ConnectionAttempt>;
  /** Why addresses could not be reached, each told once: the rows of all services would say the same. */
  readonly outOfReach: Set<string>;
  /** The configured project, otherwise the only one that the key can access. */
  projectId(): Promise<string>;
}

export interface Locks {
  /** Runs `work` once all earlier holders of the key are done, in success or failure, and their changes have settled. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  /** Whether an operation holds the key or waits for it. */
  isHeld(key: string): boolean;
}

export interface WaitPace {
  clock: Clock;
  intervalMs: number;
  intervalMaxMs: number;
  random(): number;
}

/** The limits of one read. */
export interface ReadLimits {
  deadlineMs: number;
  /** The client does not repeat it, because the observer reads again. */
  attempts?: "once";
  /** The read fails after this time without an answer. */
  timeoutMs?: number;
  /** The turn of the change that rests on the read. */
  turn?: Turn | undefined;
}

/** How one collection of the API is read. `one` answers undefined for a 404. */
export interface Source<O> {
  one(id: string, limits: ReadLimits): Promise<O | undefined>;
  all(limits: ReadLimits): Promise<Listed<O>>;
  idOf(item: O): string;
}

export interface ListOptions {
  maxAgeMs?: number;
  /** Allows a list whose answer arrived at most that long ago. */
  answeredWithinMs?: number;
  deadlineMs?: number;
  /** It is read at once, in this turn. */
  turn?: Turn | undefined;
}

export interface ReadOptions extends ListOptions {
  isOnce?: true;
  isAlone?: true;
}

export interface PollOptions {
  /** The read comes after about this time. Default: at once. */
  inMs?: number;
  /** The read does not wait for the distance of lists. What a list lacks is read alone, sooner than requested. Default: false. */
  isAtOnce?: boolean;
  deadlineMs: number;
  /** Aborted: the waiter leaves. */
  signal?: AbortSignal;
}

export interface Reader<O> {
  /**
   * Reads until there is an answer; with `isOnce` reads once, with a time limit. `maxAgeMs` allows what a list that is not
   * older than that shows, unless the object was changed since. Absence always takes a read that begins now. With `isAlone` it is
   * read by its id, which shows all of its members; `maxAgeMs` then allows the answer of another such read.
   */
  get(id: string, options?: ReadOptions): Promise<O | undefined>;
  /** One single read at once, with a time limit: for an object that most likely has the awaited state, or in a turn. */
  fetch(id: string, deadlineMs: number, turn?: Turn): Promise<O | undefined>;
  /**
   * The next shared read, with a time limit. It comes sooner than requested if another waiter's read comes first. No read is
   * sent for a waiter that has left.
   */
  nextPoll(id: string, options: PollOptions): Promise<O | undefined>;
  /**
   * When the first list of this process was answered that lacked the object, whoever read it; no request. Undefined if the last list
   * shows it, or what cannot be read and may be it, or it was changed, or shown by a read of its own, after that list.
   */
  absentSinceMs(id: string): number | undefined;
  /** The objects that reads of this process have shown, except those that lists have lacked for some time; no request. */
  shown(): readonly O[];
  /**
   * The objects that the last list lacks, although they were there before it and have answered by their ids since. `others`:
   * what was shown once, and these ids, are asked for now if that list lacks them.
   */
  unlisted(others?: { ids: readonly string[]; deadlineMs: number; turn?: Turn | undefined }): Promise<O[]>;
  /** Of these ids, and of all that reads of this process have shown, those that the last list lacks; no request. */
  missing(ids: readonly string[]): readonly string[];
  /** All objects of the collection. */
  list(options?: ListOptions): Promise<Listed<O>>;
  /** Records that a call was sent for the object: earlier reads no longer count. */
  invalidate(id: string): void;
}
