// Builds the request from an operation's input: path, query, body. An invalid input is an InputError that names the input and
// never shows its value.

import { InputError } from "../../domain/errors";
import type { Subject } from "./answer";
import type { InputSchema, Operation, QueryValue } from "./operation";
import { isPathId } from "./wire";

export interface EncodedRequest {
  subject: Subject;
  /** Below the base URL, with its query. */
  path: string;
  /** The path for log lines, with only the names of a query. */
  shownPath: string;
  body: string | undefined;
  secrets: readonly string[];
}

export function encodeRequest<Input, Output>(operation: Operation<Input, Output>, given: Input): EncodedRequest {
  const input = operation.input === undefined ? given : checkInput(operation.name, operation.input, given);
  const path = fillPath(operation, input);
  const query = queryOf(operation.query?.(input) ?? {});
  const names = [...new Set(query.keys())].join("&");
  const body = operation.body?.(input);
  return {
    subject: subjectOf(operation, input),
    path: query.size === 0 ? path : `${path}?${query.toString()}`,
    shownPath: names === "" ? path : `${path}?${names}`,
    body: body === undefined ? undefined : JSON.stringify(body),
    secrets: operation.secrets?.(input) ?? [],
  };
}

function checkInput<Input>(operation: string, schema: InputSchema<Input>, given: Input): Input {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue?.code === "unrecognized_keys") {
    const key = issue.keys?.[0] ?? "";
    throw new InputError(key, `${operation}: there is no input ${key}`);
  }
  const path = issue?.path.map(String).join(".") ?? "";
  throw new InputError(path, `${operation}: ${path === "" ? "the input" : path} must be ${issue?.message ?? "given"}`);
}

type Segment = { literal: string } | { key: string };

const templates = new Map<string, readonly Segment[]>();

/** A path is parsed once, and not for each of thousands of requests. */
function segmentsOf(path: string): readonly Segment[] {
  const known = templates.get(path);
  if (known !== undefined) return known;
  const segments = path.split("/").map((text): Segment => {
    const key = /^\{(\w+)\}$/.exec(text)?.[1];
    return key === undefined ? { literal: text } : { key };
  });
  templates.set(path, segments);
  return segments;
}

function fillPath<Input, Output>(operation: Operation<Input, Output>, input: Input): string {
  return segmentsOf(operation.path)
    .map((segment) => ("key" in segment ? encodeURIComponent(pathId(operation, input, segment.key)) : segment.literal))
    .join("/");
}

function pathId<Input, Output>(operation: Operation<Input, Output>, input: Input, key: string): string {
  const value = (input as Readonly<Record<string, unknown>>)[key];
  if (typeof value === "string" && isPathId(value)) return value;
  throw new InputError(key, `${operation.name}: ${key} must be an id that is not empty`);
}

function queryOf(values: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    const several = Array.isArray(value) ? (value as readonly string[]) : [value as string | number | undefined];
    for (const single of several) if (single !== undefined) query.append(key, String(single));
  }
  return query;
}

/** `services/svc1234567`: every object on the path; the project only if there is nothing else. */
function subjectOf<Input, Output>(operation: Operation<Input, Output>, input: Input): Subject {
  const objects: string[] = [];
  let collection = "";
  for (const segment of segmentsOf(operation.path)) {
    if ("literal" in segment) collection = segment.literal;
    else objects.push(`${collection}/${printable(pathId(operation, input, segment.key))}`);
  }
  const where = (objects.length > 1 ? objects.slice(1) : objects).join("/");
  return { operation: operation.name, label: where === "" ? operation.name : `${operation.name} (${where})` };
}

function printable(id: string): string {
  const clean = id.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");
  return clean.length <= 80 ? clean : `${clean.slice(0, 79)}…`;
}
