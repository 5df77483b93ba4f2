// Runs `npm ci` in a folder if the installed packages differ from its lockfile. Built-ins only.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { findProgram } from "./paths.mjs";
import { codeOf, messageOf, outputLines, runStep, say, sayWaiting, SetupError } from "./step.mjs";

/**
 * @typedef {object} PackageEntry
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {boolean} [link]
 *
 * @typedef {Record<string, PackageEntry>} Packages
 */

/**
 * Why the installed packages are not those of the lockfile, or undefined when they are. Both are the `packages` part:
 * of package-lock.json, and of the record that npm leaves in node_modules as the last act of an install.
 * @param {Packages} locked
 * @param {Packages | undefined} installed
 */
export function staleness(locked, installed) {
  if (!installed) return "node_modules is missing or incomplete";
  /** @param {string} key */
  const nameOf = (key) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
  for (const [key, have] of Object.entries(installed)) {
    const want = locked[key];
    if (!want) return `${nameOf(key)} is installed, the lockfile does not have it`;
    if (have.version !== want.version || have.integrity !== want.integrity)
      return `${nameOf(key)} is installed in ${have.version}, the lockfile has ${want.version}`;
  }
  const missing = Object.entries(locked).find(([key, entry]) => key !== "" && !installed[key] && !mayBeAbsent(entry));
  return missing && `${nameOf(missing[0])} is not installed`;
}

/**
 * Packages for other platforms are in the lockfile and never installed.
 * @param {PackageEntry} entry
 */
function mayBeAbsent(entry) {
  return Boolean(entry.optional || entry.devOptional);
}

/**
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
 * Brings `folder/node_modules` to what the lockfile says; returns at once when it is so already.
 * @param {Installation} installation
 */
export async function ensurePackages({ folder, title, why, flags, env, node, cache, tell = say }) {
  if (!currentStaleness(folder)) return;
  const id = createHash("sha256").update(realpathSync(folder)).digest("hex").slice(0, 12);
  await withLock(path.join(cache, "locks", `npm-${id}.lock`), install, { onWait: sayWaiting(title, tell) });

  async function install() {
    const reason = currentStaleness(folder);
    if (!reason) return;
    tell(`${title}: npm ci, because ${why ?? reason}`);
    const npm = npmScript(env);
    // Includes dev dependencies, which the user's npm may omit by default (with NODE_ENV=production it does): the tools
    // are among them.
    const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", ...flags];
    try {
      await runStep(title, node, [npm, ...args], { cwd: folder, env });
    } catch (error) {
      throw new SetupError(npmFailure(folder, error));
    }
  }
}

/**
 * @param {string} folder
 * @param {unknown} error
 */
export function npmFailure(folder, error) {
  return [
    `npm ci in ${folder} failed: ${messageOf(error)}`,
    ...outputLines(error),
    `By hand: run "npm ci" in ${folder}; if the registry cannot be reached, look at "npm config get registry" and the proxy.`,
  ].join("\n");
}

/** @param {string} folder */
function currentStaleness(folder) {
  const locked = readPackages(path.join(folder, "package-lock.json"));
  if (!locked) throw new SetupError(`${path.join(folder, "package-lock.json")} is missing: the checkout is incomplete`);
  return staleness(locked, readPackages(path.join(folder, "node_modules", ".package-lock.json")));
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
 * npm's own script is run with the chosen Node: npm would warn about every package that this machine's Node is too old
 * for, and on Windows `npm` is a batch file that cannot be started without a shell.
 * @param {import("./paths.mjs").Environment} env
 */
function npmScript(env) {
  const besideNode = path.dirname(process.execPath);
  const onPath = findProgram("npm", env);
  const script = [
    env["npm_execpath"],
    path.join(besideNode, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    path.join(besideNode, "node_modules", "npm", "bin", "npm-cli.js"),
    onPath && realpathSync(onPath),
  ].find((file) => file && path.basename(file) === "npm-cli.js" && existsSync(file));
  if (!script) throw new SetupError("npm was not found. By hand: install Node.js with npm from https://nodejs.org/");
  return script;
}
