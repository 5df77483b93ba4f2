// How the inputs of a resource are described: one row per property, which check, docs and the planner read alike.

import type { z } from "zod";

/** Who may change a property after creation, and how. */
export type Change =
  /** Changed in place; the planner has a step for it. */
  | "inPlace"
  /** A change needs a new object, and the object holds no data: the engine replaces it. */
  | "replaces"
  /** Cannot change: an error in preview, unless the program says `allowReplace`. */
  | "fixed"
  /** Only steers the provider; a change is saved without a call. */
  | "lifecycle";

export interface Field {
  schema: z.ZodType;
  /** What `schema` accepts, in words, for error messages and docs. */
  allowed: string;
  change: Change;
  required?: true;
  /** The API never returns it as it was given: outputs keep what was asked. */
  keptAsAsked?: true;
  /** Never shown; errors say "[secret]" in its place. */
  secret?: true;
  /** The planner's steps that change it in place. */
  calls?: readonly string[];
  /** When two values of it mean the same, where that is more than equal content. */
  isSame?(a: unknown, b: unknown): boolean;
  /** What was probably meant by a value that `schema` refuses, as code. */
  meant?(value: unknown): string | undefined;
  /** The input that the same call sets: when one changes, both are sent as the program has them. */
  sentWith?: string;
}

/** One row per property of `Inputs`: a property without its row does not compile. */
export type Fields<Inputs> = { readonly [K in keyof Required<Inputs>]: Field };

/** How long an operation may take, as durations like "45m". */
export interface Timeouts {
  create?: string | undefined;
  update?: string | undefined;
  delete?: string | undefined;
  read?: string | undefined;
}
