// Refuses unknown names, and suggests the one that was probably meant. TypeScript refuses them too, but a JavaScript
// test would otherwise ignore them without a sign.

/** Throws a TypeError for the first unknown name. `where` says what the names belong to. */
export function requireKnown(where: string, given: object | undefined, known: readonly string[]): void {
  for (const name of Object.keys(given ?? {})) {
    if (!known.includes(name)) throw new TypeError(`${where}: there is no option ${name}; ${advice(name, known)}`);
  }
}

/** A hint: the name that was probably meant, else all known names. */
export function advice(name: string, known: readonly string[]): string {
  const near = meant(name, known);
  return near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
}

const mostAmiss = 2;

/** The end of an error message about an unknown word. */
export function didYouMean(given: string, known: readonly string[]): string {
  const near = meant(given, known);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

/** The nearest known name: another spelling, its beginning, or few wrong letters; undefined if none is near. */
export function meant(word: string, known: readonly string[]): string | undefined {
  const bare = (name: string): string => name.replaceAll(/[-_]/g, "").toLowerCase();
  const given = bare(word);
  const begun = known.filter((name) => given.length > 2 && bare(name).startsWith(given));
  if (begun.length === 1) return begun[0];
  for (let amiss = 0; amiss <= Math.min(mostAmiss, given.length / 2); amiss += 1) {
    const near = known.find((name) => isWithin(given, bare(name), amiss));
    if (near !== undefined) return near;
  }
  return undefined;
}

/**
 * Whether at most this many letters inserted, removed, changed, or swapped with the next one turn one word into the
 * other.
 */
function isWithin(one: string, other: string, amiss: number): boolean {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [a, b] = [one.slice(at), other.slice(at)];
  if (a === b) return true;
  if (amiss === 0) return false;
  const tails: [string, string][] = [
    [a.slice(1), b.slice(1)],
    [a.slice(1), b],
    [a, b.slice(1)],
  ];
  if (a.length > 1 && a[0] === b[1] && a[1] === b[0]) tails.push([a.slice(2), b.slice(2)]);
  return tails.some(([left, right]) => isWithin(left, right, amiss - 1));
}
