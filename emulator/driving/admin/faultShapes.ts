// Faults as JSON. Functions (`match`, `act`) work only for tests in this process, whose faults are checked by the same
// schemas: a misspelled fault would never apply, and the test would pass without it.

import { z } from "zod";
import { required } from "../../checkedShape";
import { actions, isOperation } from "../../controlPlane/actions/index";
import type { Act, Fault, FaultKind, Faults, FaultScope, RandomFaults } from "../../controlPlane/http/faults";

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
  lostBefore: {},
  lostAfter: {},
  status: {
    status,
    body: z.unknown().exactOptional(),
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string().regex(/^[\x20-\x7e]*$/)).exactOptional(),
    commit,
  },
  html: { status: status.exactOptional(), commit },
  truncate: { commit },
  garbage: {
    body: z.unknown().exactOptional(),
    contentType: z
      .string()
      .regex(/^[\x20-\x7e]+$/)
      .exactOptional(),
    status: status.exactOptional(),
    commit,
  },
  delay: { ms: ms.max(2 ** 31 - 1) },
  stall: { commit },
  stuck: {
    status: z.string(),
    ms: orAlways(ms).exactOptional(),
    reads: orAlways(z.int().min(0)).exactOptional(),
  },
  refusing: { ms: ms.max(2 ** 31 - 1) },
  endless: { commit },
  redirect: { location: z.string().regex(/^[\x21-\x7e]+$/), status: status.exactOptional(), commit },
  down: { ms: orAlways(ms).exactOptional() },
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

const randomKind = z.enum(faultKinds).exclude(["down"]);

export const randomFaultsRequest: z.ZodType<RandomFaults> = z.strictObject({
  seed: z.int(),
  rate: z.number().min(0).max(1),
  kinds: z.array(randomKind).min(1).exactOptional(),
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
