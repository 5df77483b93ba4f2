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
  /** Needs a new object, and yet others than this program can change it. Default: it stays as the object was made. */
  changesOutside?: true;
  /** The API never returns it as it was given: outputs keep what was asked. */
  keptAsAsked?: true;
  /** Never shown; errors say "[secret]" in its place. */
  secret?: true;
  /** When two values of it mean the same, where that is more than equal content. */
  isSame?(a: unknown, b: unknown): boolean;
  /** What was probably meant by a value that `schema` refuses, or by the member that is wrong in it, as code. */
  meant?(value: unknown, wrong: unknown): string | undefined;
  /** Whether the value tags the object as production: it is protected where the program says nothing of that. */
  tagsProduction?: (value: unknown) => boolean;
  /** What a program asks for that had set the input and takes it out. Default: nothing; it is no longer managed. */
  whenDropped?: "detach";
  /** The input that the same call sets: when one changes, both are sent as the program has them. */
  sentWith?: string;
}

/** One row per property of `Inputs`: a property without its row does not compile. */
export type Fields<Inputs> = { readonly [K in keyof Required<Inputs>]: Field };

/** The inputs of a table that calls change: each needs a row in the planner. */
export type InPlaceKey<Table> = {
  [K in keyof Table]: Table[K] extends { change: "inPlace" } ? K : never;
}[keyof Table] &
  string;

/** Those of them that the server shows: each must be read back. */
export type ObservedKey<Table> = {
  [K in keyof Table]: Table[K] extends { change: "inPlace"; keptAsAsked: true } ? never : K;
}[keyof Table] &
  InPlaceKey<Table>;

/**
 * The inputs as one object shows them. Every input that calls change has its entry, or nobody could see that a change has
 * landed: `undefined` where this object tells nothing, `null` where it tells that there is nothing.
 */
export type Shown<Inputs, Table> = {
  [K in ObservedKey<Table> & keyof Inputs]-?: Inputs[K] | null | undefined;
} & { [K in keyof Inputs]?: Inputs[K] | null | undefined };

/** How long an operation may take, as durations like "45m". */
export interface Timeouts {
  create?: string | undefined;
  update?: string | undefined;
  delete?: string | undefined;
  read?: string | undefined;
}
