// Who holds the folder of `--data`. Process ids mean something on one machine and in one container alone: elsewhere the
// time of the lock tells, which its holder renews every few seconds.

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
import { codeOf, StorageError } from "../errors";
import { livingOwner, ownerText } from "../ownerProcess";

const RENEWED_EVERY_MS = 2_000;
/** A holder elsewhere that has not renewed its lock for so long has ended. */
const ENDED_AFTER_MS = 20_000;
/** A lock is made and then written. */
const MADE_WITHIN_MS = 1_000;

export interface FolderLock {
  /** Throws a StorageError where the folder belongs to another emulator by now. */
  requireHeld(): void;
  release(): void;
}

/** Folders held by this process. */
const held = new Set<string>();

/** Throws an Error that says who has the folder. Only one of several that try at the same time gets it. */
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
      // Somebody may have removed it.
      if (isMade(file, mine)) return;
      if (textIn(file) === mine) utimesSync(file, new Date(), new Date());
      else isLost = true;
    } catch {
      // The next time may do; what is to be kept finds out about the disk by itself.
    }
  };
  const timer = setInterval(renew, RENEWED_EVERY_MS).unref();
  return {
    requireHeld() {
      if (!isLost) return;
      const message = `${folder} was taken over by another emulator, because this one stood still for so long`;
      throw new StorageError(message, { isFinal: true });
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

/** What tells whether process ids are those of this process: equal where they can be compared. */
function here(): string {
  // Another system than Linux has no such files, and no processes that share a machine without seeing each other.
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
  return ` in another container or on another machine (process ${pid} on ${host}, which said so ${ago} s ago): end it, or take another folder. One that was killed counts as ended ${ENDED_AFTER_MS / 1_000} s later`;
}

/** Who holds the folder, as the rest of a sentence. The lock of one that was killed is taken away. */
function holderOf(file: string): string | undefined {
  let text = textIn(file);
  // It is being made just now, unless whoever made it was killed at that moment.
  while (text === "" && ageOf(file) < MADE_WITHIN_MS) text = textIn(file);
  if (text === undefined) {
    // A link that leads nowhere would be in the way for ever.
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

/** Takes the lock with that text away. Another one may have done so meanwhile, and made its own: that one stays. */
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

/** Infinite where it is gone. */
const ageOf = (file: string): number => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity);

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
