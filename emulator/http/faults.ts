// Faults on request: which of the coming requests go wrong, and how. Types only; `faultRules.ts` chooses, `respond.ts`
// and `delivery.ts` carry out.

import type { OperationName } from "../actions/index";
import type { RequestRecord } from "./requests";

/** What goes wrong. `commit` says whether the operation takes effect all the same (default false). */
export type Fault =
  /** The socket is destroyed before anything happened. */
  | { kind: "lostBefore" }
  /** The operation takes effect, then the socket is destroyed. */
  | { kind: "lostAfter" }
  /** An error answer. Without a body a fitting one is made up. */
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string>; commit?: boolean }
  /** A gateway's page. Default status 502. */
  | { kind: "html"; status?: number; commit?: boolean }
  /** The real answer, cut in the middle: the headers promise more than comes. Commits unless told otherwise. */
  | { kind: "truncate"; commit?: boolean }
  /** A success that makes no sense. A string body is sent as it is, anything else as JSON. Default status 200. */
  | { kind: "garbage"; body?: unknown; contentType?: string; status?: number; commit?: boolean }
  /** The real answer, so many real milliseconds late. */
  | { kind: "delay"; ms: number }
  /** No answer until the emulator is closed. */
  | { kind: "stall"; commit?: boolean }
  /**
   * The operation takes effect, and its object then stays in this status for `ms` of the emulator's clock and for
   * `reads` answers; without either, until `settle()` or `mutate`. On a read it applies to the object that is read.
   */
  | { kind: "stuck"; status: string; ms?: number; reads?: number }
  /**
   * The operation takes effect, and its service refuses connections for so many real milliseconds after it is READY. Only
   * where real servers stand behind the endpoints.
   */
  | { kind: "refusing"; ms: number }
  /** A 200 whose body never ends. */
  | { kind: "endless"; commit?: boolean }
  /** A redirect. Default status 307. */
  | { kind: "redirect"; location: string; status?: number; commit?: boolean }
  /**
   * Every connection is destroyed at once, for `ms` of the emulator's clock or until removed. Operation, match, times
   * and skip do not count here.
   */
  | { kind: "down"; ms?: number };

export type FaultKind = Fault["kind"];

/** What `random` can do: all but taking the server down. */
export type RandomFaultKind = Exclude<FaultKind, "down">;

export interface FaultScope {
  /** Default "*": every operation, and requests that fit none. */
  operation?: OperationName | "*";
  /** Narrows it further; sees the request record as far as it is known before the answer. */
  match?: (request: Readonly<RequestRecord>) => boolean;
  /** How many requests it applies to. Default 1; `Infinity` is allowed. */
  times?: number;
  /** How many fitting requests it lets pass first. Default 0. */
  skip?: number;
}

export interface FaultHandle {
  /** Names it in `list`. */
  readonly id: string;
  /** How many requests it has struck. */
  readonly struck: number;
  remove(): void;
}

export interface RandomFaults {
  seed: number;
  /** Share of the requests that are struck, 0 to 1. */
  rate: number;
  /** Default: `lostBefore`, `lostAfter`, `status`, `html`, `truncate`, `garbage` and `delay`. */
  kinds?: readonly RandomFaultKind[];
  /** Default: every operation. */
  operations?: readonly OperationName[];
}

/** A fault that waits for requests, or has met all it was meant for. */
export interface ActiveFault {
  id: string;
  /** "random" for those by chance. */
  kind: FaultKind | "random";
  /** Undefined for one that is aimed at no single operation. */
  operation: OperationName | undefined;
  struck: number;
}

export interface Faults {
  /** Throws a TypeError for what the admin API refuses: a misspelt name, a value that is missing or out of range. */
  add(fault: FaultScope & Fault): FaultHandle;
  /** Applies to requests by a seeded chance, until removed. Throws a TypeError as `add` does. */
  random(options: RandomFaults): FaultHandle;
  /** All that were added and not removed, the first one first. */
  list(): ActiveFault[];
  /** Removes the one with this id. False where there is none. */
  remove(id: string): boolean;
  /** Removes all of them. Objects that are stuck stay so until `settle()`. */
  clear(): void;
}

/** One `add` or `random`: decides for each request, and counts those it struck. */
export interface FaultRule {
  readonly kind: FaultKind | "random";
  readonly operation?: OperationName | undefined;
  struck: number;
  choose(record: RequestRecord): Fault | undefined;
  isDown(now: number): boolean;
}
