// Refusals: everything the control plane answers with an error, with the texts that deployments use. One constructor
// per meaning, so that status, code and wording are decided here alone.

import type { StorageError } from "../errors";
import type { Kind } from "../world/entities";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly status: number;
  readonly apiCode: string;
  /** Text: clients of this API decode it as such. */
  readonly details: string | undefined;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    apiCode: string,
    message: string,
    extra: { details?: string | undefined; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.apiCode = apiCode;
    this.details = extra.details;
    this.headers = extra.headers ?? {};
  }
}

export const unauthorized = () =>
  new Failure(401, "UNAUTHORIZED", "missing or invalid bearer token", { headers: { "WWW-Authenticate": "Bearer" } });

export const forbidden = (message = "missing project permission") => new Failure(403, "FORBIDDEN", message);

/** One server more than the plan has. */
export const planLimit = (servers: number) => forbidden(`plan limit: at most ${servers} servers`);

/** The request itself is wrong: shape, type, value. */
export const invalid = (message: string, details?: string) => new Failure(400, "INVALID_REQUEST", message, { details });

export const tooLarge = (maxBytes: number) =>
  new Failure(413, "REQUEST_TOO_LARGE", `request body is larger than ${maxBytes} bytes`);

/** For a request with another `Host`: a web page may have its own name resolve to this machine (DNS rebinding). */
export const foreignHost = (host: string, baseUrl: string) =>
  new Failure(421, "MISDIRECTED_REQUEST", `"${host}" is not a name of this machine; the API is at ${baseUrl}`);

/** The request is fine, the object is in the wrong state for it; nothing has changed. */
export const wrongState = (message: string) => new Failure(400, "INVALID_REQUEST", message);

export const conflict = (message: string, status = 409) => new Failure(status, "CONFLICT", message);

export const tooManyRequests = (headers: Record<string, string>) =>
  new Failure(429, "TOO_MANY_REQUESTS", "rate limit exceeded", { headers });

/** The change is made, but it would not be there after a restart. */
export function notStored({ message, isFinal }: StorageError): Failure {
  const outlook = isFinal ? "made in memory alone, and lost with it" : "made, and kept once there is room";
  return new Failure(507, "INSUFFICIENT_STORAGE", `${message}; the change is ${outlook}`);
}

/** Words for an object that is not there: of each kind, and of what is no kind. */
const missing = {
  project: "no project with that id exists",
  service: "no service with that id exists",
  vpc: "no VPC with that id was found",
  targetVpc: "target VPC does not exist",
  peering: "no peering with that id was found",
  replicaSet: "no read replica set with that id exists",
  endpoint: "no Endpoint for that service id exists",
} as const satisfies Readonly<Record<Kind, string>> & Readonly<Record<string, string>>;

export const notFound = (what: keyof typeof missing) => new Failure(404, "NOT_FOUND", missing[what]);

export const noRoute = (hint: string) => new Failure(404, "NOT_FOUND", `no such route; ${hint}`);

/** No such operation here: 405 where the path exists with other methods, 404 elsewhere, or whatever a switch says. */
export function missingRoute(
  allowedMethods: readonly string[],
  answer: "natural" | 403 | 404 | 405 | 501,
  hint: string,
): Failure {
  const status = answer === "natural" ? (allowedMethods.length > 0 ? 405 : 404) : answer;
  if (status === 403) return forbidden("this operation is not part of your plan");
  if (status === 404) return noRoute(hint);
  if (status === 501) return new Failure(501, "UNSUPPORTED", "this operation is not offered here");
  const headers = { Allow: allowedMethods.join(", ") };
  return new Failure(405, "METHOD_NOT_ALLOWED", "method not allowed", { headers });
}
