// Writes to the disk that survive a power cut.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { codeOf, StorageError } from "./errors";

const refusals: Readonly<Record<string, string>> = {
  ENOSPC: "is full",
  EDQUOT: "is full: the quota of this user is used up",
  EIO: "cannot be written: its disk fails",
  EACCES: "cannot be written: this user may not",
  EROFS: "cannot be written any more",
  EPERM: "cannot be written: this user may not",
  EEXIST: "is a file: name a folder, or one to be made",
  ENOTDIR: "is below a file: name a folder, or one to be made",
  ELOOP: "is a link that leads in a circle: name a folder, or one to be made",
  ENOENT: "is gone, or cannot be made",
  EMFILE: "cannot be written: this process has too many open files",
  ENFILE: "cannot be written: this machine has too many open files",
};

/** Throws a StorageError that names the folder if the system refuses a write in it. */
export function storingIn<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (code === "") throw error;
    throw new StorageError(`${folder} ${refusals[code] ?? "cannot be written"} (${code})`, { cause: error });
  }
}

/** After a crash, the file has either the old text or the new one. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.new`;
  // Of a write that was interrupted; or somebody else's, who would read what is written into it.
  rmSync(temporary, { force: true });
  // Opened before the rename: what fails after it could not be undone. Windows cannot open a folder, and need not.
  const folder = process.platform === "win32" ? undefined : openSync(path.dirname(file), "r");
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
    renameSync(temporary, file);
    if (folder !== undefined) fsyncSync(folder);
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}
