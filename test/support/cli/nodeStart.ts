// How Node processes that load Pulumi start in the tests: with a compile cache, which halves the CPU time that it takes.

import path from "node:path";

const root = path.resolve(__dirname, "../../..");

/** For the environment of such processes. The cache is theirs alone: others run under other flags of V8. */
export const pulumiNode: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node-compile-pulumi"),
  NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, "pulumiNode.cjs"))}`,
};
