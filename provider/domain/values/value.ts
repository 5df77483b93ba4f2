// Comparing and showing plain values, as inputs and states hold them. Plain loops: with a thousand resources a
// provider process spends most of its time and memory here.

import { composed, oneLine, shortened } from "./printable";

/** Inputs, outputs or states, by name. */
export type Values = Record<string, unknown>;

/**
 * The value that the engine puts where a preview does not know the real one yet.
 * Pulumi: it arrives as a plain text anywhere inside inputs and outputs, also in a real `up` (the engine calls `diff` with
 * it for dependents of a delete-before-replace), so it always means "maybe", never a value.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isPlainObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Values> {
  return isPlainObject(value) ? value : {};
}

export function isUnknown(value: unknown): boolean {
  return value === UNKNOWN;
}

/** Also if only a part of the value is unknown. */
export function containsUnknown(value: unknown): boolean {
  if (value === null || typeof value !== "object") return isUnknown(value);
  return Object.values(value).some(containsUnknown);
}

/** Equal by content; a key that is absent equals one that is undefined. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key of Object.keys(left)) if (!isEqual(left[key], right[key])) return false;
  for (const key of Object.keys(right)) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/** In characters. */
const LONGEST_SHOWN = 120;

/** A value for people: JSON in one line that a terminal can show, each text in it cut where it grows long; absent is "nothing". */
export function show(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "number") return String(value);
  const short = (_: string, inner: unknown): unknown =>
    typeof inner === "string" ? shortened(inner, LONGEST_SHOWN) : inner;
  return composed(oneLine(JSON.stringify(value, short).replaceAll(JSON.stringify(UNKNOWN), "[unknown]")));
}

/** Two texts that a reader takes for one: in another Unicode form, with blanks around them, with an entity for a character. */
export function isAlike(a: unknown, b: unknown): boolean {
  return typeof a === "string" && typeof b === "string" && inOneForm(a) === inOneForm(b);
}

export function inOneForm(text: string): string {
  // Many names are compared, and nearly all are of this kind.
  if (/^[!-%'-~]*$/.test(text)) return text;
  const decoded = text.replaceAll(/&([a-z#\d]+);/g, (entity, name: string) => ENTITIES[name] ?? entity);
  return decoded.normalize("NFC").trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

/** What `replica_count`, "replica count" and `replicaCount` have in common. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** For a row of progress, a warning or a table: addresses as people write them, the rest as JSON. */
export function inWords(value: unknown): string {
  const { host, port, endpoint } = membersOf(value);
  if (isPlainObject(endpoint)) return inWords(endpoint);
  if (typeof host !== "string") return show(value);
  return typeof port === "number" ? `${oneLine(host)}:${port}` : oneLine(host);
}

/**
 * Without undefined and null, at any depth.
 * Pulumi: an undefined anywhere in a result fails the call after the object was made.
 */
export function compact<T>(value: T): T {
  if (Array.isArray(value)) return value.map(compact) as T;
  if (typeof value !== "object" || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = (value as Record<string, unknown>)[key];
    if (inner !== undefined && inner !== null) kept[key] = compact(inner);
  }
  return kept as T;
}

/** Without the keys whose value is undefined, at the first level. */
export function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/** The text under a key; undefined when there is none, or something else. */
export function textOf(values: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = values[key];
  return typeof value === "string" ? value : undefined;
}

export function pick(values: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const key of keys) if (values[key] !== undefined) picked[key] = values[key];
  return picked;
}
