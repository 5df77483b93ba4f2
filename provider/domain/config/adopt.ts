// The words of DBCLOUD_ADOPT, which name objects that one run may adopt: an id of any kind; `vpc:main`, an id or a name of that
// kind; or the name of a service. So the name of a service never means its VPC too.

import type { Kind } from "../kinds";

export function isIdToAdopt(words: readonly string[], kind: string, id: string): boolean {
  return words.includes(id) || words.includes(`${kind}:${id}`);
}

/** The words that can be ids of this kind. */
export function idsToAdopt(words: readonly string[], kind: string): string[] {
  return words.flatMap((word) => {
    if (word.startsWith(`${kind}:`)) return [word.slice(kind.length + 1)];
    return word.includes(":") ? [] : [word];
  });
}

export function isNameToAdopt(words: readonly string[], kind: string, name: unknown): boolean {
  const service: Kind = "service";
  return words.some((word) => word === `${kind}:${String(name)}` || (kind === service && word === name));
}
