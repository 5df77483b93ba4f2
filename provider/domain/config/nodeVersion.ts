// Checks the version of Node.js, because Pulumi starts the first `node` on PATH, whatever this package needs.

import { ConfigError } from "../errors";

/** The first Node.js that undici loads on. */
export const NODE_NEEDS = "22.19.0";

/** The error for a version of Node.js on which undici does not load; undefined for any other. */
export function nodeProblem(version: string): ConfigError | undefined {
  if (isAtLeast(version, NODE_NEEDS)) return undefined;
  return new ConfigError(
    "node-too-old",
    `Node ${version} is too old: the provider needs ${NODE_NEEDS} or newer`,
    "Install a newer one, and see that it comes first on the PATH: Pulumi starts the `node` that is there.",
  );
}

/** Compares what comes before a `-` or `+`; both sides are `major.minor.patch`. */
export function isAtLeast(version: string, least: string): boolean {
  const [release = ""] = version.split(/[-+]/, 1);
  return release.localeCompare(least, "en", { numeric: true }) >= 0;
}
