// All errors that the provider raises on purpose. Callers check `code` (stable) or a category, never the message. A numeric
// `code` is never used, because gRPC would take it for one of its statuses.

import type { ErrorName } from "./errorName";
import { shortened } from "./values/printable";

/** The meaning of a server's refusal, independent of its status and words. */
export type ApiCategory =
  | "notFound"
  | "conflict"
  | "auth"
  | "forbidden"
  | "badRequest"
  | "rate"
  | "server"
  | "absentRoute"
  | "tooEarly";

export type ErrorCode =
  | "CONFIG"
  | "INPUT"
  | "TRANSPORT"
  | "API"
  | "CONTRACT"
  | "WAIT"
  | "OUTCOME_UNKNOWN"
  | "PARTIAL"
  | "REFUSED";

/** By the meaning of a refusal. */
const NAMES: Readonly<Record<ApiCategory, ErrorName>> = {
  notFound: "not-found",
  conflict: "conflict",
  auth: "key-refused",
  forbidden: "forbidden",
  badRequest: "request-rejected",
  rate: "rate-limited",
  server: "server-error",
  absentRoute: "route-missing",
  tooEarly: "too-early",
};

/** gRPC: an error of more than 64 KB, with what the state is to keep, gets lost. A list of a thousand objects is longer. */
const LONGEST_MESSAGE = 4_000;

export class ProviderError extends Error {
  readonly code: ErrorCode;
  /** What `pulumi-dbcloud explain` takes. */
  readonly errorName: ErrorName;
  /** The remedy, one sentence or more; shown below the message. */
  readonly hint: string | undefined;

  constructor(code: ErrorCode, errorName: ErrorName, message: string, hint?: string, options?: { cause?: unknown }) {
    super(shortened(message, LONGEST_MESSAGE), options);
    this.code = code;
    this.errorName = errorName;
    this.hint = hint;
    this.name = new.target.name;
  }

  /** The message and, on a separate line, the remedy. */
  get withRemedy(): string {
    return this.hint === undefined ? this.message : `${this.message}\n${this.hint}`;
  }

  /** The line that says where to read on. */
  get more(): string {
    return `More: npx pulumi-dbcloud explain ${this.errorName}`;
  }

  /** The message, and on lines of their own the remedy and where to read on. */
  get fullMessage(): string {
    return `${this.withRemedy}\n${this.more}`;
  }
}

/** Configuration that is missing, malformed or contradicts itself. */
export class ConfigError extends ProviderError {
  constructor(errorName: ErrorName, message: string, hint?: string) {
    super("CONFIG", errorName, message, hint);
  }
}

/** An input that cannot be accepted; `path` names the property. */
export class InputError extends ProviderError {
  readonly path: string;

  constructor(errorName: ErrorName, path: string, message: string, hint?: string) {
    super("INPUT", errorName, message, hint);
    this.path = path;
  }
}

/** A request that the provider refuses, because it would endanger data. */
export class RefusedError extends ProviderError {
  constructor(errorName: ErrorName, message: string, hint?: string) {
    super("REFUSED", errorName, message, hint);
  }
}

/** The object is proven to be gone, and stays in the state, so that no empty one replaces it. */
export class MissingError extends RefusedError {}

/** The exchange itself failed. `sent: "no"` means that the request provably never reached the server. */
export class TransportError extends ProviderError {
  readonly operation: string;
  readonly sent: "no" | "maybe";

  constructor(
    operation: string,
    sent: "no" | "maybe",
    message: string,
    options?: { cause?: unknown; hint?: string | undefined },
  ) {
    super("TRANSPORT", "no-answer", message, options?.hint, options);
    this.operation = operation;
    this.sent = sent;
  }
}

/** The server answered and refused. */
export class ApiError extends ProviderError {
  declare readonly operation: string;
  declare readonly status: number;
  declare readonly category: ApiCategory;
  declare readonly apiCode?: string | undefined;
  declare readonly apiMessage?: string | undefined;
  declare readonly requestId?: string | undefined;
  /** The pause that the server asked for. */
  declare readonly retryAfterMs?: number | undefined;
  /** The server's words say that another change is under way, whatever the object shows. */
  declare readonly saysBusy?: boolean | undefined;

  constructor(details: ApiErrorDetails, message: string, hint?: string) {
    super("API", NAMES[details.category], message, hint);
    Object.assign(this, details);
  }
}

type ApiErrorDetails = Omit<ApiError, keyof ProviderError>;

/** The server answered 2xx with a body that does not fit the contract. */
export class ContractError extends ProviderError {
  readonly operation: string;
  /** The server's own words, if the body is that of a refusal. */
  readonly said: string | undefined;

  constructor(errorName: ErrorName, operation: string, message: string, hint?: string, said?: string) {
    super("CONTRACT", errorName, message, hint);
    this.operation = operation;
    this.said = said;
  }
}

/** A wait failed: the deadline passed, the object failed, or it disappeared. */
export class WaitError extends ProviderError {
  readonly reason: "timeout" | "terminal" | "vanished";

  constructor(errorName: ErrorName, reason: "timeout" | "terminal" | "vanished", message: string, hint?: string) {
    super("WAIT", errorName, message, hint);
    this.reason = reason;
  }
}

/** A create was sent, its answer was lost, and the server does not show its outcome. */
export class OutcomeUnknownError extends ProviderError {
  constructor(message: string, hint?: string) {
    super("OUTCOME_UNKNOWN", "outcome-unknown", message, hint);
  }
}

/** The object exists and is safe, but is not (yet) as declared: `id` and `outputs` must reach the state. */
export class PartialError extends ProviderError {
  readonly id: string;
  readonly outputs: Record<string, unknown>;

  constructor(id: string, outputs: Record<string, unknown>, message: string, options?: { cause?: unknown }) {
    super(
      "PARTIAL",
      options?.cause instanceof ProviderError ? options.cause.errorName : "unfinished",
      message,
      undefined,
      options,
    );
    // With its remedy, which must not be cut off: the message of its cause is short already.
    this.message = message;
    this.id = id;
    this.outputs = outputs;
  }
}

/** Whether a server has refused something for one of these reasons. "notFound" alone does not prove that an object is gone. */
export function isRefusal(error: unknown, ...categories: readonly ApiCategory[]): error is ApiError {
  return error instanceof ApiError && categories.includes(error.category);
}

/** Whether the error is temporary. Missing permissions are not: they fail at once. */
export function isPassing(error: unknown): error is ProviderError {
  if (error instanceof TransportError || error instanceof ContractError) return true;
  return isRefusal(error, "server", "rate", "conflict", "tooEarly");
}

/** One read that a later one follows in any case: undefined after a temporary error. */
export async function readOrNothing<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isPassing(error)) throw error;
    return undefined;
  }
}

/** What the server has answered: status and words. Undefined where no answer came, or one without a refusal in it. */
export function answerIn(error: unknown): string | undefined {
  if (error instanceof ContractError) return error.said;
  if (!(error instanceof ApiError)) return undefined;
  return [error.status, error.apiCode, error.apiMessage].filter((word) => word !== undefined).join(" ");
}

export function messageOf(error: unknown): string {
  return errorOf(error).message;
}

/** JavaScript throws anything. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
