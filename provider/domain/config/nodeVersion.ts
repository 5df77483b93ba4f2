// Checks the version of Node.js, because Pulumi starts the first `node` on PATH, whatever this package needs.

import { ConfigError } from "../errors";
import { isAtLeast, NODE_NEEDS } from "../values/version";

/** The error for a version of Node.js on which undici does not load; undefined for any other. */
export function nodeProblem(version: string): ConfigError | undefined {
  if (isAtLeast(version, NODE_NEEDS)) return undefined;
  return new ConfigError(
    `Node ${version} is too old: the provider needs ${NODE_NEEDS} or newer`,
    "Install a newer one, and see that it comes first on the PATH: Pulumi starts the `node` that is there.",
  );
}
