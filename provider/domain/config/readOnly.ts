// Read-only: the changes that are refused before they are sent, and how a user allows them again.

/** The objects that may not be changed: all of them, or those with the environment tag PROD. */
export type GuardedObjects = "all" | "prod";

export interface ReadOnly {
  readonly objects: GuardedObjects;
  /** How to allow changes again, a sentence. */
  readonly remedy: string;
}

/** The value of a setting; "none" allows every change. */
export type ReadOnlyWord = GuardedObjects | "none";

export const READ_ONLY_ALLOWED = "true, false or prod";

export function parseReadOnly(text: string): ReadOnlyWord | undefined {
  const word = text.toLowerCase();
  if (["true", "1", "yes"].includes(word)) return "all";
  if (["false", "0", "no"].includes(word)) return "none";
  return word === "prod" ? "prod" : undefined;
}

const STRICTNESS: readonly ReadOnlyWord[] = ["none", "prod", "all"];

export function isStricter(one: ReadOnlyWord, other: ReadOnlyWord): boolean {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other);
}
