// The folder below `data` in which servers are kept: their data, what all of them began with, the authority that their
// clients know, and their ports. It belongs to one major version of PostgreSQL, and to one account.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isReachableByAll, privateFolder, type Account } from "./account";
import { endLeftovers } from "./runFolder";

export interface KeptFolder {
  readonly path: string;
  /** The file that the ports of all addresses are kept in. */
  readonly ports: string;
  /** Whoever comes next ends what is left of this emulator, if it does not close itself. */
  usedWith(root: string): void;
  /** Nothing runs here any more. */
  close(): void;
}

/** The data that all services began with; its version is that of them all. */
export const baseName = "base";

const folderIn = (data: string): string => path.join(data, "postgres");

const versionFile = (data: string): string => path.join(folderIn(data), "servers", baseName, "PG_VERSION");

/** The major version of the databases that are kept there; undefined where there are none. */
export function keptMajor(data: string): number | undefined {
  return existsSync(versionFile(data)) ? Number.parseInt(readFileSync(versionFile(data), "utf8"), 10) : undefined;
}

/** In a sentence why servers cannot be kept there, where they cannot. */
export function whyNotKept({ owner }: Account, data: string): string | undefined {
  if (owner && !isReachableByAll(data)) {
    return `${data} is below a folder that only root can enter, and the servers run as another account`;
  }
  const servers = path.join(folderIn(data), "servers");
  const uid = owner?.uid ?? process.getuid?.();
  if (!existsSync(servers) || statSync(servers).uid === uid) return undefined;
  return `the databases in ${data} belong to the account ${statSync(servers).uid}, and servers that this user starts run as ${uid}`;
}

/** When this resolves, no server of an earlier emulator runs there. */
export async function openKeptFolder(account: Account, data: string): Promise<KeptFolder> {
  const folder = folderIn(data);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // The account of the servers passes through. The files beside are readable by their owner alone.
  if (account.owner) for (const each of [data, folder]) chmodSync(each, statSync(each).mode | 0o011);
  const servers = path.join(folder, "servers");
  if (!existsSync(servers)) privateFolder(account, servers);
  const user = path.join(folder, "user");
  if (existsSync(user)) await endLeftovers(account, readFileSync(user, "utf8"), folder);
  return {
    path: folder,
    ports: path.join(folder, "ports.json"),
    usedWith: (root) => writeFileSync(user, root, { mode: 0o600 }),
    close: () => rmSync(user, { force: true }),
  };
}
