// Versions of programs, and what this package needs.

/** The first Node.js that undici loads on. */
export const NODE_NEEDS = "22.19.0";

/** Compares what comes before a `-` or `+`; both sides are `major.minor.patch`. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = (text: string): number[] => text.split(/[-+]/, 1).join("").split(".").map(Number);
  const [given, needed] = [parts(version), parts(least)];
  for (const [index, number] of needed.entries()) {
    const difference = (given[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
