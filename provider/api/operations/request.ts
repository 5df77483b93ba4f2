// Builds the request from an operation's input: path, query, body. An invalid input is an InputError that names the input and
// never shows its value.

import { InputError } from "../../domain/errors";
import { shortened } from "../../domain/values/printable";
import type { Subject } from "./answer";
import type { Operation, QueryValue } from "./operation";

export interface EncodedRequest {
  subject: Subject;
  /** Below the base URL, with its query. */
  path: string;
  /** The path for log lines, without its query. */
  shownPath: string;
  body: string | undefined;
  secrets: readonly string[];
}

export function encodeRequest<Input, Output>(operation: Operation<Input, Output>, given: Input): EncodedRequest {
  const { name, pieces } = operation;
  const input = checkedInput(operation, given);
  // The input is checked: what the path names is an id, and nothing that leads elsewhere.
  const ids = input as Ids;
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
    path: query?.size ? `${path}?${query.toString()}` : path,
    shownPath: path,
    body: body && JSON.stringify(body),
    secrets: operation.secrets?.(input) ?? [],
  };
}

function checkedInput<Input, Output>({ name, input }: Operation<Input, Output>, given: Input): Input {
  const parsed = input?.safeParse(given) ?? { success: true, data: given };
  if (parsed.success) return parsed.data;
  const [{ path, message, keys } = { path: [], message: "given" }] = parsed.error.issues;
  const at = path.map(String).join(".");
  if (keys !== undefined)
    throw new InputError("unknown-input", keys.join(), `${name}: there is no input ${keys.join()}`);
  throw new InputError("invalid-input", at, `${name}: ${at === "" ? "the input" : at} must be ${message}`);
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
