// The form of an action: one operation with its method, path, request shape and effect. Requests are strict here, before
// an action sees them; the actions themselves only look up, refuse and change.

import type { z } from "zod";
import { invalid } from "./failure";
import type { OperationName } from "./operations";
import type { AnyEntity, Project } from "./entities";
import type { World } from "./world";

export interface Caller {
  /** How the caller is named in request records: never the token. */
  readonly label: string;
  readonly kind: "pat" | "oauth";
  /** The projects this caller may see. */
  readonly projectIds: readonly string[];
  readonly isReadOnly: boolean;
}

/** All that an action knows of its request, and what it leaves behind about it. */
export interface Context {
  readonly world: World;
  readonly now: number;
  readonly operation: OperationName;
  readonly requestId: string;
  readonly caller: Caller;
  /** The project of the path; for getProjects, which has none, the caller's first one. */
  readonly project: Project;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string[]>>;
  /** The object that the request is about, once it is found or made. */
  subject?: AnyEntity;
  committed: boolean;
  overlapped: boolean;
  /** Set when the request was refused because another change was running. */
  refusedAsBusy: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** JSON that is already written. */
  readonly text?: string | Buffer;
}

export interface Action {
  readonly operation: OperationName;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly takesBody: boolean;
  readonly takesQuery: boolean;
  /** `body` is the parsed JSON, undefined where none was sent. Throws a Failure to refuse. */
  handle(context: Context, body: unknown): Answer;
}

interface Spec {
  operation: OperationName;
  method: Action["method"];
  path: string;
}

/** An operation without a body, and unless it says so without query parameters. */
export function action(spec: Spec & { takesQuery?: boolean; run(context: Context): Answer }): Action {
  return { takesQuery: false, ...spec, takesBody: false, handle: (context) => spec.run(context) };
}

/** An operation with a JSON body of exactly this shape. */
export function actionWithBody<B>(spec: Spec & { body: z.ZodType<B>; run(context: Context, body: B): Answer }): Action {
  const { body: schema, ...rest } = spec;
  return {
    ...rest,
    takesBody: true,
    takesQuery: false,
    handle: (context, raw) => spec.run(context, validated(schema, raw)),
  };
}

export function validated<B>(schema: z.ZodType<B>, raw: unknown): B {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [first = "no reason given", ...others] = result.error.issues.map(({ path, message: text }) =>
    path.length === 0 ? text : `${path.map(String).join(".")}: ${text}`,
  );
  throw invalid(`invalid request: ${first}`, others.length === 0 ? undefined : others.join("; "));
}

export const message = (text: string): { message: string } => ({ message: text });
