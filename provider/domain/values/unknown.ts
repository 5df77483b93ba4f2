// The value the engine puts where a preview does not know the real one yet.
// Pulumi: it arrives as a plain text anywhere inside inputs and outputs, also in a real `up` (the engine calls `diff` with
// it for dependents of a delete-before-replace), so it always means "maybe", never a value.

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function isUnknown(value: unknown): boolean {
  return value === UNKNOWN;
}

/** True when the value, or anything inside it, is not known yet. */
export function containsUnknown(value: unknown): boolean {
  if (value === null || typeof value !== "object") return isUnknown(value);
  return Object.values(value).some(containsUnknown);
}
