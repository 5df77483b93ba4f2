// What all services of one emulator share: the programs, the folder, the prepared cluster, ports, and the limit for
// copies.

import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { privateFile, type Account } from "./install/account";
import { findBinaries, type Binaries } from "./install/binaries";
import { openKeptFolder, whyNotKept } from "./install/keptFolder";
import { openRunFolder, settingsFile, type RunFolder } from "./install/runFolder";
import { Ports } from "./ports";
import type { Certificate } from "./server/certificates";
import { offersStatements, preparedCluster } from "./server/cluster";
import type { ServerResources } from "./server/server";
import { hostRules, userRules, type ServerPlace } from "./server/settings";

/** Limits how many tasks run at the same time; further ones wait in order. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

export interface SharedResources extends ServerResources {
  readonly ports: Ports;
  /** Copying a thousand small files is the main cost of a new service: at most one copy per core runs at once. */
  readonly copies: Semaphore;
  /** Nothing is started after this. */
  abort(): void;
  /** Called when all servers have ended. */
  close(): Promise<void>;
}

const unnamed =
  `PostgreSQL needs a name for the account of this process, and ${process.getuid?.()} has none: ` +
  "add it to /etc/passwd, or start the emulator as an account that is there";

export interface Place {
  /** The folder that stores the world, if there is one. */
  readonly data: string | undefined;
  /** That of an earlier run, if the folder has one. */
  readonly certificate: Certificate;
}

/** `major`: of the databases in the folder, if it has any. A string says in a sentence why there is no PostgreSQL. */
export async function openSharedResources(
  account: Account,
  asked: "auto" | { bin: string },
  { data, certificate }: Place,
  major: number | undefined,
): Promise<SharedResources | string> {
  if (account.names.length === 0) return unnamed;
  const why = data === undefined ? undefined : await whyNotKept(account, data);
  if (why !== undefined) return why;
  const found = await findBinaries(asked, account, major);
  if (typeof found === "string") return found;
  const folder = openRunFolder(account);
  try {
    // The watchdog of an emulator that was killed here began at the latest with the line before.
    const kept = data === undefined ? undefined : await openKeptFolder(account, data);
    return await sharedIn(folder, found, kept, certificate);
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function sharedIn(
  folder: RunFolder,
  found: Binaries,
  kept: string | undefined,
  own: Certificate,
): Promise<SharedResources> {
  const closing = new AbortController();
  const binaries: Binaries = { ...found, closing: closing.signal, record: folder.record };
  const home = kept ?? folder.root;
  const servers = path.join(home, "servers");
  const made = path.join(home, "made");
  mkdirSync(made, { recursive: true });
  const certificate = certificateIn(home, binaries, own);
  const rules = {
    hosts: settingsFile(folder, "pg_hba.conf", hostRules),
    users: settingsFile(folder, "pg_ident.conf", userRules(found.account.names)),
  };
  const preload = (await offersStatements(binaries)) ? ["pg_stat_statements"] : [];
  const prepared = preparedCluster(binaries, folder.root, servers, preload);
  prepared.catch(() => undefined);
  return {
    binaries,
    closing: closing.signal,
    root: folder.root,
    settings: folder.settings,
    servers,
    made,
    isKept: kept !== undefined,
    preload,
    certificate,
    rules,
    prepared,
    ports: new Ports(kept && path.join(kept, "ports.json")),
    copies: new Semaphore(availableParallelism()),
    abort: () => closing.abort(),
    async close() {
      await prepared.catch(() => undefined);
      await folder.close();
    },
  };
}

/** The key belongs to the account of the servers; the certificate, which clients need, is readable by all. */
function certificateIn(home: string, { account }: Binaries, made: Certificate): ServerPlace["certificate"] {
  const files = { file: path.join(home, "ca.pem"), key: path.join(home, "server.key") };
  // Written anew, so that no link in a folder of somebody else is followed.
  for (const file of Object.values(files)) rmSync(file, { force: true });
  privateFile(account, files.key, made.key);
  writeFileSync(files.file, made.certificate, { mode: 0o644 });
  return files;
}

/**
 * A folder name for any id: ids may contain slashes, and socket paths must be short. The cluster distinguishes services
 * that had the same id one after the other.
 */
export const folderName = (id: string, cluster = ""): string =>
  createHash("sha256").update(`${cluster}${id}`).digest("hex").slice(0, 12);
