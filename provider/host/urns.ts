// Finds the resource of a call, for the lines on its row.
// Pulumi: handlers do not receive it. The classes send the URN as a hidden input, and `check` removes it again, so that it is
// not in the inputs of the state and can never cause a difference: not after a rename, an import, or a move to another stack.
// The URN of a `check` counts for all later calls of the same process with the inputs that it returned. If several resources
// have equal inputs, the rest of the call distinguishes them.

import { hash } from "node:crypto";
import type { Values } from "../domain/values/value";
import { visible } from "../lifecycle/state/state";
import { urnIn } from "./hidden";

interface Candidate {
  urn: unknown;
  isNew: boolean;
  /** The object with which it was compared. */
  id?: string;
}

export function createUrns() {
  const byInputs = new Map<string, Candidate[]>();
  const keys = new Map<unknown, string>();
  const compared = new Map<string, unknown>();
  // A refresh calls `diff` without a `check` before it, for each resource.
  const candidates = (inputs: Values): Candidate[] => (byInputs.size === 0 ? [] : (byInputs.get(keyOf(inputs)) ?? []));

  /** A new `check` of a resource replaces the one before. */
  function forget(urn: unknown): void {
    const key = keys.get(urn);
    if (key === undefined) return;
    const others = (byInputs.get(key) ?? []).filter((one) => one.urn !== urn);
    if (others.length === 0) byInputs.delete(key);
    else byInputs.set(key, others);
  }

  /** The inputs of a `diff` with their `__urn`, if it is known: among equal ones the URN in the state, otherwise the last one. */
  function ofDiff(id: string, inputs: Values, olds: Values): Values {
    const old = urnIn(olds);
    const there = candidates(inputs).filter((one) => !one.isNew && (one.id ?? id) === id);
    const checked = there.find((one) => one.urn === old) ?? there.at(-1);
    if (checked !== undefined) checked.id = id;
    // Pulumi: `diff` follows its `check`, or there is none: that of a dependent of what is replaced. After a rename by an
    // alias the state still has the URN of before, and a URN that was checked with other inputs is another resource by now.
    const urn = inputs["__urn"] ?? checked?.urn ?? (keys.has(old) ? undefined : old);
    compared.set(id, urn);
    return named(inputs, urn);
  }

  return {
    /** `check` returned these inputs for this resource. With empty olds it is created next. */
    remember(inputs: Values, urn: unknown, olds: Values): void {
      if (urn === undefined) return;
      forget(urn);
      const key = keyOf(inputs);
      keys.set(urn, key);
      byInputs.set(key, [...(byInputs.get(key) ?? []), { urn, isNew: Object.keys(olds).length === 0 }]);
    },
    /** The inputs of a create with their `__urn`, if it is known. Each resource is created once. */
    ofCreate(inputs: Values): Values {
      // In the order in which they were registered: that is the order in which the engine begins.
      const next = candidates(inputs).find(({ isNew }) => isNew)?.urn;
      const urn = inputs["__urn"] ?? next;
      forget(urn);
      return named(inputs, urn);
    },
    ofDiff,
    ofUpdate: (id: string, inputs: Values, olds: Values): Values =>
      compared.has(id) ? named(inputs, inputs["__urn"] ?? compared.get(id)) : ofDiff(id, inputs, olds),
  };
}

const named = (inputs: Values, urn: unknown): Values => (urn === undefined ? inputs : { ...inputs, __urn: urn });

/** A digest, because inputs hold secrets. */
function keyOf(inputs: Values): string {
  return hash("sha256", JSON.stringify(sorted(visible(inputs))), "base64");
}

/** Pulumi: inputs come back with their keys in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
