// PATH, the programs on it, and the user's folder for what all checkouts share. Built-ins only.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

/** @typedef {Record<string, string | undefined>} Environment */

/** @param {Environment} env */
function foldersOf(env) {
  return (env["PATH"] ?? "").split(path.delimiter).filter((folder) => folder !== "");
}

/**
 * The environment with `folders` at the front of PATH, each folder once.
 * @param {Environment} env
 * @param {string[]} folders
 * @returns {Environment}
 */
export function withPath(env, folders) {
  const others = foldersOf(env).filter((folder) => !folders.includes(folder));
  return { ...env, PATH: [...folders, ...others].join(path.delimiter) };
}

/**
 * The full path of a program on PATH, or undefined.
 * @param {string} name
 * @param {Environment} env
 */
export function findProgram(name, env) {
  return foldersOf(env)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

/** @param {Environment} env */
export function cacheFolder(env) {
  if (env["DBCLOUD_TOOLS_CACHE"]) return path.resolve(env["DBCLOUD_TOOLS_CACHE"]);
  if (process.platform === "darwin") return path.join(homedir(), "Library", "Caches", "pulumi-dbcloud");
  // The XDG rules: a relative value is ignored.
  const given = env["XDG_CACHE_HOME"] ?? "";
  return path.join(path.isAbsolute(given) ? given : path.join(homedir(), ".cache"), "pulumi-dbcloud");
}
