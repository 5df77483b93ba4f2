// Defines an operation as a row of data. The request, the call's type, the retries and the docs are derived from it.

import type { Answer } from "./answer";

/**
 * What is allowed if a request gets no answer:
 * - `idempotent`: send it again, it changes nothing or ends the same;
 * - `sameValue`: send it again, it sets what it already set;
 * - `readFirst`: the object must be read first, so it is not sent again here;
 * - `notIdempotent`: a second one could make a second object, so it is not sent again here.
 */
export type Repeat = "idempotent" | "sameValue" | "readFirst" | "notIdempotent";

export type QueryValue = string | number | readonly string[] | undefined;

/** What is used of a schema: the public types name no validator, whose own types not every compiler setting accepts. */
export interface InputSchema<Input> {
  safeParse(given: unknown): { success: true; data: Input } | { success: false; error: { issues: InputIssue[] } };
}

interface InputIssue {
  code?: string;
  path: PropertyKey[];
  message: string;
  /** Of members that the schema does not know. */
  keys?: string[];
}

export interface Operation<Input, Output> {
  /** The contract's own word where it has one; errors, logs and docs use it. */
  readonly name: string;
  readonly method: "GET" | "POST" | "DELETE";
  /** `{serviceId}` stands for the input of that name. */
  readonly path: string;
  /** Whether the contract shows it; the others follow its conventions and a server may lack them. */
  readonly documented: boolean;
  readonly repeat: Repeat;
  /** The call creates another object, and does not change the objects on its path. */
  readonly leavesPath?: true;
  /** Strict: what it does not know is an InputError. Absent where the operation takes no input. */
  readonly input?: InputSchema<Input>;
  query?(input: Input): Readonly<Record<string, QueryValue>>;
  body?(input: Input): Readonly<Record<string, unknown>>;
  /** The parts of the input that no text may ever show. */
  secrets?(input: Input): readonly string[];
  readonly answer: Answer<Input, Output>;
}

/** The names in the braces of a path. */
type PathKey<Path> = Path extends `${string}{${infer Key}}${infer Rest}` ? Key | PathKey<Rest> : never;

/** The body or query with the members of the input that are not in the path. Without it they would never be sent. */
type Carried<Input, Path> =
  Exclude<keyof Input, PathKey<Path>> extends never ? object : { readonly body: object } | { readonly query: object };

/** Gives a row its types. */
export function operation<Input, Output, const Path extends string = string>(
  row: Omit<Operation<Input, Output>, "answer"> & {
    readonly answer: Answer<NoInfer<Input>, Output>;
    readonly path: Path;
  } & Carried<NoInfer<Input>, NoInfer<Path>>,
): Operation<Input, Output> {
  return row;
}

/** Whether a call changes anything. Every check that refuses changes uses it. */
export function isChange({ method }: Pick<Operation<never, unknown>, "method">): boolean {
  return method !== "GET";
}
