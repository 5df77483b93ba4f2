// The program of a scenario or a walk: resources in creation order, whose arguments may refer to earlier ones.

import type { Values } from "../../../provider/domain/values/value";
import type { Kind } from "../../support/providerProcess";

/** Stands for the id of another resource. */
export interface Ref {
  ref: string;
}

/** Resource options, by Pulumi's names; `provider` is the number of an explicit one, and `parent` a component. */
export interface Options {
  provider?: number | undefined;
  ignoreChanges?: readonly string[];
  replaceOnChanges?: readonly string[];
  replacementTrigger?: number | undefined;
  /** The name of the resource with which it is replaced. */
  replaceWith?: string | undefined;
  deletedWith?: string | undefined;
  dependsOn?: string | undefined;
  /** An error hook that tries a create once more. */
  hooks?: boolean;
  /** A policy that changes its size after `check`. */
  policy?: boolean;
  deleteBeforeReplace?: boolean;
  retainOnDelete?: boolean;
  protect?: boolean;
  aliases?: readonly { name?: string; parent?: "" }[];
  parent?: "group";
}

/** A resource as a program declares it. */
export interface Declared {
  logical: string;
  kind: Kind;
  /** Values, with a `Ref` for another resource's id. */
  args: Values;
  options?: Options;
}

export function isNeeded(declared: readonly Declared[], logical: string): boolean {
  return declared.some(({ args }) => needsOf(args).includes(logical));
}

export function needsOf(args: Values): string[] {
  return Object.values(args).flatMap((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
    return isRef(value) ? [value.ref] : needsOf(value as Values);
  });
}

function isRef(value: object): value is Ref {
  return "ref" in value && typeof value.ref === "string";
}

/** The arguments, with the result of `idOf` in place of each `Ref`. */
export function resolve(args: Values, idOf: (logical: string) => unknown): Values {
  const entries = Object.entries(args).map(([key, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [key, value];
    return [key, isRef(value) ? idOf(value.ref) : resolve(value as Values, idOf)];
  });
  return Object.fromEntries(entries) as Values;
}
