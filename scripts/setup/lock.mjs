// A lock between processes: a file with the id of its owner, who touches it. One that nobody has touched for half a minute was
// left behind, so nobody ever has to remove one by hand. Built-ins only.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./step.mjs";

const TOUCH_MS = 5_000;
const STALE_MS = 30_000;

/**
 * @typedef {object} LockOptions
 * @property {number} [pollMs]
 * @property {number} [signMs]
 * @property {(owner: string, waitedMs: number) => void} [onWait]
 */

/**
 * Runs `work` while no other process holds `file`. While somebody else does, `onWait` is called at once and then every
 * `signMs`.
 * @template T
 * @param {string} file
 * @param {() => T | Promise<T>} work
 * @param {LockOptions} options
 * @returns {Promise<T>}
 */
export async function withLock(file, work, { pollMs = 200, signMs = 15_000, onWait } = {}) {
  mkdirSync(dirname(file), { recursive: true });
  const started = Date.now();
  let nextSign = started;
  while (!isMade(() => writeFileSync(file, String(process.pid), { flag: "wx" }))) {
    removeStale(file);
    if (Date.now() >= nextSign) {
      onWait?.(ownerOf(file), Date.now() - started);
      nextSign += signMs;
    }
    await sleep(pollMs);
  }
  const touching = setInterval(() => touch(file), TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (ownerOf(file) === String(process.pid)) rmSync(file, { force: true });
  }
}

/**
 * Whether this process was the first: `make` fails for all others.
 * @param {() => void} make
 */
function isMade(make) {
  try {
    make();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * Of several waiters one removes it, or a slow one would remove the lock that a faster one has just taken. The mark of that
 * names the last touch, so it stands for this lock alone, and stays.
 * @param {string} file
 */
function removeStale(file) {
  const touchedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (touchedMs === undefined || Date.now() - touchedMs < STALE_MS) return;
  if (isMade(() => mkdirSync(`${file}.stale-${touchedMs}`))) rmSync(file, { force: true });
}

/** @param {string} file */
function ownerOf(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "unknown"; // gone in this moment
  }
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Another process took the lock, because this one was suspended. What is made is moved into place in one step.
  }
}
