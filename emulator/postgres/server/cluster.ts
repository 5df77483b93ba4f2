// The prepared cluster that every service starts from: made once for each emulator, copied for each service. The copy
// and all WAL written since give the service at any moment, so that forks and standbys need no other backup.

import { copyFile, constants, readdir } from "node:fs/promises";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { own, privateFile } from "../install/account";
import type { Binaries } from "../install/binaries";
import { run } from "../install/run";
import { configuration, hostRules, type ServerPlace } from "./settings";

export const masterUser = "tsdbadmin";
export const database = "tsdb";

/** Each line is one statement: the server runs in single-user mode, without a client. */
const setUp = [
  `CREATE ROLE ${masterUser} LOGIN CREATEROLE CREATEDB`,
  `GRANT pg_monitor, pg_signal_backend, pg_read_all_data, pg_write_all_data TO ${masterUser} WITH ADMIN OPTION`,
  `ALTER DATABASE ${database} OWNER TO ${masterUser}`,
];

const initdbFlags = ["--no-sync", "--wal-segsize=1", "--locale=C", "-E", "UTF8", "-U", "postgres", "--auth=trust"];

/** Everything that determines the prepared cluster, besides the programs. */
export const recipe = [...initdbFlags, ...setUp, hostRules].join("\n");

export async function prepareCluster(binaries: Binaries, place: ServerPlace, folder: string): Promise<void> {
  const cwd = path.dirname(folder);
  await run(binaries, path.join(binaries.bin, "initdb"), ["-D", folder, ...initdbFlags], { cwd });
  const settings = { port: undefined, memoryGbs: undefined };
  privateFile(binaries.account, path.join(folder, "postgresql.conf"), configuration(settings, place));
  privateFile(binaries.account, path.join(folder, "pg_hba.conf"), hostRules);
  const alone = (name: string, statements: readonly string[]): Promise<string> =>
    run(binaries, path.join(binaries.bin, "postgres"), ["--single", "-D", folder, name], {
      cwd,
      input: `${statements.join("\n")}\n`,
    });
  // One database less to copy: the default one of initdb is renamed.
  await alone("template1", [`ALTER DATABASE postgres RENAME TO ${database}`]);
  await alone(database, setUp);
}

/** `cp` clones where the file system can, and keeps the owner. */
export async function copyCluster(binaries: Binaries, from: string, to: string): Promise<void> {
  const flags = process.platform === "darwin" ? "-ac" : "-a";
  await run(binaries, "cp", [flags, from, to], { cwd: path.dirname(to) });
}

const walFile = /^[0-9A-F]{24}$|^[0-9A-F]{8}\.history$/;

/** Copies all WAL of a server that may be writing it into a copy that has not started yet. */
export async function copyWal(binaries: Binaries, from: string, to: string): Promise<void> {
  const [source, target] = [path.join(from, "pg_wal"), path.join(to, "pg_wal")];
  mkdirSync(target, { recursive: true });
  for (const name of await readdir(source)) {
    if (!walFile.test(name)) continue;
    const file = path.join(target, name);
    await copyFile(path.join(source, name), file, constants.COPYFILE_FICLONE);
    own(binaries.account, file);
  }
}
