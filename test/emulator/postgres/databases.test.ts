// One service and its server, by a real client: TLS, passwords, what stays over a stop, what a crash looks like, its end.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import {
  filesWith,
  nobodyListens,
  openDatabases,
  query,
  refusalOf,
  serverPids,
  urlOf,
  wrongPassword,
  useDatabases,
  watchWarnings,
} from "./support";

const shared = useDatabases();

const noEncryption = "28000";

test("a service takes TLS and its own user alone, and its rows stay over stop and start", async () => {
  const { emulator, create, put, namesIn, change } = shared();
  const { path: service, url, shown } = await create();
  await put(url, "first");

  await expect(new Client({ connectionString: url, ssl: false }).connect()).rejects.toMatchObject({
    code: noEncryption,
  });
  await expect(new Client({ connectionString: url, ssl: true }).connect()).rejects.toThrow("certificate");
  expect(await refusalOf(emulator, url.replace("tsdbadmin", "postgres"))).toBe(noEncryption);

  await change(service, "stop");
  expect(await refusalOf(emulator, url)).toBe(nobodyListens);
  expect((await change(service, "start"))["endpoint"]).toEqual(shown["endpoint"]);
  expect(await namesIn(url)).toEqual(["first"]);
});

test("a new password counts at once, and no text of it or of the old one is anywhere", async () => {
  const { emulator, create, call, ask } = await openDatabases();
  const { path: service, url, password, shown } = await create();
  const secret = "päss'wort-7f3a9c-Ω";
  expect((await call("POST", `${service}/updatePassword`, { password: secret })).status).toBe(204);
  const renewed = urlOf(shown["endpoint"], secret);
  expect(await refusalOf(emulator, url)).toBe(wrongPassword);
  expect(await query(emulator, renewed, "SELECT current_user")).toEqual([["tsdbadmin"]]);

  const logs = JSON.stringify(await ask(200, "GET", `${service}/logs`));
  expect(logs).toContain("password authentication failed");
  const processes = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  for (const text of [secret, password]) {
    for (const place of [logs, processes, JSON.stringify(emulator.requests())]) expect(place).not.toContain(text);
    expect(filesWith(emulator, text)).toEqual([]);
  }
});

test("a server that dies is UNSTABLE, then READY with its rows; an error of a statement is in the log", async () => {
  const warnings = watchWarnings();
  const { emulator, create, reach, ask, put, namesIn } = await openDatabases();
  const { id, path: service, url } = await create();
  const since = new Date().toISOString();
  await put(url, "first");
  expect(await refusalOf(emulator, url, "SELECT * FROM missing")).toBe("42P01");

  const [pid = 0] = serverPids(emulator);
  const statuses = new Set<unknown>();
  process.kill(pid, "SIGKILL");
  const seen = async (): Promise<unknown[]> => [...statuses.add((await ask(200, "GET", service))["status"])];
  await expect.poll(seen, { interval: 1, timeout: 20_000 }).toContain("UNSTABLE");
  await reach(id, "READY");
  expect(warnings()).toEqual([expect.stringMatching(`service ${id} .*"orders".* is UNSTABLE: .*started again`)]);
  expect(await namesIn(url)).toEqual(["first"]);

  const { entries } = (await ask(200, "GET", `${service}/logs?severities=ERROR&since=${since}`)) as {
    entries: { message: string; severity: string; timestamp: string }[];
  };
  expect(entries).toHaveLength(1);
  expect(entries[0]?.message).toMatch(/tsdbadmin@tsdb ERROR: relation "missing" does not exist.*\nSTATEMENT: SELECT/);
  expect(Date.parse(entries[0]?.timestamp ?? "")).toBeGreaterThanOrEqual(Date.parse(since) - 1);
});

test("a service that is paused, started and deleted by hand has its server with it", async () => {
  const { emulator, create, reach, call } = shared();
  const { id, path: service, url, shown } = await create();
  // What is done by hand shows at once, and the server follows.
  const soon = { interval: 20, timeout: 60_000 };
  emulator.mutate.service(id, { paused: true });
  await reach(id, "PAUSED");
  await expect.poll(() => refusalOf(emulator, url), soon).toBe(nobodyListens);
  emulator.mutate.service(id, { paused: false, password: "by-hand" });
  await reach(id, "READY");
  await expect.poll(() => refusalOf(emulator, urlOf(shown["endpoint"], "by-hand")), soon).toBe("connected");
  emulator.mutate.deleteService(id);
  expect((await call("GET", service)).status).toBe(404);
});

test("delete and close leave no process, port, folder or watchdog", async () => {
  const { emulator, create, call, services } = await openDatabases();
  const root = path.dirname(emulator.caFile ?? "");
  const { path: service, url } = await create();
  const { url: other } = await create({ name: "other" });
  expect((await call("DELETE", service)).status).toBe(202);
  await expect.poll(async () => (await call("GET", service)).status, { interval: 10 }).toBe(404);
  expect(await refusalOf(emulator, url)).toBe(nobodyListens);
  expect(serverPids(emulator)).toHaveLength(1);
  const folders = readdirSync(path.join(root, "servers")).filter((name) => name !== "base");
  expect(folders).toHaveLength(1);
  expect(readdirSync(path.join(root, "settings")).filter((name) => !name.startsWith("pg_"))).toHaveLength(1);
  expect(await refusalOf(emulator, other)).toBe("connected");
  expect((await call("GET", services)).json).toHaveLength(1);

  await emulator.close();
  expect(existsSync(root)).toBe(false);
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(root);
});

test("tsdbadmin has pg_stat_statements and creates the trusted extensions, in databases of its own too", async () => {
  const { emulator, create } = shared();
  const { shown, url, password } = await create();
  const trusted = [
    "pgcrypto",
    "citext",
    "hstore",
    "pg_trgm",
    "btree_gist",
    "unaccent",
    "uuid-ossp",
    "ltree",
    "intarray",
  ];
  const statements = ["pg_stat_statements", ...trusted].map((name) => `CREATE EXTENSION IF NOT EXISTS "${name}"`);
  const seen = `SELECT DISTINCT query FROM pg_stat_statements WHERE query LIKE 'SELECT % AS marked' OR query LIKE '%SCRAM-SHA%'`;
  await query(emulator, url, "CREATE DATABASE own");
  for (const database of [url, urlOf(shown["endpoint"], password, "own")])
    expect(await query(emulator, database, ...statements, "SELECT 1 AS marked", seen)).toEqual([
      ["SELECT $1 AS marked"],
    ]);
}, 60_000);

test("the log names extensions of addons that are missing", async () => {
  const { emulator, create, ask } = shared();
  const { path: service, url } = await create({ addons: ["ai"] });
  const available = await query(emulator, url, "SELECT name FROM pg_available_extensions WHERE name = 'vector'");
  const { logs } = (await ask(200, "GET", `${service}/logs?severities=WARNING`)) as { logs: string[] };
  const installed = await query(emulator, url, "SELECT extname FROM pg_extension WHERE extname = 'vector'");
  expect(installed).toEqual(available);
  expect(logs.some((line) => line.includes('"vector" is not installed on this machine'))).toBe(available.length === 0);
  await query(emulator, url, "CREATE EXTENSION citext");
});

test("more servers than the plan has are refused", async () => {
  const { emulator, create, change, call, services } = await openDatabases({ switches: { maxServers: 2 } });
  const { path: service } = await create();
  const set = { name: "r", nodes: 2, cpu_millis: 500, memory_gbs: 2 };
  await change(service, "replicaSets", set);
  const refused = [
    await call("POST", services, { name: "b" }),
    await call("POST", `${service}/replicaSets`, set),
    await call("POST", `${service}/forkService`, { fork_strategy: "NOW" }),
  ];
  for (const { status, text } of refused) expect([status, text]).toEqual([403, expect.stringContaining("plan limit")]);
  expect(serverPids(emulator)).toHaveLength(2);
});

test("the answer of a create has the address at which the service then listens", async () => {
  const { ask, services, reach } = shared();
  const names = ["one", "two", "three", "four"];
  const made = await Promise.all(names.map((name) => ask(202, "POST", services, { name })));
  for (const { service_id: id, endpoint } of made) {
    expect(endpoint).toEqual({ host: "127.0.0.1", port: expect.any(Number) as unknown });
    expect((await reach(String(id), "READY"))["endpoint"]).toEqual(endpoint);
  }
}, 60_000);

test("letters beyond ASCII have upper case, whatever the locale of the machine is", async () => {
  const { emulator, create } = shared();
  const { url } = await create();
  const { postgres } = emulator.state();
  const isNew = postgres.kind === "processes" && Number.parseInt(postgres.version, 10) >= 17;
  expect(await query(emulator, url, "SELECT upper('\u00e9')")).toEqual([[isNew ? "\u00c9" : "\u00e9"]]);
});
