// Faults on request: which of the coming requests go wrong, and how. Choosing them is here; `responder.ts` carries them
// out.

import { createRandom, type Random } from "./random";
import type { OperationName } from "./operations";
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
   * `reads` answers; without either, until `settle()` or `mutate`. On a read it strikes the object that is read.
   */
  | { kind: "stuck"; status: string; ms?: number; reads?: number }
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
  /** How many requests it strikes. Default 1; `Infinity` is allowed. */
  times?: number;
  /** How many fitting requests it lets pass first. Default 0. */
  skip?: number;
}

export interface FaultHandle {
  /** How many requests it has struck. */
  readonly struck: number;
  remove(): void;
}

export interface RandomFaults {
  seed: number;
  /** Share of the requests that are struck, 0 to 1. */
  rate: number;
  /** Default: all but `stall`, `stuck`, `endless` and `redirect`. */
  kinds?: readonly RandomFaultKind[];
  /** Default: every operation. */
  operations?: readonly OperationName[];
}

export interface Faults {
  add(fault: FaultScope & Fault): FaultHandle;
  /** Strikes requests by a seeded chance, until removed. */
  random(options: RandomFaults): FaultHandle;
  /** Removes all of them. Objects that are stuck stay so until `settle()`. */
  clear(): void;
}

interface Entry {
  struck: number;
  choose(record: RequestRecord): Fault | undefined;
  isDown(now: number): boolean;
}

export interface FaultBook {
  readonly faults: Faults;
  /** The fault that strikes this request, if any: the first added wins. */
  choose(record: RequestRecord): Fault | undefined;
  isDown(now: number): boolean;
}

export function createFaultBook(now: () => number, onDown: () => void): FaultBook {
  const entries = new Set<Entry>();
  const enter = (entry: Entry): FaultHandle => {
    entries.add(entry);
    return {
      get struck() {
        return entry.struck;
      },
      remove: () => void entries.delete(entry),
    };
  };
  const faults: Faults = {
    add(fault) {
      const handle = enter(fault.kind === "down" ? downEntry(fault, now()) : scopedEntry(fault));
      if (fault.kind === "down") onDown();
      return handle;
    },
    random: (options) => enter(randomEntry(options)),
    clear: () => entries.clear(),
  };
  return {
    faults,
    choose: (record) => chooseFrom(entries, record),
    isDown: (at) => [...entries].some((entry) => entry.isDown(at)),
  };
}

function chooseFrom(entries: ReadonlySet<Entry>, record: RequestRecord): Fault | undefined {
  for (const entry of entries) {
    const fault = entry.choose(record);
    if (!fault) continue;
    entry.struck += 1;
    return fault;
  }
  return undefined;
}

function downEntry(fault: { ms?: number }, since: number): Entry {
  const until = since + (fault.ms ?? Infinity);
  return { struck: 0, choose: () => undefined, isDown: (now) => now < until };
}

function scopedEntry(fault: FaultScope & Fault): Entry {
  let toSkip = fault.skip ?? 0;
  let left = fault.times ?? 1;
  return {
    struck: 0,
    isDown: () => false,
    choose(record) {
      const isMeant = fault.operation === undefined || fault.operation === "*" || fault.operation === record.operation;
      if (left <= 0 || !isMeant || fault.match?.(record) === false) return undefined;
      if (toSkip > 0) {
        toSkip -= 1;
        return undefined;
      }
      left -= 1;
      return fault;
    },
  };
}

const usualKinds: readonly RandomFaultKind[] = [
  "lostBefore",
  "lostAfter",
  "status",
  "html",
  "truncate",
  "garbage",
  "delay",
];

function randomEntry(options: RandomFaults): Entry {
  const random = createRandom(options.seed);
  const kinds = options.kinds ?? usualKinds;
  return {
    struck: 0,
    isDown: () => false,
    choose(record) {
      if (options.operations && (!record.operation || !options.operations.includes(record.operation))) return undefined;
      if (random() >= options.rate) return undefined;
      const kind = kinds[Math.floor(random() * kinds.length)];
      return kind && randomFault(kind, random);
    },
  };
}

const pick = <T>(random: Random, choices: readonly [T, ...T[]]): T =>
  choices[Math.floor(random() * choices.length)] ?? choices[0];

const nonsense = ["", "<html></html>", "{", null, [], { id: 7 }] as const;

function randomFault(kind: RandomFaultKind, random: Random): Fault {
  const commit = random() < 0.5;
  const made: Record<RandomFaultKind, () => Fault> = {
    lostBefore: () => ({ kind: "lostBefore" }),
    lostAfter: () => ({ kind: "lostAfter" }),
    status: () => randomStatus(random, commit),
    html: () => ({ kind: "html", status: pick(random, [502, 503, 504]), commit }),
    truncate: () => ({ kind: "truncate", commit }),
    stall: () => ({ kind: "stall", commit }),
    garbage: () => ({ kind: "garbage", body: pick<unknown>(random, nonsense), commit }),
    delay: () => ({ kind: "delay", ms: Math.floor(random() * 20) }),
    stuck: () => ({
      kind: "stuck",
      status: pick(random, ["UNSTABLE", "REBALANCING"]),
      reads: 1 + Math.floor(random() * 4),
    }),
    redirect: () => ({ kind: "redirect", location: "http://127.0.0.1:9/elsewhere" }),
    endless: () => ({ kind: "endless", commit }),
  };
  return made[kind]();
}

/** API: 429 means that nothing happened; a 5xx may come after the work was done. */
function randomStatus(random: Random, commit: boolean): Fault {
  const status = pick(random, [429, 500, 502, 503, 504]);
  if (status !== 429) return { kind: "status", status, commit };
  return { kind: "status", status, headers: random() < 0.5 ? { "Retry-After": "0" } : {} };
}
