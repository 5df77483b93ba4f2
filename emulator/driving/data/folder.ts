// The folder of `--data`: locked by one emulator at a time, readable by its owner alone, and written so that its
// content is complete at every moment.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import type { z } from "zod";
import { storingIn, writeWhole } from "../../durable";
import { notWhole } from "../../errors";
import { takeLock } from "./lock";

export type DataFolder = ReturnType<typeof openFolder>;

/** Makes the folder if it is missing. Throws an Error if another emulator has locked it. */
export function openFolder(given: string) {
  const folder = made(given);
  requireOwn(folder);
  const release = storingIn(folder, () => takeLock(folder));
  const file = path.join(folder, "world.json");
  // Made after the first world: one that is lost is missed, and a start that has ended before leaves nothing to lose.
  const mark = path.join(folder, "made");
  try {
    const isThere = existsSync(file);
    if (!isThere && existsSync(mark)) throw notWhole(`${file} is missing`);
    return {
      path: folder,
      file,
      /** What an earlier emulator has stored. */
      text: isThere ? readFileSync(file, "utf8") : undefined,
      write(text: string): void {
        storingIn(folder, () => writeWhole(file, text));
      },
      mark: () => storingIn(folder, () => writeWhole(mark, "")),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Nothing is written where another account could read or replace it. Windows has no such owners and modes. */
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

function made(given: string): string {
  return storingIn(path.resolve(given), () => {
    // The parent folders are not secret: if root starts the emulator, the account of the servers must traverse them.
    makeFolder(given, 0o700);
    accessSync(given, constants.W_OK | constants.X_OK);
    return realpathSync(given);
  });
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

/** The text of a JSON object with its checksum as first member. */
export const sealed = (text: string): string => `{"sum":${crc32(text)},${text.slice(1)}`;

/** What `sealed` has written. Throws an Error that names the file. */
export function parsed<T>(file: string, text: string, schema: z.ZodType<T>): T {
  const [, sum, members] = /^\{"sum":(\d+),(.*)$/s.exec(text) ?? [];
  const isWhole = crc32(`{${members}`) === Number(sum);
  const result = schema.safeParse(isWhole ? JSON.parse(`{${members}`) : undefined);
  if (result.success) return result.data;
  throw notWhole(`${file} is damaged, or of another version`, "put a whole copy back, or move the folder away");
}
