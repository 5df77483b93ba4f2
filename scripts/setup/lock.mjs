// A lock between processes: a file with the id of its owner, who touches it. One that nobody has touched for half a minute was
// left behind, so nobody ever has to remove one by hand. Built-ins only.
import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "./step.mjs";

const POLL_MS = 200;
const SIGN_MS = 15_000;
const TOUCH_MS = 5_000;
const STALE_MS = 30_000;

/**
 * Does the work of this title while no other process holds `file`. While somebody else does, a line says so at once and
 * then at intervals.
 * @template T
 * @param {string} file
 * @param {{ title: string, tell: (line: string) => void }} about
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, { title, tell }, work) {
  mkdirSync(dirname(file), { recursive: true });
  const started = Date.now();
  let nextSign = started;
  while (!isMade(() => writeFileSync(file, String(process.pid), { flag: "wx" }))) {
    removeStale(file);
    if (Date.now() >= nextSign) {
      tell(`${title}: waiting for process ${ownerOf(file)}, ${Math.round((Date.now() - started) / 1000)} s`);
      nextSign += SIGN_MS;
    }
    await sleep(POLL_MS);
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
