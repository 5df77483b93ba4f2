// Versions, as far as the set-up needs them: reading one out of any text and comparing two. Pre-release tags do not
// count. Built-ins only, and nothing that Node 20 cannot read.

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
