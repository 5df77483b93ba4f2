// From the body of a 2xx to what a call returns. Five kinds: a list, one object, a created object, an object nobody
// depends on, nothing. What does not fit the contract is a ContractError that never shows a value.

import { z } from "zod";
import { ContractError, ProviderError } from "../../domain/errors";
import { asWhole, listed, type Listed, type Unreadable } from "../../domain/listed";
import { isPathId } from "../../domain/sharedFields";
import { isPlainObject, membersOf, textOf, withoutUndefined } from "../../domain/values/value";
import type { Completion } from "./objects";
import { answeredId } from "./wire";

/** The names of an operation in messages. */
export interface Subject {
  /** `resize` */
  operation: string;
  /** `resize (services/svc1234567)` */
  label: string;
}

/** The body of an answer, as far as it could be read. `goesOn`: the status or a header says that it is a part. */
export type Body = { json: unknown; goesOn?: boolean } | { problem: string; isEmpty?: boolean };

export interface Answer<Input, Output> {
  /** Whether an answer with a missing or incomplete body is useful. */
  readonly needsBody: boolean;
  /** A longer answer is a failure. A list may be as long as the transport allows. */
  readonly maxBytes?: number;
  decode(body: Body, input: Input, subject: Subject): Output;
  /** The parts of the output that no text may ever show. */
  secrets?(output: Output): readonly string[];
}

/** The result of a create: at least the id, and the object if the answer shows it as in the contract. */
export interface CreateAnswer<T> {
  id: string;
  value?: T | undefined;
  /** Only the answer to creating or forking a service has it. */
  initialPassword?: string | undefined;
}

/** Says what is wrong with an object that decodes but is not the one asked for. */
type Check<T, Input> = (value: T, input: Input) => string | undefined;

/** One object with its parts, such as read replica sets. */
const OBJECT_BYTES = 1024 * 1024;

const MOST_ITEMS = 100_000;

interface ListOptions<T, Input> extends Items<T> {
  check?: Check<T, Input>;
  complete?: Completion<T>;
}

/** What is no object is no item, and no list of this API. The objects are taken as they are, without a copy of each. */
const someObjects = z.array(z.custom<object>(isPlainObject, "expected an object"));

/**
 * Items that do not fit the contract are named and left out. An item of another project or parent counts as unreadable,
 * without its id. A list of only such items is the answer to another request.
 */
export function list<T, Input>({ check, complete, ...items }: ListOptions<T, Input>): Answer<Input, Listed<T>> {
  return {
    needsBody: true,
    decode: (body, input, subject) => {
      const json = jsonOf(body);
      if (isPage(body)) throw listIsPaged(subject);
      // Within the limit of bytes, a list of nothing but brackets would take minutes to read.
      if (Array.isArray(json) && json.length > MOST_ITEMS) throw contractError(subject, "it has too many items");
      const read = readItems(parse(someObjects, body, subject), items);
      complete?.(read, false);
      const problems = read.map((item) => check?.(item, input));
      const foreign = problems.filter((problem) => problem !== undefined);
      if (foreign.length === 0) return read;
      if (foreign.length === read.length) throw contractError(subject, `0: ${foreign[0]}`);
      const mine = read.filter((_, index) => problems[index] === undefined);
      return listed(mine, [...read.unreadable, ...foreign.map((problem) => ({ problem }))]);
    },
  };
}

interface OneOptions<T, Input> {
  schema: z.ZodType<T>;
  check?: Check<T, Input>;
  complete?: Completion<T>;
  maxBytes?: number;
}

export function one<T extends object, Input>({
  schema,
  check,
  complete,
  maxBytes = OBJECT_BYTES,
}: OneOptions<T, Input>): Answer<Input, T> {
  return {
    needsBody: true,
    maxBytes,
    decode: (body, input, subject) => {
      const value = parse(schema, body, subject);
      const problem = check?.(value, input);
      if (problem !== undefined) throw contractError(subject, problem);
      complete?.([value], true);
      return asWhole(value);
    },
  };
}

interface CreatedOptions<T, Input> {
  schema: z.ZodType<T>;
  /** The member that holds the id. */
  idKey: string;
  /** An id that cannot be the new object's. */
  isTaken?: (id: string, input: Input) => boolean;
  check?: Check<T, Input>;
}

/** Services alone have one. */
const firstPassword = z.object({ initial_password: z.string().min(1) });

/**
 * The id is enough: an object that cannot be decoded exists all the same, and must not be lost. An object that shows that
 * it is another than the requested one is no answer to this request.
 */
export function created<T extends object, Input>({
  schema,
  idKey,
  isTaken,
  check,
}: CreatedOptions<T, Input>): Answer<Input, CreateAnswer<T>> {
  const identity = z.object({ [idKey]: answeredId }).transform((found) => String(found[idKey]));
  return {
    needsBody: true,
    maxBytes: OBJECT_BYTES,
    decode: (body, input, subject) => {
      const id = parse(identity, body, subject);
      if (isTaken?.(id, input) === true) throw contractError(subject, `${idKey}: it is not a new one`);
      const value = schema.safeParse(jsonOf(body)).data;
      const problem = value && check?.(value, input);
      if (problem !== undefined) throw contractError(subject, problem);
      const initialPassword = firstPassword.safeParse(jsonOf(body)).data?.initial_password;
      return { id, ...withoutUndefined({ value, initialPassword }) };
    },
    secrets: ({ initialPassword }) => (initialPassword === undefined ? [] : [initialPassword]),
  };
}

/** The effect is read later in any case, so an answer that cannot be decoded counts as no answer. */
export function optionalObject<T, Input>(schema: z.ZodType<T>, check?: Check<T, Input>): Answer<Input, T | undefined> {
  return {
    needsBody: false,
    decode: (body, input) => {
      const parsed = schema.safeParse(jsonOf(body));
      return parsed.success && check?.(parsed.data, input) === undefined ? parsed.data : undefined;
    },
  };
}

/** Any 2xx is accepted that is neither a refusal nor a web page. */
const nothing: Answer<unknown, void> = { needsBody: false, decode: () => undefined };

/** Contract: an accepted delete is answered without a body. What has one may mean anything. */
const accepted: Answer<unknown, void> = {
  needsBody: false,
  decode: (body, _input, subject) => {
    if (!("isEmpty" in body)) throw contractError(subject, "a delete is accepted without a body");
  },
};

/** The answer of a call that shows nothing. */
export function withoutBody(method: "GET" | "POST" | "DELETE"): Answer<unknown, void> {
  return method === "DELETE" ? accepted : nothing;
}

/** API: a gateway may give lists in pages, each of which looks like the whole: an object around the items, or a header that names the next. */
function isPage(body: Body): boolean {
  if (!("json" in body)) return false;
  const { json, goesOn } = body;
  return goesOn === true || (isPlainObject(json) && Object.values(json).some(Array.isArray));
}

function listIsPaged({ label }: Subject): ProviderError {
  return new ProviderError(
    "CONTRACT",
    "list-cut",
    `${label}: the list is cut: the answer is one page of several, and what stands on the others may be any object`,
    "Call the API itself, or have the gateway before it return whole lists; then run the same command again.",
  );
}

/** How the items of a list are read. By their `idKey` and `nameKey`, unreadable ones may still be identified. */
export interface Items<T> {
  schema: z.ZodType<T>;
  idKey: string;
  nameKey: string;
  /** As `vpcId` of an unreadable item. */
  vpcOf?: (this: void, item: Readonly<Record<string, unknown>>) => string | null | undefined;
}

/** Several items with one id count once: the first readable one. */
export function readItems<T>(raw: readonly unknown[], items: Items<T>): Listed<T> {
  const byId = new Map<string | undefined, T>();
  const unreadable: Unreadable[] = [];
  for (const item of raw) {
    const parsed = items.schema.safeParse(item);
    const id = textOf(membersOf(item), items.idKey);
    if (!parsed.success) unreadable.push(sketch(item, items, problemsOf(parsed.error)));
    else if (!byId.has(id)) byId.set(id, parsed.data);
  }
  const unknown = unreadable.filter(({ id }) => id === undefined || !byId.has(id));
  return listed([...byId.values()], unknown);
}

/** The parts that do not fit the contract, by path. The values are never shown. */
function problemsOf(error: z.ZodError): string {
  const issues = error.issues.slice(0, 5).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`;
  });
  return issues.join("; ");
}

function sketch<T>(item: unknown, { idKey, nameKey, vpcOf }: Items<T>, problem: string): Unreadable {
  const members = membersOf(item);
  const id = textOf(members, idKey);
  return {
    ...withoutUndefined({
      id: id !== undefined && isPathId(id) ? id : undefined,
      name: textOf(members, nameKey),
      vpcId: vpcOf?.(members),
    }),
    problem,
  };
}

function jsonOf(body: Body): unknown {
  return "json" in body ? body.json : undefined;
}

function parse<T>(schema: z.ZodType<T>, body: Body, subject: Subject): T {
  if ("problem" in body) throw contractError(subject, body.problem);
  const parsed = schema.safeParse(body.json);
  if (parsed.success) return parsed.data;
  throw contractError(subject, problemsOf(parsed.error));
}

function contractError(subject: Subject, problem: string): ContractError {
  return new ContractError(
    "broken-answer",
    subject.operation,
    `${subject.label}: the answer does not match the contract: ${problem}.`,
    "If this persists, check dbcloud:baseUrl; otherwise the server and this version of the provider disagree.",
  );
}
