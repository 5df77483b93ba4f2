// How the tests start Node processes that load Pulumi: with a compile cache, which halves the CPU time of their start.

import path from "node:path";

const root = path.resolve(__dirname, "../../..");

/** The environment of such processes. They share this cache with no other process: others run with other V8 flags. */
export const pulumiNode: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: path.join(root, "node_modules", ".cache", "node-compile-pulumi"),
  NODE_OPTIONS: `--require ${JSON.stringify(path.join(__dirname, "pulumiNode.cjs"))}`,
};
