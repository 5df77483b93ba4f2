// Describes the inputs of a resource: one row per property, which check, docs and the planner use.

import type { z } from "zod";
import type { Values } from "./values/value";

/** How a property can change after creation. */
type Change =
  /** Changed in place; the planner has a step for it. */
  | "inPlace"
  /** A change needs a new object, and the object holds no data: the engine replaces it. */
  | "replaces"
  /** Cannot change: an error in preview, unless the program says `allowReplace`. */
  | "fixed"
  /** Only controls the provider; a change is saved without a call. */
  | "lifecycle";

export interface Field {
  schema: z.ZodType;
  /** What `schema` accepts, in words, for error messages and docs. */
  allowed: string;
  change: Change;
  required?: true;
  /** What to do about a change that no call can make, in a sentence. The planner then has a conflict for it. */
  remedy?: string;
  /** Whether the server shows what the program gives, although it may show less (undefined). Default: equal content. */
  agrees?(this: void, shown: unknown, wanted: unknown): boolean;
  /** Although a change needs a new object, others than this program can change the value. Default: false. */
  changesOutside?: true;
  /** The API never returns the value as it was given, so outputs keep the program's value. */
  keptAsAsked?: true;
  /** The value is never shown; errors show "[secret]" instead. */
  secret?: true;
  /** Whether two values mean the same. Default: equal content. */
  isSame?(a: unknown, b: unknown): boolean;
  /** The effect of removing the input from the program. Default: none; it is no longer managed. */
  whenDropped?: "detach";
  /** Duplicates have the same value. "name": it is what a read shows as the name of an object. */
  identifies?: "name" | true;
  /** The value that a list shows by leaving the input out. Default: none. */
  none?: unknown;
  /** What the create sets of it, as reads show it; undefined if it sets nothing, or they do not. Default: the value. */
  byCreate?(value: unknown, inputs: Values): unknown;
  /** What a state without a value says of it, as reads show it. Default: nothing. */
  recorded?(state: Values): unknown;
  /** The input that the same call sets: when one changes, both are sent as the program has them. */
  sentWith?: string;
}

/** One row per property of `Inputs`. */
export type Fields<Inputs> = { readonly [K in keyof Required<Inputs>]: Field };

/** The inputs of a table, with the types of their schemas. An absent input is not managed. */
export type InputsOf<Table extends Readonly<Record<string, Field>>> = {
  [K in GivenKey<Table>]: z.output<Table[K]["schema"]>;
} & { [K in Exclude<keyof Table, GivenKey<Table>>]?: z.output<Table[K]["schema"]> };

/** The program or, for a name, `check` gives it. */
type GivenKey<Table> = {
  [K in keyof Table]: Table[K] extends { required: true } ? K : K & "name";
}[keyof Table];

/** The inputs of a table that calls change. Each needs a row in the planner. */
export type InPlaceKey<Table> = {
  [K in keyof Table]: Table[K] extends { change: "inPlace" } ? K : never;
}[keyof Table] &
  string;

/** The changed inputs that the server shows. Each must be read back. */
type ObservedKey<Table> = {
  [K in keyof Table]: Table[K] extends { change: "inPlace"; keptAsAsked: true } ? never : K;
}[keyof Table] &
  InPlaceKey<Table>;

/**
 * The inputs as one object shows them. Every input that calls change has an entry, so that each change can be observed:
 * `undefined` if this object does not show it, `null` if it shows that there is none.
 */
export type ShownInputs<Inputs, Table> = {
  [K in ObservedKey<Table> & keyof Inputs]-?: Inputs[K] | null | undefined;
} & { [K in keyof Inputs]?: Inputs[K] | null | undefined };

/** The meaning of a status. "deleting": being deleted, or deleted and still shown. */
export type Condition = "settled" | "pending" | "failed" | "deleting";

/** The time limits of operations, as durations such as "45m". */
export interface Timeouts {
  create?: string | undefined;
  update?: string | undefined;
  delete?: string | undefined;
  read?: string | undefined;
}
