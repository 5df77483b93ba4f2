// A lock between processes: a file that names its owner. The lock of a killed owner expires (the process is gone, or
// the file has not been touched for a minute), so nobody ever has to remove one by hand. Built-ins only.
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./step.mjs";

const touchMs = 5_000;

/**
 * @typedef {{ pid: number, host: string, token: string }} Owner
 *
 * @typedef {object} LockOptions
 * @property {number} [pollMs]
 * @property {number} [staleMs] Untouched for so long, a lock counts as left behind.
 * @property {number} [signMs]
 * @property {(owner: Owner | undefined, waitedMs: number) => void} [onWait]
 */

/**
 * Runs `work` while no other process holds `file`. While somebody else does, `onWait(owner, waitedMs)` is called at
 * once and then every `signMs`.
 * @template T
 * @param {string} file
 * @param {() => T | Promise<T>} work
 * @param {LockOptions} options
 * @returns {Promise<T>}
 */
export async function withLock(file, work, { pollMs = 200, staleMs = 60_000, signMs = 15_000, onWait } = {}) {
  const me = { pid: process.pid, host: hostname(), token: randomUUID() };
  mkdirSync(dirname(file), { recursive: true });
  const started = Date.now();
  let nextSign = started;
  while (!take(file, me)) {
    if (isStale(file, staleMs)) removeStale(file, staleMs);
    else if (Date.now() >= nextSign) {
      onWait?.(ownerOf(file), Date.now() - started);
      nextSign += signMs;
    }
    await sleep(pollMs);
  }
  const touching = setInterval(() => touch(file), touchMs);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    if (ownerOf(file)?.token === me.token) rmSync(file, { force: true });
  }
}

/**
 * @param {string} file
 * @param {Owner} me
 */
function take(file, me) {
  try {
    writeFileSync(file, JSON.stringify(me), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @returns {Owner | undefined}
 */
function ownerOf(file) {
  try {
    return /** @type {Owner} */ (JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined; // gone, or not completely written yet
  }
}

/**
 * @param {string} file
 * @param {number} staleMs
 */
function isStale(file, staleMs) {
  const age = ageMs(file);
  if (age === undefined) return false;
  const owner = ownerOf(file);
  return age > staleMs || (owner?.host === hostname() && !isAlive(owner.pid));
}

/**
 * Two waiters may find the same lock stale, and the slower one would remove the lock that the faster one has just
 * taken. So whoever removes holds a second name for that moment and looks again.
 * @param {string} file
 * @param {number} staleMs
 */
function removeStale(file, staleMs) {
  const guard = `${file}.takeover`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    if ((ageMs(guard) ?? 0) > staleMs) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(file, staleMs)) rmSync(file, { force: true });
  } finally {
    rmdirSync(guard);
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** @param {string} file */
function ageMs(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats && Date.now() - stats.mtimeMs;
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Another process took the lock, because it considered this one dead. The output is moved into place in one step,
    // so no harm is done.
  }
}
