// Locations on each platform: PATH, programs on it, the per-user cache folder. Built-ins only; the platform is always
// an argument, so that the rules of all three can be tested on one.
import { statSync } from "node:fs";
import path from "node:path";

/** @typedef {Record<string, string | undefined>} Environment */

/** @param {string} platform */
const rulesOf = (platform) => (platform === "win32" ? path.win32 : path.posix);

/**
 * The name under which this environment holds PATH: Windows writes it `Path`, and a copy of it is case-sensitive.
 * @param {Environment} env
 */
export function pathKey(env) {
  return Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
}

/**
 * The environment with `folders` at the front of PATH, each folder once.
 * @param {Environment} env
 * @param {string[]} folders
 * @param {string} platform
 * @returns {Environment}
 */
export function withPath(env, folders, platform = process.platform) {
  const { delimiter } = rulesOf(platform);
  const key = pathKey(env);
  const others = (env[key] ?? "").split(delimiter).filter((folder) => folder !== "" && !folders.includes(folder));
  return { ...env, [key]: [...folders, ...others].join(delimiter) };
}

/**
 * The full path of a program on PATH, or undefined.
 * @param {string} name
 * @param {Environment} env
 * @param {string} platform
 */
export function findProgram(name, env, platform = process.platform) {
  const rules = rulesOf(platform);
  return (env[pathKey(env)] ?? "")
    .split(rules.delimiter)
    .filter((folder) => rules.isAbsolute(folder))
    .map((folder) => rules.join(folder, platform === "win32" ? `${name}.exe` : name))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/**
 * The per-user folder for what is expensive to get and shared by all checkouts.
 * @param {Environment} env
 * @param {string} home
 * @param {string} platform
 */
export function cacheFolder(env, home, platform = process.platform) {
  const rules = rulesOf(platform);
  if (env["DBCLOUD_TOOLS_CACHE"]) return rules.resolve(env["DBCLOUD_TOOLS_CACHE"]);
  return rules.join(platformCache(env, home, platform, rules), "pulumi-dbcloud");
}

/**
 * @param {Environment} env
 * @param {string} home
 * @param {string} platform
 * @param {path.PlatformPath} rules
 */
function platformCache(env, home, platform, rules) {
  if (platform === "win32") return env["LOCALAPPDATA"] || rules.join(home, "AppData", "Local");
  if (platform === "darwin") return rules.join(home, "Library", "Caches");
  // The XDG rules: a relative value is ignored.
  const given = env["XDG_CACHE_HOME"];
  return given !== undefined && rules.isAbsolute(given) ? given : rules.join(home, ".cache");
}
