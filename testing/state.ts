// The state of a test stack, from the backend's file: a call of the CLI takes far longer.

import { readFileSync } from "node:fs";
import path from "node:path";
import { SECRET_KEY } from "../provider/domain/values/secret";
import { nameInUrn } from "../provider/domain/values/urn";
import { UNKNOWN } from "../provider/domain/values/value";
import { TestStackError } from "./error";

export type Values = Readonly<Record<string, unknown>>;

/** A resource in the state. Secrets are the text "[secret]". */
export interface TestResource {
  readonly name: string;
  /** `Service`, `Vpc` … for this package's own types, the whole token for others. */
  readonly type: string;
  readonly urn: string;
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  readonly isProtected: boolean;
  /** Why its create or update ended early; empty otherwise. */
  readonly initErrors: readonly string[];
}

interface KeptResource {
  urn: string;
  type: string;
  id?: string;
  delete?: boolean;
  protect?: boolean;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  initErrors?: string[];
}

const SECRET = "[secret]";

/** Whether a value is a secret, or contains one. */
export function holdsSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsSecret);
  return typeof value === "object" && value !== null ? Object.values(value).some(holdsSecret) : value === SECRET;
}

export interface StackState {
  readonly resources: readonly TestResource[];
  /** The outputs of the stack, secrets as "[secret]". */
  readonly outputs: Values;
}

export function readState(file: string): StackState {
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
    checkpoint: { latest?: { resources?: KeptResource[] } };
  };
  const all = checkpoint.latest?.resources ?? [];
  const stack = all.find(({ type }) => type === STACK);
  const own = all.filter((one) => !isStackOrProvider(one.type) && one.delete !== true);
  return { resources: own.map(resourceOf), outputs: visible(stack?.outputs) };
}

const STACK = "pulumi:pulumi:Stack";

/** The stack itself, and providers. */
export const isStackOrProvider = (type: string): boolean => type === STACK || type.startsWith("pulumi:providers:");

function resourceOf({
  urn,
  type,
  id = "",
  inputs,
  outputs,
  protect = false,
  initErrors = [],
}: KeptResource): TestResource {
  return {
    name: nameInUrn(urn),
    type: shortType(type),
    urn,
    id,
    inputs: visible(inputs),
    outputs: visible(outputs),
    isProtected: protect,
    initErrors,
  };
}

export const shortType = (type: string): string =>
  type.replace(/^(?:pulumi-nodejs:dynamic\/dbcloud|dbcloud:index):/, "");

/** Without the keys that this package and Pulumi store for themselves. */
export function visible(values: Readonly<Record<string, unknown>> = {}): Values {
  const shown = Object.entries(values).filter(([key]) => !key.startsWith("__"));
  return Object.fromEntries(shown.map(([key, value]) => [key, readable(value)]));
}

function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (value === UNKNOWN) return "[unknown]";
  if (typeof value !== "object" || value === null) return value;
  if (SECRET_KEY in value) return SECRET;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, readable(member)]));
}

/** By its name; by `Type/name` or its URN if several have that name. */
export function findNamed<T extends { name: string; type: string; urn: string }>(all: readonly T[], wanted: string): T {
  const fitting = all.filter(
    ({ name, type, urn }) => wanted === name || wanted === `${type}/${name}` || wanted === urn,
  );
  const [first, ...others] = fitting;
  if (first === undefined) {
    const names = all.map(({ name, type }) => `${type}/${name}`).join(", ");
    throw new TestStackError(`there is no resource "${wanted}"; there is ${names === "" ? "none at all" : names}`);
  }
  if (others.length === 0) return first;
  const choices = fitting.map(({ type, name }) => `"${type}/${name}"`).join(" or ");
  throw new TestStackError(`several resources are called "${wanted}": say ${choices}`);
}

export const stateFile = (backend: string, project: string, stack: string): string =>
  path.join(backend, ".pulumi/stacks", project, `${stack}.json`);
