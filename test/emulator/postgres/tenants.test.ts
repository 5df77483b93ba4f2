// What a tenant does to its own database, and what a neighbour without a password does, must not break the service.

import { readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { sql } from "../../../emulator/databases/server/sql";
import {
  openDatabases,
  query,
  refusalOf,
  urlOf,
  wrongPassword,
  type Address,
  type Databases,
  useDatabases,
} from "./support";

const shared = useDatabases();

const resized = { cpu_millis: "1000", memory_gbs: "4" };

/** In a database of the tenant's own, from where it can change the other one. */
async function elsewhere({ emulator }: Databases, url: string, ...statements: string[]): Promise<void> {
  await query(emulator, url, "CREATE DATABASE mine");
  await query(emulator, url.replace(/tsdb$/, "mine"), ...statements);
}

const settings = {
  default_transaction_read_only: "on",
  statement_timeout: "1",
  role: "pg_monitor",
  local_preload_libraries: "'none'",
};

test.each([
  ["drops", ["DROP DATABASE tsdb WITH (FORCE)"]],
  ["renames", ["ALTER DATABASE tsdb RENAME TO other"]],
  ["sets", Object.entries(settings).map(([name, value]) => `ALTER DATABASE tsdb SET ${name} = ${value}`)],
])(
  "a service whose tenant %s the database is resized, stopped, started, forked, gets a password",
  async (_, statements) => {
    const databases = shared();
    const { emulator, create, change, fork, ask } = databases;
    const { path: service, url, id } = await create();
    await elsewhere(databases, url, ...statements);
    await change(service, "resize", resized);
    await ask(204, "POST", `${service}/updatePassword`, { password: "another-password" });
    await change(service, "stop");
    const { endpoint } = await change(service, "start");
    await fork(service);
    expect(await query(emulator, urlOf(endpoint, "another-password", "mine"), "SELECT 1")).toEqual([["1"]]);
    const { logs } = (await ask(200, "GET", `${service}/logs`)) as { logs: string[] };
    const isGone = statements.length === 1;
    expect(logs.some((line) => line.includes('the database "tsdb" is gone'))).toBe(isGone);
    expect(emulator.state().services.find((one) => one.id === id)).toMatchObject({ status: "READY" });
  },
);

test("a password that the server cannot take is refused, and the old one holds", async () => {
  const { emulator, create, ask } = await openDatabases();
  const { path: service, url, password, shown } = await create();
  const sockets = path.join(path.dirname(emulator.caFile ?? ""), "sockets");
  for (const name of readdirSync(sockets)) rmSync(path.join(sockets, name), { recursive: true });
  const refused = await ask(503, "POST", `${service}/updatePassword`, { password: "another-password" });
  expect(refused).toMatchObject({ code: "NOT_CARRIED_OUT", message: expect.stringContaining("ENOENT") as string });
  expect(emulator.state().services).toMatchObject([{ password }]);
  expect(await query(emulator, url, "SELECT 1")).toEqual([["1"]]);
  expect(await refusalOf(emulator, urlOf(shown["endpoint"], "another-password"))).toBe(wrongPassword);
});

test("a statement of the emulator, which may hold a password, shows in no log and in no view of the server", async () => {
  const { emulator, create, ask } = await openDatabases();
  const { path: service } = await create();
  const sockets = path.join(path.dirname(emulator.caFile ?? ""), "sockets");
  const [file = ""] = readdirSync(sockets, { recursive: true }).filter((name) => /PGSQL\.\d+$/.test(String(name)));
  const own = { socket: path.join(sockets, String(file)), database: "template1" };
  await expect(sql(own, "ALTER ROLE nobody PASSWORD 'a-new-one'")).rejects.toThrow('role "nobody" does not exist');
  const logs = async (): Promise<string> => JSON.stringify((await ask(200, "GET", `${service}/logs`))["logs"]);
  await expect.poll(logs).toContain("nobody");
  expect(await logs()).not.toContain("a-new-one");
  expect(await sql(own, "SELECT query FROM pg_stat_activity WHERE pid = pg_backend_pid()")).toEqual([[""]]);
});

/** A start-up packet of this user over TLS; it never answers the question for the password. */
async function knock({ host, port }: Address, user: string): Promise<TLSSocket> {
  const plain = connect(port, host);
  await new Promise((resolve) => plain.once("connect", resolve));
  plain.write(Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]));
  await new Promise((resolve) => plain.once("data", resolve));
  const socket = connectTls({ socket: plain, rejectUnauthorized: false });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const text = Buffer.from(`user\0${user}\0database\0tsdb\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(text.length + 8, 0);
  head.writeInt32BE(3 << 16, 4);
  socket.write(Buffer.concat([head, text]));
  await new Promise((resolve) => socket.once("data", resolve).once("close", resolve));
  return socket;
}

test("a neighbour who never answers the question for the password locks out neither the owner nor the emulator", async () => {
  const { emulator, create, change } = shared();
  const { path: service, url, shown } = await create();
  await Promise.all(Array.from({ length: 80 }, () => knock(shown["endpoint"] as Address, "tsdbadmin")));
  expect(await query(emulator, url, "SELECT 1")).toEqual([["1"]]);
  await change(service, "enablePooler");
});

test("a user's name writes no entry of its own into the log, and no other severity", async () => {
  const { create, ask } = shared();
  const { path: service, shown } = await create();
  const forged = "2026-01-01 00:00:00.000 UTC [1] PANIC:  forged";
  // A message that is no answer ends the session, and the server tells its log of it.
  const noAnswer = Buffer.from([0x70, 0, 0, 0, 6, 0x78, 0]);
  for (const user of [`x\n${forged}\u001b[31m`, "x@y PANIC:  forged"])
    (await knock(shown["endpoint"] as Address, user)).write(noAnswer);
  type Logs = { logs: string[]; entries: { severity: string; message: string }[] };
  const said = async (): Promise<Logs["entries"]> =>
    ((await ask(200, "GET", `${service}/logs`)) as object as Logs).entries.filter(({ message }) =>
      message.includes("forged"),
    );
  await expect.poll(async () => (await said()).length, { timeout: 15_000 }).toBeGreaterThan(1);
  for (const { severity, message } of await said()) {
    expect(severity).toMatch(/FATAL|LOG/);
    expect(message).toMatch(/^\[\d+\] x/);
    expect(message).not.toContain("\u001b");
  }
});
