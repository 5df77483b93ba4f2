// Builds the request from an operation's input: path, query, body. An invalid input is an InputError that names the input and
// never shows its value.

import { InputError } from "../../domain/errors";
import { shortened } from "../../domain/values/printable";
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
  const { name, pieces } = operation;
  const path = fillPath(pieces, ids);
  const query = operation.query && queryOf(operation.query(input));
  const body = operation.body?.(input);
  return {
    subject: {
      operation: name,
      get label() {
        return labelOf(name, pieces, ids);
      },
    },
    path: query === undefined || query.size === 0 ? path : `${path}?${query.toString()}`,
    get shownPath() {
      const names = [...new Set(query?.keys())].join("&");
      return names === "" ? path : `${path}?${names}`;
    },
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

function fillPath(pieces: readonly string[], ids: Ids): string {
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : encodeURIComponent(String(ids[piece])))).join("");
}

/** `services/svc1234567`: every object on the path; the project only if there is nothing else. */
function labelOf(operation: string, pieces: readonly string[], ids: Ids): string {
  const objects = pieces.flatMap((piece, at) => {
    const collection = /\w+(?=\/$)/.exec(pieces[at - 1] ?? "")?.[0];
    return at % 2 === 0 || collection === undefined ? [] : `${collection}/${shortened(String(ids[piece]), 80)}`;
  });
  const where = (objects.length > 1 ? objects.slice(1) : objects).join("/");
  return where === "" ? operation : `${operation} (${where})`;
}
