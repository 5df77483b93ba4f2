// Caches the prepared cluster between emulators: making it takes longer than everything else that a new service needs.

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { cacheFolder, own, type Account } from "../install/account";
import type { Binaries } from "../install/binaries";
import { baseName } from "../install/keptFolder";
import { copyCluster, prepareCluster, recipe } from "./cluster";
import type { ServerPlace } from "./settings";

/** The folder of the prepared cluster: in the cache, or below `root` if the cache cannot be written. */
export async function preparedCluster(binaries: Binaries, place: ServerPlace, root: string): Promise<string> {
  const kept = path.join(cacheFolder(binaries.account), `cluster-${binaries.version}-${keyOf(binaries)}`);
  if (isOurs(binaries.account, kept)) return kept;
  const made = path.join(root, "servers", "base");
  await prepareCluster(binaries, place, made);
  await keep(binaries, made, kept).catch(() => undefined);
  return made;
}

/** Stored beside the services that started from it: their forks and standbys are made of it and of all WAL since. */
export async function keptBase(binaries: Binaries, servers: string, prepared: () => Promise<string>): Promise<string> {
  const base = path.join(servers, baseName);
  const draft = `${base}.new`;
  rmSync(draft, { recursive: true, force: true });
  if (existsSync(base)) return base;
  const from = await prepared();
  await copyCluster(binaries, from, draft);
  renameSync(draft, base);
  return base;
}

/** Other programs or another recipe give another cluster. */
function keyOf({ bin, version }: Binaries): string {
  const { ino, mtimeMs } = statSync(path.join(bin, "postgres"));
  return createHash("sha256").update([bin, version, ino, mtimeMs, recipe].join("\n")).digest("hex").slice(0, 12);
}

/** Any other account that could write it could put anything into every database. */
function isOurs({ owner }: Account, folder: string): boolean {
  if (!existsSync(path.join(folder, "PG_VERSION"))) return false;
  const { uid, mode } = statSync(folder);
  return uid === (owner?.uid ?? process.getuid?.()) && (mode & 0o077) === 0;
}

async function keep(binaries: Binaries, made: string, kept: string): Promise<void> {
  const parent = cacheFolder(binaries.account, "make");
  dropDrafts(parent);
  const draft = mkdtempSync(path.join(parent, draftPrefix));
  try {
    own(binaries.account, draft);
    await copyCluster(binaries, made, path.join(draft, "made"));
    renameSync(path.join(draft, "made"), kept);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const draftPrefix = "draft-";
const abandonedMs = 60 * 60 * 1_000;

/** Temporary folders of killed emulators. */
function dropDrafts(parent: string): void {
  for (const name of readdirSync(parent)) {
    const folder = path.join(parent, name);
    const isOld = name.startsWith(draftPrefix) && Date.now() - statSync(folder).mtimeMs > abandonedMs;
    if (isOld) rmSync(folder, { recursive: true, force: true });
  }
}
