// Types of the faults that a test can add: which requests fail, and how. `faultRules.ts` chooses the fault;
// `respond.ts` and `delivery.ts` apply it.

import { z } from "zod";
import { required } from "../../checkedShape";
import { actions, isOperation, type OperationName } from "../actions/index";
import type { RequestRecord } from "./requests";

const operationName = z.enum(Object.keys(actions).filter(isOperation));

const status = z.int().min(200).max(599);
const commit = z.boolean().exactOptional();
const ms = z.number().min(0);

const ids = z.array(z.string()).exactOptional();
const answers = z.enum(["reads", "lists"]).exactOptional();

/** JSON has no infinity. */
const orAlways = (schema: z.ZodNumber) =>
  z.union([schema, z.literal("always").transform(() => Infinity)], { error: 'must be a number, or "always"' });

const scope = {
  operation: z.enum([...operationName.options, "*"]).exactOptional(),
  times: orAlways(z.int().min(1)).exactOptional(),
  skip: z.int().min(0).exactOptional(),
} satisfies { readonly [K in keyof Omit<Required<FaultScope>, "match">]: z.ZodType };

const kinds = {
  lostBefore: { ms: orAlways(ms).exactOptional() },
  lostAfter: {},
  status: {
    status,
    body: z.unknown().exactOptional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/)).exactOptional(),
    commit,
  },
  html: { status: status.exactOptional(), commit },
  truncate: { commit },
  garbage: { body: z.unknown().exactOptional(), status: status.exactOptional(), commit },
  delay: { ms: ms.max(2 ** 31 - 1) },
  stall: { commit },
  stuck: {
    status: z.string(),
    ms: orAlways(ms).exactOptional(),
    reads: orAlways(z.int().min(0)).exactOptional(),
  },
  meanwhile: {
    when: z.enum(["before", "after"]).exactOptional(),
    act: z.strictObject({
      by: z.enum(["hand", "client"]),
      call: z.string(),
      params: z.record(z.string(), z.string()).exactOptional(),
      body: z.unknown().exactOptional(),
    }),
  },
  members: {
    members: z.record(
      z.string().min(1),
      z.union([z.enum(["absent", "null", "zero"]), z.strictObject({ value: z.unknown() })]),
    ),
    in: answers,
    ids,
    status: z.string().exactOptional(),
  },
  brownout: { ms: orAlways(ms).exactOptional(), ids, in: answers },
  cut: { rows: z.int().min(0), next: z.enum(["header", "member"]).exactOptional() },
} satisfies { readonly [K in FaultKind]: { readonly [F in Exclude<keyof (Fault & { kind: K }), "kind">]: z.ZodType } };

export const faultKinds = Object.keys(kinds) as FaultKind[];

const of = ([kind, fields]: [string, z.ZodRawShape]): z.ZodObject =>
  z.strictObject({ kind: z.literal(kind), ...fields, ...scope });

/** Of each kind one: `satisfies` holds their members to those of the type. */
const shapes = Object.entries<z.ZodRawShape>(kinds).map(of) as [z.ZodObject, ...z.ZodObject[]];

export const faultRequest = z.discriminatedUnion("kind", shapes) as z.ZodType as z.ZodType<Fault & FaultScope>;

export const randomFaultsRequest: z.ZodType<RandomFaults> = z.strictObject({
  seed: z.int(),
  rate: z.number().min(0).max(1),
  kinds: z.array(z.enum(faultKinds)).min(1).exactOptional(),
  operations: z.array(operationName).min(1).exactOptional(),
});

/** Throws a TypeError for input that the admin API answers with 400. */
export const checkedFaults = (faults: Faults, performed: (act: Act) => unknown): Faults => ({
  ...faults,
  add(given: (FaultScope & Fault) | undefined) {
    const { match, ...fault } = given ?? {};
    if (match !== undefined && typeof match !== "function")
      throw new TypeError(`faults.add: match is a function of the request, not ${JSON.stringify(match)}`);
    const own = "act" in fault && typeof fault.act === "function" ? { act: fault.act } : undefined;
    const checked = checkedFault("faults.add", own ? { ...fault, act: SOME_ACT } : fault);
    if (!own && checked.kind === "meanwhile") performed(checked.act as Act);
    return faults.add({ ...checked, ...own, ...(match && { match }) });
  },
  random: (options) => faults.random(fitting("faults.random", randomFaultsRequest, options)),
});

/** Stands for a function in the check of the other members. */
const SOME_ACT: Act = { by: "hand", call: "" };

export const checkedFault = (where: string, given: unknown): Fault & FaultScope => fitting(where, faultRequest, given);

/** JSON has neither infinity nor `undefined`. */
function fitting<T>(where: string, schema: z.ZodType<T>, given: unknown): T {
  const json = Object.entries(given ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, unknown] => [name, value === Infinity ? "always" : value]);
  return required(where, schema, Object.fromEntries(json));
}

/** The kinds of faults. */
export type Fault = MainFault | FaultBeside;

/** One at most for each request. `commit` says whether the operation takes effect all the same (default false). */
export type MainFault =
  /**
   * The socket is destroyed before the operation takes effect. With `ms`: of all requests, for so long by the emulator's
   * clock from the first one on.
   */
  | { kind: "lostBefore"; ms?: number }
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
  | { kind: "garbage"; body?: unknown; status?: number; commit?: boolean }
  /** The real answer, delayed by this many real milliseconds. */
  | { kind: "delay"; ms: number }
  /** No answer until the emulator is closed. */
  | { kind: "stall"; commit?: boolean }
  /**
   * The operation takes effect, and its object then stays in this status for `ms` of the emulator's clock and for
   * `reads` answers; without either, until `settle()`, or until `mutate` gives it a status, unless it is being deleted. On a
   * read it applies to the object that is read.
   */
  | { kind: "stuck"; status: string; ms?: number; reads?: number };

/** These apply in addition to other faults of the same request, and change only what they name. */
export type FaultBeside =
  /** Somebody else acts before the operation takes effect (the default), or after that and before the answer. */
  | { kind: "meanwhile"; when?: "before" | "after"; act: Act | ((request: RequestAtHand) => void) }
  /**
   * Members of the objects in the answer are left out, `null` or zero (`""`, 0, false, `[]`, `{}`), or have another
   * value. A name may be a path, like `metadata.environment`; it leads through arrays. Default: in the answers of all
   * operations, and of all objects. With `status`: while the object is in that status.
   */
  | {
      kind: "members";
      members: Record<string, MemberForm>;
      in?: "reads" | "lists";
      ids?: readonly string[];
      status?: string;
    }
  /**
   * Existing objects aren't shown: single reads answer 404, and lists leave them out, for `ms` of the emulator's
   * clock from the first request on, or until the fault is removed. Applies to reads below a project, to any number of
   * them unless `times` says otherwise. Default: all objects, and both reads and lists.
   */
  | { kind: "brownout"; ms?: number; ids?: readonly string[]; in?: "reads" | "lists" }
  /**
   * A gateway cuts lists below a project after their first `rows` objects. It tells nobody, or says where the next page is:
   * in a header `Link`, or in an object around the list. Applies to any number of lists unless `times` says otherwise.
   */
  | { kind: "cut"; rows: number; next?: "header" | "member" };

export type MemberForm = "absent" | "null" | "zero" | { value: unknown };

/**
 * What somebody else does. By hand: a change of the admin API, named as there. As a client: an operation of the
 * control plane. `params` are the parameters of its path. Default: those of the request. Without an object for it, or if
 * it is refused, it changes nothing.
 */
export interface Act {
  by: "hand" | "client";
  call: string;
  params?: Record<string, string>;
  body?: unknown;
}

/** `subjectId`: the object that the request is about; known after the operation has taken effect. */
export type RequestAtHand = Readonly<RequestRecord> & { readonly subjectId: string | undefined };

export type FaultKind = Fault["kind"];

export interface FaultScope {
  /** Default "*": every operation, and requests that match no operation. */
  operation?: OperationName | "*";
  /** A further condition on the request record, which at this time has everything except the answer. */
  match?: (request: Readonly<RequestRecord>) => boolean;
  /** How many requests it applies to. Default 1, of a fault with `ms`, a brown-out or a cut any number; `Infinity` is allowed. */
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
  /**
   * Default: `lostBefore`, `lostAfter`, `status`, `html`, `truncate`, `garbage` and `delay`. A `brownout` is one of that
   * read alone; with `meanwhile` a second client renames, tags, resizes, stops or starts the object of the request.
   */
  kinds?: readonly FaultKind[];
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
  /** Throws a TypeError for what the admin API refuses: a misspelled name, a value that is missing or out of range. */
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
