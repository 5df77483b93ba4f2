// Every error answer of the control plane, with the texts that deployments use. One constructor per meaning; only this
// file decides status, code and wording.

import type { StorageError } from "../../errors";
import type { ObjectKind } from "../world/entities";

export class Failure extends Error {
  override readonly name = "Failure";
  readonly status: number;
  readonly apiCode: string;
  /** A string: clients of this API decode it as one. */
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

/** Must not look like a network error, nor show internals to a client. */
export function defect(error: unknown): Failure {
  process.emitWarning(`emulator defect: ${error instanceof Error ? error.stack : String(error)}`);
  return new Failure(500, "INTERNAL", "defect of the emulator; its standard error says more");
}

/** The servers behind a service could not do it; nothing has changed. */
export const notCarriedOut = (why: string) =>
  new Failure(503, "NOT_CARRIED_OUT", `the servers could not do it: ${why}`);

export const planLimit = (servers: number) => forbidden(`plan limit: at most ${servers} servers`);

/** The request is not valid, or the object is in the wrong state for it. */
export const invalid = (message: string, details?: string) => new Failure(400, "INVALID_REQUEST", message, { details });

export const tooLarge = (maxBytes: number) =>
  new Failure(413, "REQUEST_TOO_LARGE", `request body is larger than ${maxBytes} bytes`);

/** The request has a foreign `Host`: a web page may resolve its own name to this machine (DNS rebinding). */
export const foreignHost = (host: string, baseUrl: string) =>
  new Failure(421, "MISDIRECTED_REQUEST", `"${host}" is not a name of this machine; the API is at ${baseUrl}`);

export const conflict = (message: string, status = 409) => new Failure(status, "CONFLICT", message);

export const tooManyRequests = (headers: Record<string, string>) =>
  new Failure(429, "TOO_MANY_REQUESTS", "rate limit exceeded", { headers });

export const notStored = ({ message }: StorageError) =>
  new Failure(507, "INSUFFICIENT_STORAGE", `${message}; nothing was changed`);

/** The messages for an object that does not exist: one per kind, and those for a target VPC and an endpoint. */
const missing = {
  project: "no project with that id exists",
  service: "no service with that id exists",
  vpc: "no VPC with that id was found",
  targetVpc: "target VPC does not exist",
  peering: "no peering with that id was found",
  replicaSet: "no read replica set with that id exists",
  endpoint: "no Endpoint for that service id exists",
} as const satisfies Readonly<Record<ObjectKind, string>> & Readonly<Record<string, string>>;

export const notFound = (what: keyof typeof missing) => new Failure(404, "NOT_FOUND", missing[what]);

/** No such operation: 405 if the path exists with other methods, 404 otherwise. */
export function missingRoute(allowedMethods: readonly string[], hint: string): Failure {
  if (allowedMethods.length === 0) return new Failure(404, "NOT_FOUND", `no such route; ${hint}`);
  const headers = { Allow: allowedMethods.join(", ") };
  return new Failure(405, "METHOD_NOT_ALLOWED", "method not allowed", { headers });
}
