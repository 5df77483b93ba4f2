// The file of `--data`, an SQLite database: a row for each object, and the lock of the folder. The lock is one of the
// system: it ends with its process, however that ends, and holds between containers too.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  realpathSync,
  statSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { storingIn, damaged, refusedWrite } from "../../durable";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { messageOf, notWhole, StorageError } from "../../errors";

/** Makes the folder if it is missing. Throws an Error if another account could read or change what is stored there. */
export function ownFolder(given: string): string {
  const folder = storingIn(path.resolve(given), () => {
    // The parent folders are not secret: if root starts the emulator, the account of the servers must traverse them.
    makeFolder(given, 0o700);
    accessSync(given, constants.W_OK | constants.X_OK);
    return realpathSync(given);
  });
  requireOwn(folder);
  return folder;
}

/** Windows has no such owners and modes. */
function requireOwn(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid())
    throw new Error(
      `data: ${folder} belongs to the account ${uid}, and would hold keys of another one: name another folder`,
    );
  if ((mode & 0o022) !== 0)
    throw new Error(
      `data: other accounts can write in ${folder} (mode ${(mode & 0o7777).toString(8)}), and would get its keys: \`chmod go-w\` it, or name another folder`,
    );
}

/** Node.js: its own recursion never ends where the system makes no folders, as in /proc. */
function makeFolder(folder: string, mode = 0o777): void {
  try {
    if (!existsSync(path.dirname(folder))) makeFolder(path.dirname(folder));
    mkdirSync(folder, { mode });
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

export interface Row {
  readonly key: string;
  readonly text: string;
}

export type Database = ReturnType<typeof openDatabase>;

/** SQLite's codes for what is damaged: in its structure, or from the first byte on. */
const [busy, corrupt, noDatabase] = [5, 11, 26];

/** The system's codes in place of those of SQLite, which does not pass them on. */
const systemCodes: Readonly<Record<number, string>> = { 8: "EROFS", 10: "EIO", 13: "ENOSPC", 14: "ENOENT" };

/** What the folder of an emulator has beside the file, in this version and in earlier ones. */
const others = ["postgres", "world.json"];

/** Throws an Error that names the process that has the folder, or what is damaged; then nothing is written. */
export function openDatabase(folder: string) {
  const file = path.join(folder, "world.db");
  const isNew = !existsSync(file);
  if (isNew && readdirSync(folder).some((name) => others.includes(name))) throw notWhole(`${file} is missing`);
  // SQLite takes it for a new one then.
  if (!isNew && statSync(file).size < 512) throw damaged(file);
  // Before SQLite makes it: nobody else may open it, because who reads it can keep it from being locked.
  if (isNew) storingIn(folder, () => writeFileSync(file, "", { mode: 0o600, flag: "wx" }));
  const database = opened(file);
  try {
    database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT");
    const isWhole = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"] === "ok";
    if (!isWhole) throw damaged(file);
  } catch (error) {
    const code = resultCode(error);
    const holder = code === busy ? holderOf(file) : undefined;
    database.close();
    if (code === busy)
      throw new Error(`${folder} is in use by an emulator, process ${holder}: end it, or take another folder`, {
        cause: error,
      });
    if (code === corrupt || code === noDatabase) throw damaged(file, error);
    throw code === undefined ? error : refused(folder, error);
  }
  const isMade = (): boolean => database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'rows'").get() !== undefined;
  return {
    file,
    /** In the order in which they were made. */
    rows: (): Row[] =>
      isMade() ? (database.prepare("SELECT key, text FROM rows ORDER BY rowid").all() as object[] as Row[]) : [],
    /** Comes before the first write, and after all that may refuse the folder: until then nothing in it has changed. */
    claim(): void {
      const create = isMade() ? "" : "CREATE TABLE rows (key TEXT PRIMARY KEY, text TEXT NOT NULL);";
      try {
        // The system keeps what a killed process has written. What a power cut leaves may be damaged.
        database.exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF");
        database.exec(`BEGIN; ${create} PRAGMA user_version = ${process.pid}; COMMIT`);
      } catch (error) {
        throw refused(folder, error);
      }
    },
    /** All of it or nothing; a row without a text is removed. Throws a StorageError if the system refuses it. */
    write(rows: Iterable<readonly [key: string, text: string | undefined]>): void {
      try {
        // SQLite would go on to write into a file that is removed.
        if (!existsSync(file)) throw refusedWrite(folder, "ENOENT", undefined);
        const put = database.prepare(
          "INSERT INTO rows VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET text = excluded.text",
        );
        const remove = database.prepare("DELETE FROM rows WHERE key = ?");
        database.exec("BEGIN");
        for (const [key, text] of rows) {
          if (text === undefined) remove.run(key);
          else put.run(key, text);
        }
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error instanceof StorageError ? error : refused(folder, error);
      }
    },
    close: () => database.close(),
  };
}

function opened(file: string): DatabaseSync {
  const { DatabaseSync: Sqlite } = sqlite();
  // A process that reads who holds the lock delays nobody: this is for one that is about to end.
  return new Sqlite(file, { timeout: 100 });
}

/** Read without a lock, from a file that another process may be writing. */
function holderOf(file: string): number | undefined {
  const { DatabaseSync: Sqlite } = sqlite();
  const url = pathToFileURL(file);
  url.searchParams.set("immutable", "1");
  const found = new Sqlite(url, { readOnly: true });
  try {
    return Number(found.prepare("PRAGMA user_version").get()?.["user_version"]);
  } catch {
    return undefined;
  } finally {
    found.close();
  }
}

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;

function refused(folder: string, error: unknown): StorageError {
  const code = systemCodes[resultCode(error) ?? -1];
  return code === undefined
    ? new StorageError(`${folder} cannot be written (${messageOf(error)})`, { cause: error })
    : refusedWrite(folder, code, error);
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
