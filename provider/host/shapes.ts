// Converts errors and values into the forms that Pulumi's provider process understands.

import { PartialError, ProviderError } from "../domain/errors";
import { printable } from "../domain/values/printable";
import { SECRET_SIGNATURE } from "../domain/values/secret";
import { isUnknown, type Values } from "../domain/values/value";
import { withUrn } from "./hidden";

/**
 * Pulumi: for check, diff, read and delete the provider process prints `${error}: ${stack}` to the console on top of
 * what the engine shows. `quietConsole` drops an error whose text is this mark.
 */
const MARK = "\u0001dbcloud\u0001";

/** The engine shows only the message of an error. It never has a numeric `code`, which gRPC would take for its own. */
class ShownError extends Error {
  constructor(text: string) {
    super(printable(text));
  }

  override toString(): string {
    return MARK;
  }
}

/** A create or update that ended early: Pulumi keeps `id` and `properties`, and shows `reasons`. */
class ShownPartialError extends ShownError {
  readonly id: string;
  readonly properties: Values;
  readonly reasons: readonly string[];

  constructor(error: PartialError, properties: Values) {
    super(error.message);
    this.id = error.id;
    this.properties = properties;
    this.reasons = [this.message];
  }
}

/** Errors of this package lose their stack, which helps no user. Any other error is a defect and keeps it. */
export function toShown(error: unknown, raw: Values): unknown {
  if (error instanceof PartialError) {
    return new ShownPartialError(error, { ...markSecrets(withUrn(error.outputs, raw)), __provider: raw["__provider"] });
  }
  if (error instanceof ProviderError) return new ShownError(error.fullMessage);
  if (!(error instanceof Error)) return new ShownError(String(error));
  error.message = printable(error.message);
  if (error.stack !== undefined) error.stack = printable(error.stack);
  return error;
}

type ConsoleError = (...parts: unknown[]) => void;

/** Drops the provider process's output of errors that the engine shows anyway. */
export function quietConsole(target: { error: ConsoleError }): void {
  const print = target.error.bind(target);
  target.error = (...parts) => {
    if (typeof parts[0] === "string" && parts[0].startsWith(MARK)) return;
    print(...parts);
  };
}

const PASSWORD_KEYS = ["password", "initialPassword"];
const SECRET_KEYS = [...PASSWORD_KEYS, "connectionUri", "poolerConnectionUri"];

/** The passwords among the values of a call, which a server may quote in an error. */
export function secretsOf(...all: readonly Values[]): string[] {
  return all.flatMap((values) => PASSWORD_KEYS.map((key) => values[key])).filter((value) => typeof value === "string");
}

/** Pulumi: handlers get plain values, so a secret must be wrapped again in every result. */
export function markSecrets(values: Values, more: Iterable<string> = []): Values {
  const marked: Values = { ...values };
  for (const key of new Set([...SECRET_KEYS, ...more])) {
    if (marked[key] !== undefined && !isUnknown(marked[key])) marked[key] = { ...SECRET_SIGNATURE, value: marked[key] };
  }
  return marked;
}
