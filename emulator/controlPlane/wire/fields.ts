// What the wire forms of all objects have in common. Only writes fields: `world/visibility.ts` decides which body is
// shown.

import type { Switches } from "../settings/switches";

export type Wire = Record<string, unknown>;

/**
 * How an answer shows each property of a body: a function that writes its fields, or the name of the property whose
 * function writes them. A property without a row does not compile.
 */
export type Rows<Body, View> = { readonly [K in keyof Required<Body>]: ((view: View) => Wire) | { with: keyof Body } };

/** Writes the fields of all rows, in their order. */
export function writeRows<View, Field extends string>(
  rows: Readonly<Record<string, ((view: View) => { [F in Field]?: unknown }) | { with: string }>>,
  view: View,
): Partial<Record<Field, unknown>> {
  const wire: Partial<Record<Field, unknown>> = {};
  for (const row of Object.values(rows)) if (typeof row === "function") Object.assign(wire, row(view));
  return wire;
}

export function statusWord(switches: Switches, word: string): string {
  if (switches.statusCase === "lower") return word.toLowerCase();
  return switches.statusCase === "upper" ? word.toUpperCase() : word;
}

/** Completes an object: nulls for absent values, fields of later versions, fields set out of band. */
export function finish(switches: Switches, wire: Wire, override: Wire | undefined): Wire {
  const finished = switches.nullFields ? withNulls(wire) : wire;
  if (switches.unknownFields) finished["introduced_later"] = { enabled: true, words: ["a", "b"] };
  return override ? { ...finished, ...override } : finished;
}

function withNulls(wire: Wire): Wire {
  return Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, nullFor(value)]));
}

function nullFor(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullFor);
  return typeof value === "object" && value !== null ? withNulls({ ...value }) : (value ?? null);
}
