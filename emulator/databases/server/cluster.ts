// The prepared cluster that every service starts from: made once for each emulator, copied for each service. All of it is
// done by programs that run as the account of the servers.

import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { Binaries } from "../install/binaries";
import { baseName } from "../install/keptFolder";
import { run, script } from "../install/run";

export const masterUser = "tsdbadmin";
export const database = "tsdb";
/** Of the emulator's own SQL: the tenant may drop its database, and cannot change this one. */
export const ownDatabase = "template1";

/** Each line is one statement: the server runs in single-user mode, without a client. */
const setUp = [
  `CREATE ROLE ${masterUser} LOGIN CREATEROLE CREATEDB`,
  `GRANT pg_monitor, pg_signal_backend, pg_read_all_data, pg_write_all_data TO ${masterUser} WITH ADMIN OPTION`,
  `ALTER DATABASE ${database} OWNER TO ${masterUser}`,
];

/** No user but the superuser may create it, and deployments have it: so it is there from the start, if installed. */
export async function offersStatements(binaries: Binaries): Promise<boolean> {
  const shown = await script(binaries, '"$1" --show -D none 2>&1', path.join(binaries.bin, "initdb")).catch(() => "");
  const [, share = ""] = /^share_path=(.+)$/m.exec(shown) ?? [];
  return existsSync(path.join(share, "extension", "pg_stat_statements.control"));
}

const initdbFlags = "--no-sync --wal-segsize=1 --locale=C -E UTF8 -U postgres --auth-local=peer --auth-host=reject";

/** Letters beyond ASCII have upper and lower case, as deployments have it; older versions need a locale of the system. */
const localeFlags = (major: number): string[] =>
  major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [];

/**
 * The folder of the prepared cluster: `servers` may have it from an earlier run. It is made in the folder of this run,
 * because initdb does not take every path.
 */
export async function preparedCluster(
  binaries: Binaries,
  root: string,
  servers: string,
  extensions: readonly string[],
): Promise<string> {
  const base = path.join(servers, baseName);
  const draft = `${base}.new`;
  await script(binaries, 'rm -rf "$1"', draft);
  if (existsSync(base)) return base;
  // Tests open many emulators: where this names a folder, one of them makes the cluster, and the others copy it.
  const given = process.env["DBCLOUD_TEST_CLUSTERS"];
  const shared = given && path.join(given, createHash("sha256").update(binaries.bin).digest("hex").slice(0, 12));
  const [found] = shared && existsSync(shared) ? readdirSync(shared).filter((name) => !name.endsWith(".new")) : [];
  if (shared && found !== undefined) {
    await script(binaries, 'cp -a "$1" "$2"; mv "$2" "$3"', path.join(shared, found), draft, base);
    return base;
  }
  const made = path.join(root, "servers", "made");
  const program = (name: string): string => path.join(binaries.bin, name);
  await run(binaries, program("initdb"), ["-D", made, ...initdbFlags.split(" "), ...localeFlags(binaries.major)]);
  const alone = (name: string, statements: readonly string[]): Promise<string> =>
    run(binaries, program("postgres"), ["--single", "-F", "-D", made, name], `${statements.join("\n")}\n`);
  // One database less to copy: the default one of initdb is renamed.
  const create = extensions.map((name) => `CREATE EXTENSION ${name} SCHEMA public`);
  await alone("template1", [`ALTER DATABASE postgres RENAME TO ${database}`, ...create]);
  await alone(database, [...setUp, ...create]);
  await script(binaries, 'mv "$1" "$2"; mv "$2" "$3"', made, draft, base);
  const share = 'mkdir -p "$2"; cp -a "$1" "$2/$3.new"; mv "$2/$3.new" "$2/$3"';
  if (shared) await script(binaries, share, base, shared, path.basename(root));
  return base;
}

/** `cp` clones where the file system can. */
export async function copyCluster(binaries: Binaries, from: string, to: string): Promise<void> {
  await run(binaries, "cp", [process.platform === "darwin" ? "-ac" : "-a", from, to]);
}

const copyWalScript = `
  mkdir -p "$2/pg_wal"
  cd "$1/pg_wal"
  ls | awk 'length($0) == 24 || /[.]history$/' | xargs sh -c 'exec cp -p "$@" "$0"' "$2/pg_wal"`;

/** Copies all WAL of a server that may be writing it into a copy of the prepared cluster that has not started yet. */
export async function copyWal(binaries: Binaries, from: string, to: string): Promise<void> {
  await script(binaries, copyWalScript, from, to);
}
