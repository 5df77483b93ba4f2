// The folder below `data` that stores the servers: their data, the prepared cluster, the certificate authority that
// clients trust, and their ports. It belongs to one major version of PostgreSQL, and to one account.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isReachableByAll, privateFolder, type Account } from "./account";
import { endLeftovers } from "./runFolder";

export interface KeptFolder {
  readonly path: string;
  /** The file that stores the ports of all addresses. */
  readonly ports: string;
  /** If this emulator is killed, the next one stops its remaining processes. */
  usedWith(root: string): void;
  /** No process runs here any more. */
  close(): void;
}

/** The prepared cluster that all services were copied from; all have its version. */
export const baseName = "base";

const folderIn = (data: string): string => path.join(data, "postgres");

const versionFile = (data: string): string => path.join(folderIn(data), "servers", baseName, "PG_VERSION");

/** The major version of the databases stored there; undefined if there are none. */
export function keptMajor(data: string): number | undefined {
  return existsSync(versionFile(data)) ? Number.parseInt(readFileSync(versionFile(data), "utf8"), 10) : undefined;
}

/** A sentence that says why servers cannot be stored there, or undefined if they can. */
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
  // The account of the servers traverses this folder. The files beside are readable by their owner alone.
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
