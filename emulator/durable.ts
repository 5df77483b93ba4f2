// Files that are whole at every moment, and the reasons for which the system refuses to write.

import { renameSync, rmSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { z } from "zod";
import { codeOf, notWhole, StorageError } from "./errors";

const refusals: Readonly<Record<string, string>> = {
  ENOSPC: "is full",
  EDQUOT: "is full: the quota of this user is used up",
  EEXIST: "is a file: name a folder, or one to be made",
  ENOTDIR: "is below a file: name a folder, or one to be made",
  ENOENT: "is gone, or cannot be made",
};

export const refusedWrite = (folder: string, code: string, cause: unknown): StorageError =>
  new StorageError(`${folder} ${refusals[code] ?? "cannot be written"} (${code})`, { cause });

/** Throws a StorageError that names the folder if the system refuses a write in it. */
export function storingIn<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    if (code === "") throw error;
    throw refusedWrite(folder, code, error);
  }
}

/** If the process is killed meanwhile, the file has either the old text or the new one. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.new`;
  // Of a write that was interrupted; or somebody else's, who would read what is written into it.
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  renameSync(temporary, file);
}

/** The text of a JSON object with its checksum as first member. */
export const sealed = (text: string): string => `{"sum":${crc32(text)},${text.slice(1)}`;

/** What `sealed` has written. Throws an Error that names the file. */
export function parsed<T>(file: string, text: string, schema: z.ZodType<T>): T {
  const [, sum, members] = /^\{"sum":(\d+),(.*)$/s.exec(text) ?? [];
  if (crc32(`{${members}`) !== Number(sum)) throw damaged(file);
  const result = schema.safeParse(JSON.parse(`{${members}`));
  if (result.success) return result.data;
  throw damaged(file);
}

export const damaged = (file: string, cause?: unknown): Error =>
  notWhole(`${file} is damaged, or of another version`, "put a whole copy back, or move the folder away", cause);
