// The lock of the `--data` folder. Process ids are comparable only within one machine and container; elsewhere the age
// of the lock file decides, which its holder renews every few seconds.

import {
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import path from "node:path";
import { codeOf, StorageError } from "../../errors";
import { livingOwner, ownerText } from "../../ownerProcess";

const RENEWED_EVERY_MS = 2_000;
/** A holder on another machine that has not renewed its lock for this long has ended. */
const ENDED_AFTER_MS = 20_000;
/** A lock file exists for a moment before its text is written. */
const MADE_WITHIN_MS = 1_000;

export interface FolderLock {
  /** Throws a StorageError if the folder belongs to another emulator in the meantime. */
  requireHeld(): void;
  release(): void;
}

/** Folders locked by this process. */
const held = new Set<string>();

/** Throws an Error that says who has the folder. If several try at the same time, only one gets it. */
export function takeLock(folder: string): FolderLock {
  const file = path.join(folder, "lock");
  const mine = `${ownerText(process.pid)}\n${here()}`;
  for (;;) {
    const holder = held.has(folder) ? processHere(process.pid, file) : holderOf(file);
    if (holder !== undefined) throw new Error(`${folder} is in use by an emulator${holder}`);
    if (isMade(file, mine)) break;
  }
  held.add(folder);
  return kept(folder, file, mine);
}

function kept(folder: string, file: string, mine: string): FolderLock {
  let isLost = false;
  const renew = (): void => {
    try {
      // Another process may have removed it.
      if (isMade(file, mine)) return;
      if (textIn(file) === mine) utimesSync(file, new Date(), new Date());
      else isLost = true;
    } catch {
      // The next renewal may succeed; the store detects a failing disk by itself.
    }
  };
  const timer = setInterval(renew, RENEWED_EVERY_MS).unref();
  return {
    requireHeld() {
      if (!isLost) return;
      const message = `${folder} was taken over by another emulator, because this one stood still for so long`;
      throw new StorageError(message);
    },
    release() {
      clearInterval(timer);
      if (held.delete(folder) && textIn(file) === mine) rmSync(file, { force: true });
    },
  };
}

function isMade(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Identifies the process id namespace: equal texts mean that process ids can be compared. */
function here(): string {
  // Only Linux has these files; other systems have no process id namespaces that hide processes from each other.
  const boot = unlessMissing(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const processes = unlessMissing(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, processes].join(" ").trim();
}

function unlessMissing(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

const processHere = (pid: number, file: string): string =>
  `, process ${pid}: end it, or take another folder (if that process is no emulator, remove ${file})`;

function processElsewhere(owner: string, place: string, ageMs: number): string {
  const [pid = ""] = owner.split(" ");
  const [host = ""] = place.split(" ");
  const ago = Math.max(0, Math.round(ageMs / 1_000));
  return ` in another container or on another machine (process ${pid} on ${host}, which renewed its lock ${ago} s ago): end it, or take another folder. One that was killed counts as ended ${ENDED_AFTER_MS / 1_000} s later`;
}

/** Who holds the folder, as the end of a sentence. Removes the lock of a killed holder. */
function holderOf(file: string): string | undefined {
  let text = textIn(file);
  // Either another process is making the lock at this moment, or it was killed while it did.
  while (text === "" && ageOf(file) < MADE_WITHIN_MS) text = textIn(file);
  if (text === undefined) {
    // A dangling link would block the folder forever.
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(file);
    return undefined;
  }
  return livingHolder(text, file) ?? removed(text, file);
}

function livingHolder(text: string, file: string): string | undefined {
  const [owner = "", place] = text.split("\n");
  if (place === undefined || place === here()) {
    const pid = livingOwner(owner);
    return pid === undefined ? undefined : processHere(pid, file);
  }
  const ageMs = ageOf(file);
  return ageMs < ENDED_AFTER_MS ? processElsewhere(owner, place, ageMs) : undefined;
}

/** Removes the lock with that text. If another process has meanwhile removed it and made its own, that one stays. */
function removed(text: string, file: string): string | undefined {
  const stale = `${file}.${randomUUID()}`;
  try {
    renameSync(file, stale);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const isOther = textIn(stale) !== text;
  if (isOther) linkSync(stale, file);
  rmSync(stale);
  return isOther ? holderOf(file) : undefined;
}

/** Infinite if the file is gone. */
const ageOf = (file: string): number => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity);

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
