// The folder of `--data`: held by one emulator at a time, readable by its owner alone, and written so that every moment
// leaves something whole.

import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";
import { storingIn, writeWhole } from "../durable";
import { codeOf, messageOf } from "../errors";
import { livingOwner, ownerText } from "../ownerProcess";

const identity = z.strictObject({
  format: z.literal(1),
  apiKey: z.string(),
  adminKey: z.string(),
  projectId: z.string(),
  seed: z.int(),
});

/** What stays the same for as long as the folder is kept, so that programs and states go on working. */
export type Identity = z.infer<typeof identity>;

export interface DataFolder {
  readonly path: string;
  readonly identity: Identity | undefined;
  keepIdentity(identity: Identity): void;
  release(): void;
}

/** Folders held by this process. */
const held = new Set<string>();

/** Makes the folder where it is missing. Throws an Error where another emulator has it. */
export function openFolder(given: string): DataFolder {
  const folder = made(given);
  const lock = path.join(folder, "lock");
  storingIn(folder, () => takeLock(folder, lock));
  const file = path.join(folder, "emulator.json");
  try {
    return {
      path: folder,
      identity: existsSync(file) ? parsed(file, readFileSync(file, "utf8"), identity) : undefined,
      keepIdentity: (kept) => storingIn(folder, () => writeWhole(file, JSON.stringify(kept))),
      release: () => release(folder, lock),
    };
  } catch (error) {
    release(folder, lock);
    throw error;
  }
}

function made(given: string): string {
  try {
    // The folders above are nobody's secret: where root starts it, the account of the servers passes through them.
    const above = path.dirname(given);
    if (!existsSync(above)) mkdirSync(above, { recursive: true });
    mkdirSync(given, { recursive: true, mode: 0o700 });
    accessSync(given, constants.W_OK | constants.X_OK);
    return realpathSync(given);
  } catch (error) {
    const reasons: Readonly<Record<string, string>> = {
      EEXIST: "it is a file",
      ENOTDIR: "what is above it is a file",
      ELOOP: "its links lead in a circle",
      EACCES: "this user may not write there",
      EPERM: "this user may not write there",
      EROFS: "nothing can be written there",
    };
    const why = reasons[codeOf(error)];
    throw new Error(
      `data: ${path.resolve(given)} cannot be the folder of a world${why === undefined ? "" : `: ${why}`} (${messageOf(error)}); name a folder, or one to be made`,
      { cause: error },
    );
  }
}

/** Only one of several that try at the same time makes the file. */
function takeLock(folder: string, lock: string): void {
  for (;;) {
    const holder = held.has(folder) ? process.pid : holderOf(lock);
    if (holder !== undefined) {
      throw new Error(
        `${folder} is in use by an emulator, process ${holder}: end it, or take another folder (if that process is no emulator, remove ${lock})`,
      );
    }
    if (makeLock(lock)) break;
  }
  held.add(folder);
}

function makeLock(lock: string): boolean {
  try {
    writeFileSync(lock, ownerText(process.pid), { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

const longestMakingMs = 1_000;

const isYoung = (file: string): boolean =>
  Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < longestMakingMs;

/** The process that holds the folder. The lock of one that was killed is taken away. */
function holderOf(lock: string): number | undefined {
  let text = textIn(lock);
  // It is being made just now, unless whoever made it was killed at that moment.
  while (text === "" && isYoung(lock)) text = textIn(lock);
  if (text === undefined) {
    // A link that leads nowhere would be in the way for ever.
    if (lstatSync(lock, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(lock);
    return undefined;
  }
  const pid = livingOwner(text);
  if (pid !== undefined) return pid;
  // Another one may have taken it away meanwhile, and made its own.
  const stale = `${lock}.${process.pid}`;
  try {
    renameSync(lock, stale);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const isOther = textIn(stale) !== text;
  if (isOther) linkSync(stale, lock);
  rmSync(stale);
  return isOther ? holderOf(lock) : undefined;
}

function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function release(folder: string, lock: string): void {
  if (!held.delete(folder)) return;
  rmSync(lock, { force: true });
}

/** Throws an Error that names the file. */
export function parsed<T>(file: string, text: string, schema: z.ZodType<T>): T {
  const result = schema.safeParse(jsonIn(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.map(String).join(".") ?? "";
  throw new Error(
    `${file} is damaged, or of another version (${where}: ${issue?.message ?? ""}): move the folder away, or take another one`,
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
