// Faults as JSON. A `match` function works only for tests in this process.

import { z } from "zod";
import type { Fault, FaultKind, FaultScope, RandomFaults } from "../../controlPlane/http/faults";
import { operationName } from "./shapes";

const status = z.int().min(200).max(599);
const commit = z.boolean().exactOptional();
const ms = z.number().min(0);

/** JSON has no infinity. */
const orAlways = (schema: z.ZodNumber) => z.union([schema, z.literal("always").transform(() => Infinity)]);

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
} satisfies { readonly [K in FaultKind]: { readonly [F in string]: z.ZodType } };

export const faultKinds = Object.keys(kinds) as FaultKind[];

const of = <K extends FaultKind>(kind: K) => z.strictObject({ kind: z.literal(kind), ...kinds[kind], ...scope });

export const faultRequest: z.ZodType<Fault & FaultScope> = z.discriminatedUnion("kind", [
  of("lostBefore"),
  of("lostAfter"),
  of("status"),
  of("html"),
  of("truncate"),
  of("garbage"),
  of("delay"),
  of("stall"),
  of("stuck"),
  of("refusing"),
  of("endless"),
  of("redirect"),
  of("down"),
]);

const randomKind = z.enum(faultKinds).exclude(["down"]);

export const randomFaultsRequest: z.ZodType<RandomFaults> = z.strictObject({
  seed: z.int(),
  rate: z.number().min(0).max(1),
  kinds: z.array(randomKind).min(1).exactOptional(),
  operations: z.array(operationName).min(1).exactOptional(),
});
