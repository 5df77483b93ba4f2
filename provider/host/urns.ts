// Which resource a call is about, for the lines on its row.
// Pulumi: handlers are not told. The classes send the URN as a hidden input, and `check` takes it off again, so that it
// is part of no state and can never be a difference: not after a rename, an import, or a move to another stack. What
// `check` was told counts for all later calls of the same process that come with the inputs that it returned.

import { createHash } from "node:crypto";
import type { Values } from "../lifecycle/resource";
import { visible } from "../lifecycle/state";

export interface Urns {
  remember(inputs: Values, urn: unknown): void;
  /** The same inputs with their `__urn`, where it is known. */
  complete(inputs: Values, fallback?: unknown): Values;
}

export function createUrns(): Urns {
  const known = new Map<string, unknown>();
  return {
    remember(inputs, urn) {
      if (urn !== undefined) known.set(keyOf(inputs), urn);
    },
    complete(inputs, fallback) {
      const urn = inputs["__urn"] ?? known.get(keyOf(inputs)) ?? fallback;
      return urn === undefined ? inputs : { ...inputs, __urn: urn };
    },
  };
}

/** A digest, because inputs hold secrets. */
function keyOf(inputs: Values): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(visible(inputs))))
    .digest("base64");
}

/** Pulumi: what comes back has the same values, and its keys in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
