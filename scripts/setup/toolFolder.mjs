// A folder of tools that is built once and then found: by one process at a time, and complete in one step. Built-ins only.
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { withLock } from "./lock.mjs";
import { say } from "./step.mjs";

/**
 * @typedef {object} ToolFolder
 * @property {string} target
 * @property {string[]} files Those of a complete folder.
 * @property {string} title
 * @property {string} why What is built, for what reason.
 * @property {(line: string) => void} [tell]
 * @property {(folder: string) => Promise<void>} build Fills the folder, which has a `bin`.
 */

/**
 * @param {string} folder
 * @param {string[]} files
 */
export function isComplete(folder, files) {
  return files.every((file) => existsSync(path.join(folder, file)));
}

/**
 * The work is done in a folder beside the target. Only the holder of the lock gets there.
 * @param {ToolFolder} folder
 */
export async function ensureToolFolder({ target, files, title, why, tell = say, build }) {
  if (isComplete(target, files)) return;
  await withLock(`${target}.lock`, { title, tell }, () => (isComplete(target, files) ? undefined : fill()));

  async function fill() {
    tell(`${title}: ${why}`);
    const partial = `${target}.partial`;
    try {
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(path.join(partial, "bin"), { recursive: true });
      await build(partial);
      if (!isComplete(partial, files)) throw new Error("not all programs came");
      rmSync(target, { recursive: true, force: true });
      renameSync(partial, target);
    } catch (error) {
      rmSync(partial, { recursive: true, force: true });
      throw error;
    }
    tell(`${title}: ready in ${target}`);
  }
}
