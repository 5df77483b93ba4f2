// Checks what runs this process, because Pulumi starts the first `node` on PATH, whatever this package needs.

import { ConfigError } from "../errors";

/** The first Node.js that undici loads on. */
const NODE_NEEDS = "22.19.0";

/** As in `process.versions`. */
export interface Versions {
  readonly node: string;
  /** Bun calls itself a Node.js as well. */
  readonly bun?: string | undefined;
}

/** The error for what undici does not run on; undefined for a Node.js that is new enough. */
export function nodeProblem({ node, bun }: Versions): ConfigError | undefined {
  if (bun !== undefined) {
    return new ConfigError(
      "node-too-old",
      `Bun ${bun} runs this: the provider needs Node.js ${NODE_NEEDS} or newer, because Bun replaces its HTTP client`,
      "Run it with Node.js.",
    );
  }
  if (isAtLeast(node, NODE_NEEDS)) return undefined;
  return new ConfigError(
    "node-too-old",
    `Node ${node} is too old: the provider needs ${NODE_NEEDS} or newer`,
    "Install a newer one, and put it first on the PATH: Pulumi starts the `node` that comes first.",
  );
}

/** Compares what comes before a `-` or `+`; both sides are `major.minor.patch`. */
export function isAtLeast(version: string, least: string): boolean {
  const [release = ""] = version.split(/[-+]/, 1);
  return release.localeCompare(least, "en", { numeric: true }) >= 0;
}
