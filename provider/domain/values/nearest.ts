// Finds the known name that was probably meant by an unknown one.

/**
 * The nearest of the names: one with the same letters or the same beginning, or with at most two wrong letters, where two
 * swapped ones count as one; with three in a word of 15 letters or more. Undefined where none is near.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const given = lettersOf(word);
  const same = names.find((name) => lettersOf(name) === given);
  if (same !== undefined || given.length < 3) return same;
  const begun = names.filter((name) => lettersOf(name).startsWith(given) || given.startsWith(lettersOf(name)));
  if (begun.length === 1) return begun[0];
  const [best] = names
    .map((name) => ({ name, distance: distance(given, lettersOf(name)) }))
    .toSorted((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= tolerance(given.length) ? best.name : undefined;
}

/**
 * What an option of Pulumi says that names no input; undefined if all paths do. Pulumi: such a path is accepted, and then the
 * change that it was to stop or to extend is made as usual.
 */
export function describePaths(option: string, paths: readonly string[], inputs: readonly string[]): string | undefined {
  const unknown = paths.filter((path) => {
    const first = /^(?:\["?)?([^."[\]]*)/.exec(path)?.[1] ?? "";
    return first !== "*" && !first.startsWith("__") && !inputs.includes(first);
  });
  if (unknown.length === 0) return undefined;
  return `\`${option}\` names no input: ${unknown.join(", ")}. The inputs are ${inputs.join(", ")}.`;
}

/** How the error of an unknown name ends. */
export function instead(near: string | undefined, allowed: string): string {
  return near === undefined ? `allowed: ${allowed}` : `did you mean ${near}?`;
}

function tolerance(letters: number): number {
  return letters < LONG ? Math.min(2, letters / 3) : 3;
}

const LONG = 15;

/** What `replica_count`, "replica count" and `replicaCount` have in common. */
export function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** How many letters must be put in, left out, changed or swapped with the next one. */
export function distance(a: string, b: string): number {
  // A name that is far longer than any other is near none of them.
  if (Math.abs(a.length - b.length) > 3) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = costAt(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? costAt(before, j - 2) + 1 : changed;
      next.push(Math.min(changed, swapped, costAt(row, j) + 1, costAt(next, j - 1) + 1));
    }
    [before, row] = [row, next];
  }
  return costAt(row, b.length);
}

/** Each row has a cost for every place. */
function costAt(row: readonly number[], place: number): number {
  return row[place] ?? 0;
}
