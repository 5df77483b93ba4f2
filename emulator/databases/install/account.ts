// The account that the servers run as. PostgreSQL refuses to run as root, so a root emulator runs it under another
// account. What that account owns is never opened, changed or removed by root: programs that run as the account do it.

import { accessSync, chmodSync, chownSync, constants, existsSync, lstatSync, mkdirSync } from "node:fs";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir, userInfo } from "node:os";
import path from "node:path";
import { codeOf } from "../../errors";

export interface Account {
  /** Undefined: the account of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
  /** The names of the accounts of this process and of the servers. */
  readonly names: readonly string[];
}

/** initdb needs an account with a name: the first of these that this machine has. */
const candidates = ["nobody", "daemon"];

export function serverAccount(): Account {
  const names = ownName();
  if (process.getuid?.() !== 0) return { owner: undefined, names };
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of candidates) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined && Number(uid) !== 0)
      return { owner: { uid: Number(uid), gid: Number(gid) }, names: [...names, name] };
  }
  throw new Error(`PostgreSQL does not run as root, and /etc/passwd has none of ${candidates.join(", ")}`);
}

/** Empty if this machine has no name for the account, as in a container with an arbitrary user id. */
function ownName(): string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}

/** A folder that only the account can enter, below one that only this process can change. */
export function privateFolder(account: Account, folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  own(account, folder);
}

/** A file that only the account can read, in a folder that only this process can change. */
export function privateFile(account: Account, file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 });
  own(account, file);
}

function own({ owner }: Account, file: string): void {
  if (owner) chownSync(file, owner.uid, owner.gid);
}

/** Whether every account can traverse all parent folders. */
export function isReachableByAll(file: string): boolean {
  const folder = path.dirname(file);
  if (folder === file) return true;
  return (statSync(folder).mode & 0o001) !== 0 && isReachableByAll(folder);
}

/** The first folder on the way there whose entries another account than root can replace. */
export function changeableByOthers(folder: string): string | undefined {
  const { uid, mode } = statSync(folder);
  const isOpen = (mode & 0o002) !== 0 && (mode & 0o1000) === 0;
  if (uid !== 0 || isOpen) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : changeableByOthers(parent);
}

/**
 * Root's cache is not reachable for other accounts; every other account uses its own. A container's user often cannot
 * write in its home: then it is a temporary folder.
 */
export function cacheFolder({ owner }: Account, home = homedir): string {
  const folder = path.join(owner ? "/var/cache" : userCache(home), "pulumi-dbcloud", "postgres");
  try {
    for (const each of [path.dirname(folder), folder]) openFolder(each);
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    const other = path.join(tmpdir(), `pulumi-dbcloud-cache-${process.getuid?.()}`);
    openFolder(other);
    const { uid, mode } = lstatSync(other);
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw error;
    process.emitWarning(
      `${folder} cannot be written (${codeOf(error)}): PostgreSQL is kept in ${other}; XDG_CACHE_HOME names another folder`,
    );
    return other;
  }
}

/** The XDG rules: a relative value is ignored. The account of a container may have no home, and no name. */
function userCache(home: () => string): string {
  const given = process.env["XDG_CACHE_HOME"];
  if (given !== undefined && path.isAbsolute(given)) return given;
  try {
    return path.join(home(), ".cache");
  } catch {
    return "/dev/null";
  }
}

/** Readable for all, whatever the umask says: another account runs the programs in it. */
export function openFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  if (statSync(folder).uid === process.getuid?.()) chmodSync(folder, 0o755);
}
