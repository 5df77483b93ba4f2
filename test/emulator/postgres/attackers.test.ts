// What another user of this machine and a tenant with a password try: to become the superuser, and so the account that
// the servers run as.

import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { Json } from "../support/httpClient";
import { openDatabases, query, refusalOf, urlOf, type Address, type Databases, useDatabases } from "./support";

const shared = useDatabases();

const refused: unknown = expect.stringMatching(/^(28000|28P01)$/);

interface Endpoints {
  endpoint: Address;
  connection_pooler: { endpoint: Address };
  read_replica_sets: { endpoint: Address; connection_pooler?: { endpoint: Address } }[];
}

/** A service with every kind of address: its own, its pooler, a set, and the pooler of that. */
async function openEverything(databases: Databases) {
  const { call, create, reach } = databases;
  const { id, path, password } = await create();
  // One change at a time.
  const post = async (what: string, fields?: object): Promise<Json> => {
    let answer = await call("POST", `${path}/${what}`, fields);
    for (; answer.status === 409; answer = await call("POST", `${path}/${what}`, fields)) await wait(20);
    return answer.json as Json;
  };
  await post("enablePooler");
  const made = await post("replicaSets", { name: "set", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  await post(`replicaSets/${String(made["id"])}/enablePooler`);
  let addresses: (Address | undefined)[] = [];
  const known = async (): Promise<number> => {
    const shown = (await reach(id, "READY")) as Json & Endpoints;
    const owners = [shown, ...shown.read_replica_sets];
    addresses = owners.flatMap((one) => [one.endpoint, one.connection_pooler?.endpoint]);
    return addresses.filter(Boolean).length;
  };
  await expect.poll(known, { timeout: 30_000 }).toBe(4);
  return { password, addresses: addresses.flatMap((address) => address ?? []) };
}

interface Login {
  readonly user: string;
  readonly password?: string;
  readonly replication?: string;
}

/** What a client without the password of the superuser is told, by a code. */
async function login(databases: Databases, { host, port }: Address, how: Login): Promise<string> {
  const ca = readFileSync(databases.emulator.caFile ?? "", "utf8");
  const client = new Client({ host, port, database: "tsdb", ssl: { ca }, ...how });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("IDENTIFY_SYSTEM").catch(() => client.query("COPY pg_am TO PROGRAM 'id'"));
    return "accepted";
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  } finally {
    await client.end();
  }
}

test("no address lets the superuser or a replication in; each lets the tenant in with its password alone", async () => {
  const databases = await openDatabases();
  const { addresses, password } = await openEverything(databases);
  for (const address of addresses) {
    const attempts: Login[] = [
      { user: "postgres" },
      { user: "postgres", password },
      { user: "postgres", password: "postgres" },
      { user: "postgres", replication: "true" },
      { user: "postgres", replication: "database" },
      { user: "tsdbadmin", password, replication: "true" },
      { user: "tsdbadmin", password: "tsdbadmin" },
      { user: "nobody", password: "nobody" },
      { user: "root", password: "root" },
    ];
    for (const attempt of attempts) {
      const told = await login(databases, address, attempt);
      expect([attempt, address, told]).toEqual([attempt, address, refused]);
    }
    const url = urlOf(address, password);
    expect(await query(databases.emulator, url, "SELECT current_user")).toEqual([["tsdbadmin"]]);
  }
});

const notAllowed = "42501";

test("a tenant gives itself no command, no server file and no superuser", async () => {
  const { emulator, create } = shared();
  const { url } = await create();
  const statements = [
    "GRANT pg_execute_server_program TO tsdbadmin",
    "GRANT pg_read_server_files TO tsdbadmin",
    "GRANT pg_write_server_files TO tsdbadmin",
    "CREATE ROLE other SUPERUSER",
    "CREATE ROLE other REPLICATION",
    "ALTER ROLE tsdbadmin SUPERUSER",
    "ALTER ROLE postgres PASSWORD 'known'",
    "GRANT postgres TO tsdbadmin",
    "ALTER SYSTEM SET archive_command = 'id'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "CREATE TABLESPACE elsewhere LOCATION '/tmp'",
    "CREATE FUNCTION f() RETURNS int LANGUAGE c AS '/tmp/library'",
    "ALTER DATABASE tsdb SET session_preload_libraries = '/tmp/library'",
  ];
  for (const statement of statements)
    expect([statement, await refusalOf(emulator, url, statement)]).toEqual([statement, notAllowed]);
});

/** Whoever calls it as a superuser makes the tenant one. */
const trap = `
  CREATE FUNCTION trap.spring() RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
      ALTER ROLE tsdbadmin SUPERUSER;
    END IF;
    RETURN '0/0';
  END $$`;

test("a tenant's search path decides nothing that the emulator asks as the superuser", async () => {
  const { emulator, create, change } = shared();
  const { path, url, password } = await create();
  await query(
    emulator,
    url,
    "CREATE SCHEMA trap",
    trap,
    "CREATE FUNCTION trap.pg_current_wal_lsn() RETURNS pg_lsn LANGUAGE sql AS 'SELECT trap.spring()::pg_lsn'",
    "CREATE VIEW trap.pg_shadow AS SELECT 'tsdbadmin'::name AS usename, trap.spring() AS passwd",
    "ALTER DATABASE tsdb SET search_path = trap, pg_catalog",
  );
  await change(path, "enablePooler");
  const shown = await change(path, "replicaSets", { name: "one", nodes: 1, cpu_millis: 500, memory_gbs: 2 });
  const { connection_pooler: pooler } = shown as Json & Endpoints;
  expect(await query(emulator, urlOf(pooler.endpoint, password), "SELECT 1")).toEqual([["1"]]);
  expect(await query(emulator, url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")).toEqual([["false"]]);
});
