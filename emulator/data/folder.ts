// The folder of `--data`: held by one emulator at a time, readable by its owner alone, and written so that every moment
// leaves something whole.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";

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

/** Folders held by this process: a lock file names only the process. */
const held = new Set<string>();

/** Makes the folder where it is missing. Throws an Error where another emulator has it. */
export function openFolder(given: string): DataFolder {
  mkdirSync(given, { recursive: true, mode: 0o700 });
  const folder = realpathSync(given);
  const lock = path.join(folder, "lock");
  takeLock(folder, lock);
  const file = path.join(folder, "emulator.json");
  try {
    return {
      path: folder,
      identity: existsSync(file) ? parsed(file, readFileSync(file, "utf8"), identity) : undefined,
      keepIdentity: (kept) => writeWhole(file, JSON.stringify(kept)),
      release: () => release(folder, lock),
    };
  } catch (error) {
    release(folder, lock);
    throw error;
  }
}

function takeLock(folder: string, lock: string): void {
  const holder = held.has(folder) ? process.pid : holderOf(lock);
  if (holder !== undefined) {
    throw new Error(
      `${folder} is in use by an emulator, process ${holder}: end it, or take another folder (if that process is no emulator, remove ${lock})`,
    );
  }
  writeFileSync(lock, String(process.pid), { mode: 0o600 });
  held.add(folder);
}

/** The process that holds the folder. One that was killed leaves its lock, and its number may be this process's own. */
function holderOf(lock: string): number | undefined {
  if (!existsSync(lock)) return undefined;
  const pid = Number(readFileSync(lock, "utf8"));
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function release(folder: string, lock: string): void {
  if (!held.delete(folder)) return;
  rmSync(lock, { force: true });
}

/** Either the old text or the new one is there, whatever happens meanwhile. */
export function writeWhole(file: string, text: string): void {
  const temporary = `${file}.new`;
  const descriptor = openSync(temporary, "w", 0o600);
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
  // Windows: a folder cannot be opened, and a rename needs no more than itself.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
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
