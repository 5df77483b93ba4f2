// Types of the faults that a test can add: which requests fail, and how. `faultRules.ts` chooses the fault;
// `respond.ts` and `delivery.ts` apply it.

import type { OperationName } from "../actions/index";
import type { RequestRecord } from "./requests";

/** What goes wrong. `commit` says whether the operation takes effect all the same (default false). */
export type Fault =
  /** The socket is destroyed before the operation takes effect. */
  | { kind: "lostBefore" }
  /** The operation takes effect, then the socket is destroyed. */
  | { kind: "lostAfter" }
  /** An error answer. Without `body`, a fitting one is generated. */
  | { kind: "status"; status: number; body?: unknown; headers?: Record<string, string>; commit?: boolean }
  /** A gateway's page. Default status 502. */
  | { kind: "html"; status?: number; commit?: boolean }
  /** The real answer, cut in the middle: shorter than its headers promise. Commits by default. */
  | { kind: "truncate"; commit?: boolean }
  /**
   * A successful status with a meaningless body. A string body is sent as it is, anything else as JSON. Default status
   * 200.
   */
  | { kind: "garbage"; body?: unknown; contentType?: string; status?: number; commit?: boolean }
  /** The real answer, delayed by this many real milliseconds. */
  | { kind: "delay"; ms: number }
  /** No answer until the emulator is closed. */
  | { kind: "stall"; commit?: boolean }
  /**
   * The operation takes effect, and its object then stays in this status for `ms` of the emulator's clock and for
   * `reads` answers; without either, until `settle()` or `mutate`. On a read it applies to the object that is read.
   */
  | { kind: "stuck"; status: string; ms?: number; reads?: number }
  /**
   * The operation takes effect, and its service refuses connections for this many real milliseconds after it is READY.
   * Only with real servers behind the endpoints.
   */
  | { kind: "refusing"; ms: number }
  /** A 200 whose body never ends. */
  | { kind: "endless"; commit?: boolean }
  /** A redirect. Default status 307. */
  | { kind: "redirect"; location: string; status?: number; commit?: boolean }
  /**
   * Every connection is destroyed at once, for `ms` of the emulator's clock or until the fault is removed. Operation,
   * match, times and skip do not apply.
   */
  | { kind: "down"; ms?: number };

export type FaultKind = Fault["kind"];

/** The faults that `random` can use: all except taking the server down. */
export type RandomFaultKind = Exclude<FaultKind, "down">;

export interface FaultScope {
  /** Default "*": every operation, and requests that match no operation. */
  operation?: OperationName | "*";
  /** A further condition on the request record, which at this time has everything except the answer. */
  match?: (request: Readonly<RequestRecord>) => boolean;
  /** How many requests it applies to. Default 1; `Infinity` is allowed. */
  times?: number;
  /** How many matching requests pass before the fault applies. Default 0. */
  skip?: number;
}

export interface FaultHandle {
  /** Its id in `list`. */
  readonly id: string;
  /** How many requests it has applied to. */
  readonly struck: number;
  remove(): void;
}

export interface RandomFaults {
  seed: number;
  /** Share of the requests it applies to, 0 to 1. */
  rate: number;
  /** Default: `lostBefore`, `lostAfter`, `status`, `html`, `truncate`, `garbage` and `delay`. */
  kinds?: readonly RandomFaultKind[];
  /** Default: every operation. */
  operations?: readonly OperationName[];
}

/** A fault that was added and not removed, also after its last request. */
export interface ActiveFault {
  id: string;
  /** "random" for random faults. */
  kind: FaultKind | "random";
  /** Undefined if it is not limited to one operation. */
  operation: OperationName | undefined;
  struck: number;
}

export interface Faults {
  /** Throws a TypeError for what the admin API refuses: a misspelt name, a value that is missing or out of range. */
  add(fault: FaultScope & Fault): FaultHandle;
  /** Applies to requests at random, from the seed, until removed. Throws a TypeError as `add` does. */
  random(options: RandomFaults): FaultHandle;
  /** All faults that were added and not removed, the oldest first. */
  list(): ActiveFault[];
  /** Removes the fault with this id. Returns false if there is none. */
  remove(id: string): boolean;
  /** Removes all faults. Objects that are stuck stay stuck until `settle()`. */
  clear(): void;
}
