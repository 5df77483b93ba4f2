// The bases of a server: copies of its data as they were at moments of the past. The last base before a moment and the WAL
// since then give the server of that moment; WAL that no moment needs any more is removed. Until there is a base, the
// prepared cluster is one, with all WAL.

import { setTimeout as wait } from "node:timers/promises";
import { masterUser, copyCluster, copyWal, trimWal } from "./cluster";
import type { Server, ServerResources } from "./server";
import path from "node:path";
import { run, script } from "../install/run";

/** A recovery stops before the first commit after its target time; so there must be one. */
export async function markAfter(source: Server, at: number): Promise<void> {
  const leftMs = at + 1 - Date.now();
  if (leftMs > 0) await wait(leftMs);
  await source.sql("SELECT pg_logical_emit_message(true, 'emulator', 'copied')");
}

/** Replays the copied WAL. Afterwards the server is stopped, and its passwords are unknown. */
export async function replay(target: Server, at: number): Promise<void> {
  const recovered = { port: undefined, memoryGbs: undefined };
  try {
    await target.run({ ...recovered, recoverUntil: momentText(at) });
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes("recovery ended before")) throw error;
    // Nothing was committed after the target time, as in a source that was stopped before.
    await target.run({ ...recovered, recoverUntil: "end" });
  }
  await target.sql(`ALTER ROLE ${masterUser} PASSWORD NULL`);
  await target.stop();
}

const momentText = (at: number): string => new Date(at).toISOString().replace("T", " ").replace("Z", "+00");

interface Base {
  readonly folder: string;
  /** Real epoch milliseconds: it has nothing that was committed later. */
  readonly at: number;
  /** The name of the first file of WAL that it needs. */
  readonly segment: string;
}

/** A base saves replaying so many files of WAL, of 1 MB each. */
const mostSegments = 32;

/** A fork that is asked for at the end of the window may have to wait for its turn. */
const longestTurnMs = 60_000;

export class Bases {
  readonly #resources: ServerResources;
  readonly #server: Server;
  readonly #folder: string;
  #known: Base[] | undefined;
  /** The first file of WAL that is left. */
  #first = "";

  constructor(resources: ServerResources, server: Server) {
    this.#resources = resources;
    this.#server = server;
    this.#folder = basesOf(server.data);
  }

  /** Copies what the server had at a moment into the data of another one, whose recovery ends there. */
  async copyTo(other: Server, at: number): Promise<void> {
    const { binaries, prepared } = this.#resources;
    const base = (await this.#all()).findLast((one) => one.at < at);
    if (!base && (await this.#isTrimmed())) throw new Error("the WAL of that moment is removed");
    await copyCluster(binaries, base?.folder ?? (await prepared), other.data);
    await copyWal(binaries, this.#server.data, other.data, base?.segment);
    // No server ever writes into a base, so that a link is as good as a copy.
    if (base) await script(binaries, linkScript, base.folder, basesOf(other.data));
  }

  /** Copies the last base: a standby gets the rest from its primary. */
  async copyLastTo(other: Server): Promise<void> {
    const { binaries, prepared } = this.#resources;
    await copyCluster(binaries, (await this.#all()).at(-1)?.folder ?? (await prepared), other.data);
  }

  /** Makes a base if there is much WAL, and removes what only moments before the window need. */
  async maintain(windowMs: number): Promise<void> {
    const bases = await this.#all();
    const [[current = null] = []] = await this.#server.sql("SELECT pg_walfile_name(pg_current_wal_lsn())");
    const newest = bases.at(-1)?.segment ?? "";
    if (numberOf(current ?? "") - numberOf(newest) >= mostSegments) bases.push(await this.#make());
    const end = Date.now() - windowMs - Math.min(longestTurnMs, windowMs);
    const needed = neededOf(bases, end, windowMs / 2);
    this.#known = needed;
    const { binaries } = this.#resources;
    const surplus = bases.filter((base) => !needed.includes(base));
    if (surplus.length > 0) await script(binaries, 'rm -rf -- "$@"', ...surplus.map(({ folder }) => folder));
    const [oldest] = needed;
    if (oldest === undefined || oldest.at > end || oldest.segment === this.#first) return;
    await trimWal(binaries, this.#server.data, oldest.segment, path.join(this.#folder, trimmedFile));
    this.#first = oldest.segment;
  }

  async remove(): Promise<void> {
    this.#known = undefined;
    await script(this.#resources.binaries, 'rm -rf "$1"', this.#folder);
  }

  async #all(): Promise<Base[]> {
    return (this.#known ??= await this.#read());
  }

  async #read(): Promise<Base[]> {
    const found = (await this.#names()).flatMap((name) => {
      const [, at, segment] = /^(\d+)-([0-9A-F]{24})$/.exec(name) ?? [];
      return segment === undefined ? [] : [{ folder: path.join(this.#folder, name), at: Number(at), segment }];
    });
    return found.toSorted((one, other) => one.at - other.at);
  }

  async #names(): Promise<string[]> {
    const listing = 'if [ -d "$1" ]; then ls -1 "$1"; fi';
    return (await script(this.#resources.binaries, listing, this.#folder)).split("\n");
  }

  async #isTrimmed(): Promise<boolean> {
    return (await this.#names()).includes(trimmedFile);
  }

  /** The server copies its own data: a program that it runs itself ends with the session that the backup needs. */
  async #make(): Promise<Base> {
    const { binaries } = this.#resources;
    const draft = path.join(this.#folder, "new");
    const program = copyScript(`../${path.basename(this.#folder)}/new`).replaceAll("'", "''");
    const rows = await this.#server.sql(
      `SELECT pg_backup_start('base', true); COPY (SELECT 1) TO PROGRAM '${program}'; SELECT labelfile FROM pg_backup_stop(false)`,
    );
    const label = rows.at(-1)?.[0] ?? "";
    const [, segment] = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(label) ?? [];
    if (segment === undefined) throw new Error("the server has made no backup");
    const at = Date.now();
    const folder = path.join(this.#folder, `${at}-${segment}`);
    const finish = 'cat > "$1/backup_label"; mv "$1" "$2"';
    await run(binaries, "/bin/sh", ["-euc", finish, "sh", draft, folder], label);
    return { folder, at, segment };
  }
}

/** Beside the data, which the server would look through. */
export const basesOf = (data: string): string => `${data}.bases`;

/** Some WAL is gone: the prepared cluster is no base any more. */
const trimmedFile = "trimmed";

/** Of a file of WAL, whatever its timeline. */
const numberOf = (segment: string): number =>
  Number.parseInt(segment.slice(8, 16) || "0", 16) * 4_096 + Number.parseInt(segment.slice(16) || "0", 16);

/** The last one before the window, the newest, and in between as many as keep the way to replay short. */
export function neededOf(bases: readonly Base[], end: number, spaceMs: number): Base[] {
  const needed: Base[] = [];
  for (const [index, base] of bases.entries()) {
    const next = bases[index + 1];
    const before = needed.at(-1);
    if (next && (next.at <= end || (before && next.at - before.at <= spaceMs))) continue;
    needed.push(base);
  }
  return needed;
}

const isMac = process.platform === "darwin";

const linkScript = `rm -rf "$2"; mkdir -p "$2"; : > "$2/${trimmedFile}"; cp ${isMac ? "-ac" : "-al"} "$1" "$2/"`;

/** In the folder of the data. A file that goes meanwhile is no error: the WAL has it. */
export const copyScript = (to: string): string => `set -eu; umask 077; export LC_ALL=C
  rm -rf ${to}; mkdir -p ${to}/pg_wal
  for name in *; do case $name in pg_wal|postmaster.*|made-by-emulator) ;; *) set -- "$@" "$name" ;; esac; done
  if ! cp ${isMac ? "-ac" : "-a"} "$@" ${to} 2> ${to}.errors && grep -v "No such file" ${to}.errors >&2; then exit 1; fi
  rm -f ${to}.errors`;
