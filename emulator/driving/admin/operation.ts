// The form of an operation of the admin API: its method, path and shapes, and the function of the emulator that it
// calls.

import type { z } from "zod";
import type { Emulator } from "../../emulator";

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export interface Call<Body, Query> {
  readonly emulator: Emulator;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
}

export interface AdminOperation {
  readonly method: Method;
  /** Relative to the admin URL; parameters begin with a colon. */
  readonly path: string;
  readonly summary: string;
  readonly body: z.ZodType | undefined;
  readonly isBodyOptional: boolean;
  readonly query: z.ZodType | undefined;
  readonly status: 200 | 201 | 204;
  /** Undefined if the operation takes no body. */
  readonly answer: z.ZodType | undefined;
  run(call: Call<unknown, unknown>): unknown;
}

interface Given<Body, Query> {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType<Body>;
  /** An absent body counts as `{}`. */
  readonly isBodyOptional?: boolean;
  readonly query?: z.ZodType<Query>;
  readonly status?: 200 | 201;
  readonly answer?: z.ZodType;
  run(call: Call<Body, Query>): unknown;
}

export function operation<Body = undefined, Query = undefined>(given: Given<Body, Query>): AdminOperation {
  return {
    body: undefined,
    isBodyOptional: false,
    query: undefined,
    answer: undefined,
    ...given,
    status: given.answer === undefined ? 204 : (given.status ?? 200),
    // The server has parsed both with these same schemas.
    run: (call) => given.run(call as Call<Body, Query>),
  };
}
