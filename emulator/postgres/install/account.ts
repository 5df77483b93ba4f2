// The account that the servers run as. PostgreSQL refuses to run as root, so a root emulator runs it under another
// account, which must be able to reach its files.

import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export interface Account {
  /** Undefined: the account of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** initdb needs an account with a name: the first of these that this machine has. */
const names = ["nobody", "daemon"];

export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return { owner: undefined };
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of names) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined && Number(uid) !== 0)
      return { owner: { uid: Number(uid), gid: Number(gid) } };
  }
  throw new Error(`PostgreSQL does not run as root, and /etc/passwd has none of ${names.join(", ")}`);
}

/** A folder that only the account can enter. */
export function privateFolder(account: Account, folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  own(account, folder);
}

export function privateFile(account: Account, file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  own(account, file);
}

export function own({ owner }: Account, file: string): void {
  if (owner) chownSync(file, owner.uid, owner.gid);
}

/** Whether every account can traverse all parent folders. */
export function isReachableByAll(file: string): boolean {
  const folder = path.dirname(file);
  if (folder === file) return true;
  return (statSync(folder).mode & 0o001) !== 0 && isReachableByAll(folder);
}

/** Root's cache is not reachable for other accounts; every other account uses its own. */
export function cacheFolder({ owner }: Account, make?: "make"): string {
  const base = owner ? "/var/cache" : (process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"));
  const folder = path.join(base, "pulumi-dbcloud", "postgres");
  if (make) for (const each of [path.dirname(folder), folder]) openFolder(each);
  return folder;
}

/** Readable for all, whatever the umask says: another account runs the programs in it. */
export function openFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  if (statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o755);
}
