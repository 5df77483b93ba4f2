// Defines an operation as a row of data. The request, the call's type, the retries and the docs are derived from it.

import { z } from "zod";
import type { Values } from "../../domain/values/value";
import { type Answer, withoutBody } from "./answer";
import { snakeCase } from "./objects";
import { id } from "./wire";

/**
 * What is right if a request gets no answer; the client itself repeats reads only:
 * - `idempotent`: send it again, it changes nothing or ends the same;
 * - `sameValue`: send it again, it sets what it already set;
 * - `readFirst`: read the object first;
 * - `notIdempotent`: do not send it again, a second one could make a second object.
 */
export type Repeat = "idempotent" | "sameValue" | "readFirst" | "notIdempotent";

export type QueryValue = string | number | readonly string[] | undefined;

/** What is used of a schema: the public types name no validator, whose own types not every compiler setting accepts. */
interface InputSchema<Input> {
  safeParse(given: unknown): { success: true; data: Input } | { success: false; error: { issues: InputIssue[] } };
}

interface InputIssue {
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
  /** The path in pieces: text and names in turn. */
  readonly pieces: readonly string[];
  /** Whether the contract shows it; the others follow its conventions and a server may lack them. */
  readonly documented: boolean;
  readonly repeat: Repeat;
  /** Strict: what it does not know is an InputError. Undefined where the operation takes no input. */
  readonly input: InputSchema<Input> | undefined;
  query?(input: Input): Readonly<Record<string, QueryValue>>;
  body?(input: Input): Readonly<Record<string, unknown>>;
  /** The parts of the input that no text may ever show. */
  secrets?(input: Input): readonly string[];
  readonly answer: Answer<Input, Output>;
}

/** The names in the braces of a path. */
type PathKey<Path> = Path extends `${string}{${infer Key}}${infer Rest}` ? Key | PathKey<Rest> : never;

type IdsOf<Path> = { [Key in PathKey<Path>]: string };

/** The ids of the path, and the other members of the input; void without any. */
type InputOf<Path, Fields extends z.ZodRawShape> = [PathKey<Path> | keyof Fields] extends [never]
  ? void
  : IdsOf<Path> & (keyof Fields extends never ? object : z.output<z.ZodObject<Fields>>);

/** What members must be together. */
interface Rule<Input> {
  readonly member: keyof Input & string;
  /** Ends the sentence "member must be …". */
  readonly error: string;
  holds(this: void, input: Input): boolean;
}

type OperationRow<Input, Output, Path, Fields extends z.ZodRawShape> = Omit<
  Operation<Input, Output>,
  "method" | "path" | "pieces" | "repeat" | "documented" | "input" | "answer"
> & {
  /** Default: by the method, "readFirst" for a POST. */
  readonly repeat?: Repeat;
  /** Default: the contract shows it. */
  readonly documented?: false;
  /**
   * The members of the input beside the ids of the path. Default: none. Where neither `query` nor `body` says how they
   * travel, they are the body, in snake_case.
   */
  readonly fields?: Fields;
  readonly rules?: readonly Rule<Input>[];
  /** Default: each 2xx is accepted, that of a delete only without a body. */
  readonly answer?: Answer<IdsOf<Path>, Output>;
};

type AnyMethod = Operation<never, unknown>["method"];

const noFields = {};

/** Fills in what follows from the path and what most operations have in common. */
export function operation<const Path extends string, Fields extends z.ZodRawShape = typeof noFields, Output = void>(
  method: AnyMethod,
  path: Path,
  given: OperationRow<InputOf<NoInfer<Path>, NoInfer<Fields>>, Output, Path, Fields>,
): Operation<InputOf<Path, Fields>, Output>;
export function operation<Input extends object>(
  method: AnyMethod,
  path: string,
  given: OperationRow<Input, unknown, string, z.ZodRawShape>,
): Operation<Input, unknown> {
  const { fields, rules = [], documented = true, ...row } = given;
  const { answer = withoutBody(method) } = given;
  const { repeat = method === "POST" ? "readFirst" : "idempotent" } = given;
  const pieces = path.split(/\{(\w+)\}/);
  const ids = pieces.filter((_, at) => at % 2 === 1).map((key) => [key, id] as const);
  const members = z.strictObject({ ...Object.fromEntries(ids), ...fields }) as z.ZodType as z.ZodType<Input>;
  const input =
    pieces.length === 1 && fields === undefined
      ? undefined
      : rules.reduce((all, { holds, member, error }) => all.refine(holds, { path: [member], error }), members);
  const { query, body = fields && query === undefined ? bodyOf(Object.keys(fields)) : undefined } = row;
  return { ...row, method, path, pieces, ...(body !== undefined && { body }), documented, repeat, answer, input };
}

function bodyOf(names: readonly string[]): (input: object) => Values {
  return (input) => Object.fromEntries(names.map((name) => [snakeCase(name), (input as Values)[name]]));
}

/** Whether a call changes anything. Every check that refuses changes uses it. */
export function isChange({ method }: Pick<Operation<never, unknown>, "method">): boolean {
  return method !== "GET";
}
