// Check: every input against its row, then the rules that look at several at once. No I/O, no key; unknown values pass.
// It fills in nothing but the name, so that an upgrade of this package never causes a difference.

import { containsUnknown } from "../../domain/values/unknown";
import type { Field } from "../../domain/fields";
import { nearest } from "../../domain/values/nearest";
import { compact, isEqual, show } from "../../domain/values/value";
import { describeConflict } from "../../plan/step";
import type { Context } from "../session/context";
import { declare, type Account } from "../create/declared";
import { noteRegistration } from "../state/held";
import { objectOf, type Memory } from "../state/memory";
import type { Resource, Values } from "../resources/resource";
import { isSameValue, visible } from "../state/state";
import { conflictWith, fieldsOf } from "../state/wanted";

export interface Checked {
  inputs: Values;
  /** Whole sentences: the path, what was given, what is allowed. */
  failures: string[];
  warnings: string[];
}

export function check(
  resource: Resource,
  { memory, account }: Pick<Context, "memory"> & { account?: Account },
  olds: Values,
  raw: Values,
): Checked {
  noteRegistration(memory, raw["__urn"], olds);
  const news = compact(visible(raw));
  const name = resource.isNamed ? (news["name"] ?? olds["name"] ?? raw["__defaultName"]) : undefined;
  const inputs: Values = { ...news, ...(name === undefined ? {} : { name }) };
  const wrong = fieldsOf(resource).map(
    ([key, field]) => [key, checkField(key, field, inputs[key], olds[key])] as const,
  );
  const failures = [
    ...unknownArguments(resource, inputs),
    ...wrong.flatMap(([, reasons]) => reasons),
    ...fixedInputs(resource, olds, inputs),
  ];
  // What is wrong by itself has had its word: the rules are about what could go together.
  const isWrong = (key: string): boolean => wrong.some(([other, reasons]) => other === key && reasons.length > 0);
  const isUsable = (key: string): boolean => !containsUnknown(inputs[key]) && !isWrong(key);
  const isNew = Object.keys(visible(olds)).length === 0;
  const rules = resource.rules(inputs, isUsable, isNew);
  failures.push(...rules.errors.map(({ path, reason }) => `${path}: ${reason}`));
  if (account !== undefined && failures.length === 0) {
    failures.push(...declare(resource, memory.declared, { urn: raw["__urn"], inputs, isNew, account }));
  }
  return {
    inputs,
    failures,
    warnings: [...rules.warnings, ...adoption(resource, memory, olds, inputs, raw["__urn"])],
  };
}

/** The engine shows a plain create: what is taken over is somebody's data, and a preview must say so. */
function adoption(resource: Resource, { predecessors }: Memory, olds: Values, inputs: Values, urn: unknown): string[] {
  const adoptId = inputs["adoptId"];
  if (adoptId === undefined || Object.keys(olds).length > 0) return [];
  // The replacement of the very object that it once named makes a new one.
  if (typeof adoptId === "string" && predecessors.get(urn)?.has(objectOf(resource, adoptId)) === true) return [];
  const which = containsUnknown(adoptId) ? "whose id is not known yet" : show(adoptId);
  return [
    `adoptId: the existing ${resource.noun} ${which} is taken over and changed in place to what the program says; none is created`,
  ];
}

function unknownArguments(resource: Resource, inputs: Values): string[] {
  const allowed = Object.keys(resource.fields);
  return Object.keys(inputs)
    .filter((key) => !allowed.includes(key))
    .map((key) => {
      const near = nearest(key, allowed);
      const hint = near === undefined ? `allowed: ${allowed.join(", ")}` : `did you mean ${near}?`;
      return `${key}: there is no such argument; ${hint}`;
    });
}

function checkField(key: string, field: Field, value: unknown, old: unknown): string[] {
  if (value === undefined) return field.required ? [`${key}: is missing; allowed: ${field.allowed}`] : [];
  // What an earlier version of this package has accepted, or a refresh has brought, is not refused afterwards.
  if (containsUnknown(value) || isEqual(old, value)) return [];
  const result = field.schema.safeParse(value);
  if (result.success) return [];
  const paths = new Map<string, string>();
  for (const issue of result.error.issues) {
    const inner = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
    const path = [key, ...inner.map(String)].join(".");
    const given = field.secret ? "[secret]" : show(valueAt(value, inner));
    const meant = field.meant?.(value);
    const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
    paths.set(path, `${path}: given ${given}; allowed: ${field.allowed}${hint}`);
  }
  return [...paths.values()];
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}

/** What cannot change, where the old input is there to compare with. The rest is found by `diff`. */
function fixedInputs(resource: Resource, olds: Values, inputs: Values): string[] {
  if (inputs["allowReplace"] === true) return [];
  return fieldsOf(resource)
    .filter(([key, field]) => field.change === "fixed" && olds[key] !== undefined && inputs[key] !== undefined)
    .filter(([key, field]) => !containsUnknown(inputs[key]) && !isSameValue(field, olds[key], inputs[key]))
    .map(([key]) => describeConflict(conflictWith(resource, key, olds[key], inputs[key])));
}
