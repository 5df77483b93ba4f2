// The form of an action: one operation with its method, path, request shape and effect. The HTTP layer checks the
// request strictly before it calls the action; the action finds objects, refuses, and changes.

import { z } from "zod";
import { checkShape } from "../../checkedShape";
import type { ChangeRequest } from "../world/changes";
import type { Project } from "../world/entities";
import { invalid } from "./failure";

export interface Caller {
  /** The caller's name in request records: never the token. */
  readonly label: string;
  readonly projectIds: readonly string[];
  readonly isReadOnly: boolean;
}

export interface Context extends ChangeRequest {
  readonly caller: Caller;
  /** The project in the path; for paths without one, the caller's first project. */
  readonly project: Project;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string[]>>;
  /** Set when the request was refused because another change was running. */
  refusedAsBusy: boolean;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** In place of `body`: called when `after` is done. */
  readonly bodyLater?: () => unknown;
  /** The answer waits for this work, so that what it reports is true. A Failure that it rejects with is the answer. */
  readonly after?: Promise<void> | undefined;
}

/** "contract": documented. "extension": not in the contract, but deployments offer it. */
type Offer = "contract" | "extension";

/** An operation of either API, as it is routed, checked and documented. */
export interface Operation {
  readonly method: string;
  /** Parameters begin with a colon. */
  readonly path: string;
  /** The schema of the JSON body; undefined if the operation takes none. The public types name no validator. */
  readonly body: object | undefined;
  readonly isBodyOptional: boolean;
  /** The schema of the query, each parameter as the list of its values; undefined if the operation takes none. */
  readonly query: object | undefined;
  /** Of a success. */
  readonly statuses: readonly number[];
}

export interface Action extends Operation {
  readonly method: "GET" | "POST" | "DELETE";
  readonly offer: Offer;
  /** `body` is the parsed JSON, undefined if none was sent. To refuse, it throws a Failure. */
  handle(context: Context, body: unknown): Answer;
}

const projects = "/projects";
const vpcs = `${projects}/:project_id/vpcs`;
const services = `${projects}/:project_id/services`;
const peerings = `${vpcs}/:vpc_id/peerings`;
const replicaSets = `${services}/:service_id/replicaSets`;

/** The paths of the contract, each once. */
export const paths = {
  projects,
  vpcs,
  vpc: `${vpcs}/:vpc_id`,
  peerings,
  peering: `${peerings}/:peering_id`,
  services,
  service: `${services}/:service_id`,
  replicaSets,
  replicaSet: `${replicaSets}/:replica_set_id`,
} as const;

type Extra = Partial<Pick<Action, "offer" | "query" | "isBodyOptional" | "statuses">>;

const common = { offer: "contract", isBodyOptional: false, query: undefined } as const;
const plain = { ...common, body: undefined, statuses: [202] } as const;

type Handle = (context: Context) => Answer;

const withoutBody =
  (method: Action["method"]) =>
  (path: string, run: Handle, extra: Extra = {}): Action => ({
    ...plain,
    ...(method === "GET" && { statuses: [200] }),
    ...extra,
    method,
    path,
    handle: run,
  });

export const [get, post, remove] = [withoutBody("GET"), withoutBody("POST"), withoutBody("DELETE")];

export const postJson = <B>(
  path: string,
  schema: z.ZodType<B>,
  run: (context: Context, body: B) => Answer,
  extra: Extra = {},
): Action => ({
  ...plain,
  ...extra,
  method: "POST",
  path,
  body: schema,
  handle: (context, raw) => run(context, validated(schema, raw)),
});

/** Throws a Failure with status 400. */
export function validated<B>(schema: z.ZodType<B>, raw: unknown): B {
  const checked = checkShape(schema, raw);
  if ("data" in checked) return checked.data;
  const [first, ...others] = checked.problems;
  throw invalid(`invalid request: ${first}`, others.length === 0 ? undefined : others.join("; "));
}

export const nothing = z.strictObject({});

/** The parsed body, undefined if there is none. Throws a Failure with status 400 for one that the operation does not take. */
export function bodyFor({ body, isBodyOptional }: Operation, text: string): unknown {
  if (text === "" && (!body || isBodyOptional)) return undefined;
  if (text === "") throw invalid("request body is missing");
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw invalid("request body is not valid JSON");
  }
  // Many clients send `{}` to operations that take no body.
  if (!body && !nothing.safeParse(parsed).success) throw invalid("this operation takes no request body but {}");
  return parsed;
}

export const accepted = (status: number, message: string): Answer => ({ status, body: { message } });
