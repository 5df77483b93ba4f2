// The lock of the `--data` folder: one of the system, on a file. It ends with its process, however that ends, and holds
// between containers too. Of all of Node.js, only SQLite takes such locks.

import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { StorageError } from "../../errors";

/** SQLite's code for a file that somebody else has locked. */
const busy = 5;

/** A process that reads who holds the lock delays the one that is about to take it. */
const longestReadMs = 100;

/** Returns what releases it. Throws an Error that names the process that has the folder. */
export function takeLock(folder: string): () => void {
  const file = path.join(folder, "lock.db");
  // Nobody else may open it: who reads it can keep it from being locked.
  if (!existsSync(file)) writeFileSync(file, "", { mode: 0o600, flag: "a" });
  const { DatabaseSync } = sqlite();
  const lock = new DatabaseSync(file, { timeout: longestReadMs });
  try {
    lock.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${process.pid}; COMMIT; BEGIN IMMEDIATE`);
  } catch (error) {
    const isBusy = error instanceof Error && "errcode" in error && error.errcode === busy;
    const pid = isBusy && Number(lock.prepare("PRAGMA user_version").get()?.["user_version"]);
    lock.close();
    if (!isBusy) throw new StorageError(`${file} cannot be locked (${String(error)})`, { cause: error });
    const message = `${folder} is in use by an emulator, process ${pid}: end it, or take another folder`;
    throw new Error(message, { cause: error });
  }
  return () => lock.close();
}

/** Older versions of Node.js warn that SQLite is experimental. */
function sqlite() {
  const emitWarning: unknown = Reflect.get(process, "emitWarning");
  Reflect.set(process, "emitWarning", () => undefined);
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    Reflect.set(process, "emitWarning", emitWarning);
  }
}
