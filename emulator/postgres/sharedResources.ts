// What all services of one emulator share: the programs, the folder, the prepared data, ports, and the limit for copies.

import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { privateFile, serverAccount } from "./install/account";
import { findBinaries, type Binaries } from "./install/binaries";
import { openRunFolder, type RunFolder } from "./install/runFolder";
import { Ports } from "./ports";
import { makeCertificates } from "./server/certificates";
import { findPgbouncer } from "./server/pgbouncer";
import { preparedCluster } from "./server/preparedCluster";
import type { ServerResources } from "./server/server";
import type { ServerPlace } from "./server/settings";
import { Semaphore } from "./semaphore";

export interface SharedResources extends ServerResources {
  readonly ports: Ports;
  /** The pooler's program, where this machine has it. */
  readonly pgbouncer: string | undefined;
  /** The copy of a thousand small files is what a new service costs: no more at once than there are cores. */
  readonly copies: Semaphore;
  /** From here on nothing is started. */
  abort(): void;
  /** When all servers have ended. */
  close(): Promise<void>;
}

/** In a sentence why there is no PostgreSQL, where there is none. */
export async function openSharedResources(asked: "auto" | { bin: string }): Promise<SharedResources | string> {
  const account = serverAccount();
  const found = await findBinaries(asked, account);
  if (typeof found === "string") return found;
  const closing = new AbortController();
  const binaries: Binaries = { ...found, closing: closing.signal };
  const folder = openRunFolder(account);
  const certificates = writeCertificates(folder, binaries);
  const place: ServerPlace = { major: binaries.major, sockets: path.join(folder.root, "sockets"), certificates };
  const prepared = preparedCluster(binaries, place, folder.root);
  prepared.catch(() => undefined);
  return {
    binaries,
    closing: closing.signal,
    root: folder.root,
    certificates,
    prepared,
    pgbouncer: await findPgbouncer(binaries),
    ports: new Ports(),
    copies: new Semaphore(availableParallelism()),
    abort: () => closing.abort(),
    async close() {
      await prepared.catch(() => undefined);
      await folder.close();
    },
  };
}

/** The key belongs to the account of the servers; what clients need lies beside it for all to read. */
function writeCertificates({ root }: RunFolder, { account }: Binaries): ServerPlace["certificates"] {
  const made = makeCertificates();
  const files = {
    authority: path.join(root, "ca.pem"),
    certificate: path.join(root, "server.pem"),
    key: path.join(root, "server.key"),
  };
  writeFileSync(files.authority, made.authority, { mode: 0o644 });
  privateFile(account, files.certificate, made.certificate);
  privateFile(account, files.key, made.key);
  return files;
}

/** A folder name for any id: ids may hold slashes, and the paths of sockets must be short. */
export const folderName = (id: string): string => createHash("sha256").update(id).digest("hex").slice(0, 12);
