// Writes to the disk that survive a power cut.

import { closeSync, constants, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeOf, StorageError } from "./errors";

const { O_CREAT, O_TRUNC, O_WRONLY } = constants;

/** Refuses to open a symbolic link, which another user may have put there. Windows has no such flag. */
export const O_NOFOLLOW = process.platform === "win32" ? 0 : constants.O_NOFOLLOW;

const refusals: Readonly<Record<string, string>> = {
  ENOSPC: "is full",
  EDQUOT: "is full: the quota of this user is used up",
  EIO: "cannot be written: its disk fails",
};

/** Throws a StorageError that names the folder if the disk refuses a write in it. */
export function storingIn<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = refusals[codeOf(error)];
    if (why === undefined) throw error;
    throw new StorageError(`${folder} ${why} (${codeOf(error)})`, { cause: error });
  }
}

/** After a crash, the file has either the old text or the new one. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
  syncFolder(path.dirname(file));
}

function syncFolder(folder: string): void {
  // Windows cannot open a folder, and needs no sync of it after a rename.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
