// A data folder that comes from elsewhere: what is in it ends no process, removes no file and runs no command.

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder } from "../support/emulator";
import { openDatabases, query } from "./support";

/** A world with one service, as its emulator left it. */
async function writeWorld() {
  const data = newFolder();
  const folder = path.dirname(data);
  const { emulator, create } = await openDatabases({ data });
  const { url } = await create();
  await query(emulator, url, "CREATE TABLE items AS SELECT repeat('x', 100) AS name FROM generate_series(1, 1000)");
  await emulator.close();
  const servers = path.join(data, "postgres", "servers");
  const [cluster = ""] = readdirSync(servers).filter((name) => name !== "base");
  return { folder, data, url, servers, cluster: path.join(servers, cluster) };
}

function sleepIn(cwd: string): ChildProcess {
  const child = spawn("sleep", ["600"], { cwd, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;

test("no process is ended that a file names, or that works in the folder", async () => {
  const { folder, data, url, cluster } = await writeWorld();
  const named = path.join(folder, "dbcloud-pg-named");
  mkdirSync(named);
  writeFileSync(path.join(named, "owner"), "1 ended");
  const sleepers = [named, path.join(data, "postgres"), cluster].map(sleepIn);
  writeFileSync(path.join(data, "postgres", "user"), named);
  writeFileSync(path.join(cluster, "postmaster.pid"), `${sleepers[2]?.pid}\n${cluster}\n`);
  const { emulator } = await openDatabases({ data });
  expect(await query(emulator, url, "SELECT count(*) FROM items")).toEqual([["1000"]]);
  await emulator.close();
  expect(sleepers.map(isAlive)).toEqual([true, true, true]);
  expect(existsSync(named)).toBe(true);
});

test("settings in the folder run no command and let nobody in", async () => {
  const { folder, data, url, cluster } = await writeWorld();
  const marker = path.join(folder, "ran");
  chmodSync(folder, 0o777);
  const command = `archive_mode = 'on'\narchive_command = 'touch ${marker}'\nrestore_command = 'touch ${marker}'\n`;
  for (const name of ["postgresql.auto.conf", "postgresql.conf"]) writeFileSync(path.join(cluster, name), command);
  writeFileSync(path.join(cluster, "recovery.signal"), "");
  writeFileSync(path.join(cluster, "pg_hba.conf"), "host all all all trust\nlocal all all trust\n");
  chmodSync(folder, 0o755);
  const { emulator } = await openDatabases({ data });
  // More than a segment of WAL, which an archiver would be given.
  const more = "INSERT INTO items SELECT repeat('x', 100) FROM generate_series(1, 30000)";
  expect(await query(emulator, url, more, more, "SHOW archive_mode")).toEqual([["off"]]);
  expect(existsSync(marker)).toBe(false);
  expect(readFileSync(path.join(cluster, "postgresql.auto.conf"), "utf8")).toBe("");
});

test("links in the folder are refused by name, and what they lead to stays", async () => {
  const { folder, data, servers, cluster } = await writeWorld();
  const victim = path.join(folder, "victim");
  mkdirSync(path.join(victim, "files"), { recursive: true });
  writeFileSync(path.join(victim, "files", "important"), "text");
  const places = [path.join(cluster, "pg_wal"), cluster, servers, path.dirname(servers)];
  for (const place of places) {
    renameSync(place, `${folder}/aside`);
    symlinkSync(victim, place);
    await expect(openDatabases({ data })).rejects.toThrow(new RegExp(`${place} is (no folder|neither a file)`));
    unlinkSync(place);
    renameSync(`${folder}/aside`, place);
    expect(readFileSync(path.join(victim, "files", "important"), "utf8")).toBe("text");
  }
});
