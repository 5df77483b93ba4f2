// Version numbers for the set-up: reads one from any text and compares two. Ignores pre-release tags. Built-ins only,
// and only syntax that Node 20 can read.

/**
 * The first `major.minor.patch` in the text, or undefined.
 * @param {string} text
 * @returns {number[] | undefined}
 */
export function parseVersion(text) {
  return /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number);
}

/**
 * Whether `version` is `minimum` or newer; a text without a version in it never is.
 * @param {string} version
 * @param {string} minimum
 */
export function isAtLeast(version, minimum) {
  const [have, want] = [parseVersion(version), parseVersion(minimum)];
  if (!have || !want) return false;
  const place = have.findIndex((number, index) => number !== want[index]);
  return place === -1 || Number(have[place]) > Number(want[place]);
}
