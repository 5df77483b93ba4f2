// Builds the request from an operation's input: path, query, body. An invalid input is an InputError that names the input and
// never shows its value.

import { InputError } from "../../domain/errors";
import type { Subject } from "./answer";
import type { InputSchema, Operation, QueryValue } from "./operation";

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
  // The input is checked: what the path names is an id, and nothing that leads elsewhere.
  const ids = input as Ids;
  const path = fillPath(operation.path, ids);
  const query = queryOf(operation.query?.(input) ?? {});
  const names = [...new Set(query.keys())].join("&");
  const body = operation.body?.(input);
  return {
    subject: subjectOf(operation.name, operation.path, ids),
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
    throw new InputError("unknown-input", key, `${operation}: there is no input ${key}`);
  }
  const path = issue?.path.map(String).join(".") ?? "";
  throw new InputError(
    "invalid-input",
    path,
    `${operation}: ${path === "" ? "the input" : path} must be ${issue?.message ?? "given"}`,
  );
}

function queryOf(values: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    for (const single of [value].flat()) if (single !== undefined) query.append(key, String(single));
  }
  return query;
}

type Ids = Readonly<Record<string, string>>;

function fillPath(template: string, ids: Ids): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));
}

/** `services/svc1234567`: every object on the path; the project only if there is nothing else. */
function subjectOf(operation: string, template: string, ids: Ids): Subject {
  const objects = [...template.matchAll(/(\w+)\/\{(\w+)\}/g)].map(([, collection = "", key = ""]) => {
    return `${collection}/${shorten(ids[key] ?? "")}`;
  });
  const where = (objects.length > 1 ? objects.slice(1) : objects).join("/");
  return { operation, label: where === "" ? operation : `${operation} (${where})` };
}

function shorten(id: string): string {
  return id.length <= 80 ? id : `${id.slice(0, 79)}…`;
}
