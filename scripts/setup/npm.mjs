// Runs `npm ci` in a folder if the installed packages differ from its lockfile. Built-ins only.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { findProgram } from "./paths.mjs";
import { codeOf, messageOf, outputLines, runStep, say, SetupError } from "./step.mjs";

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean, link?: boolean }} Entry
 * @typedef {Record<string, Entry>} Packages
 *
 * @typedef {object} Installation
 * @property {string} folder
 * @property {string} title
 * @property {string} [why]
 * @property {string[]} flags
 * @property {import("./paths.mjs").Environment} env
 * @property {string} node
 * @property {string} cache
 * @property {(line: string) => void} [tell]
 */

/**
 * Whether the installed packages are those of the lockfile. Both are the `packages` part: of package-lock.json, and of the
 * record that npm leaves in node_modules as the last act of an install.
 * @param {Packages} locked
 * @param {Packages | undefined} installed
 */
function isInstalled(locked, installed) {
  if (installed === undefined) return false;
  const areLocked = Object.entries(installed).every(([key, have]) => {
    const want = locked[key];
    return want !== undefined && have.version === want.version && have.integrity === want.integrity;
  });
  // Packages for other platforms are in the lockfile and never installed.
  const isThere = (/** @type {string} */ key, /** @type {Entry} */ { optional, devOptional }) =>
    key === "" || key in installed || optional || devOptional;
  return areLocked && Object.entries(locked).every(([key, entry]) => isThere(key, entry));
}

/**
 * Brings `folder/node_modules` to what the lockfile says; returns at once when it is so already.
 * @param {Installation} installation
 */
export async function ensurePackages({ folder, title, why, flags, env, node, cache, tell = say }) {
  if (isCurrent(folder)) return;
  const id = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 12);
  await withLock(path.join(cache, "locks", `npm-${id}.lock`), { title, tell }, install);

  async function install() {
    if (isCurrent(folder)) return;
    tell(`${title}: npm ci, because ${why ?? "node_modules differs from package-lock.json"}`);
    // Includes dev dependencies, which the user's npm may omit by default (with NODE_ENV=production it does): the tools
    // are among them.
    const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", ...flags];
    try {
      await runStep(title, node, [npmScript(env), ...args], { cwd: folder, env });
    } catch (error) {
      const what = [`npm ci in ${folder} failed: ${messageOf(error)}`, ...outputLines(error)];
      const remedy = `By hand: run "npm ci" in ${folder}; if the registry cannot be reached, look at "npm config get registry" and the proxy.`;
      throw new SetupError([...what, remedy].join("\n"));
    }
  }
}

/** @param {string} folder */
function isCurrent(folder) {
  const locked = readPackages(path.join(folder, "package-lock.json"));
  if (!locked) throw new SetupError(`${path.join(folder, "package-lock.json")} is missing: the checkout is incomplete`);
  return isInstalled(locked, readPackages(path.join(folder, "node_modules", ".package-lock.json")));
}

/**
 * @param {string} file
 * @returns {Packages | undefined}
 */
function readPackages(file) {
  try {
    const { packages } = /** @type {{ packages?: Packages }} */ (JSON.parse(readFileSync(file, "utf8")));
    return packages;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * npm's own script is run with the chosen Node: npm would warn about every package that this machine's Node is too old for.
 * @param {import("./paths.mjs").Environment} env
 */
function npmScript(env) {
  const onPath = findProgram("npm", env);
  const script = [
    env["npm_execpath"],
    path.join(path.dirname(process.execPath), "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    onPath && realpathSync(onPath),
  ].find((file) => file && path.basename(file) === "npm-cli.js" && existsSync(file));
  if (!script) throw new SetupError("npm was not found. By hand: install Node.js with npm from https://nodejs.org/");
  return script;
}
