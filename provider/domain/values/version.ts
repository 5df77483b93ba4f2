// Versions of programs, and what this package needs.

/** The first Node.js that undici loads on. */
export const NODE_NEEDS = "22.19.0";

/** Compares what comes before a `-` or `+`; both sides are `major.minor.patch`. */
export function isAtLeast(version: string, least: string): boolean {
  const [release = ""] = version.split(/[-+]/, 1);
  return release.localeCompare(least, "en", { numeric: true }) >= 0;
}
