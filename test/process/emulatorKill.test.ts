// An emulator that is killed leaves no server behind, whatever it was doing: its watchdog ends them, and where the
// watchdog was killed too, the next emulator does.

import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { urlOf } from "../emulator/postgres/support";
import { httpClientFor } from "../emulator/support/httpClient";
import { temporaryFolder } from "../support/folder";
import { query } from "../support/postgres/client";
import { repeats } from "../support/repeats";
import { killed, processesOf, serversOf, servicesOf, startEmulator, type Running } from "./emulatorProcess";

function postCreates(started: Running, count: number): Promise<unknown>[] {
  const { call } = httpClientFor(started);
  const names = Array.from({ length: count }, (_, index) => `service ${index}`);
  return names.map((name) => call("POST", servicesOf(started), { name }).catch(() => undefined));
}

const MOMENTS = repeats(2, 20);
const SPAN_MS = 500;

const limit = { interval: 10, timeout: 30_000 };

test.runIf(process.platform === "linux")(
  `killed at ${MOMENTS} moments of 20 creates: no server, watchdog or folder is left`,
  async ({ annotate }) => {
    const endedAfterMs: number[] = [];
    for (let moment = 0; moment < MOMENTS; moment += 1) {
      const started = await startEmulator();
      const answers = postCreates(started, 20);
      await wait((moment * SPAN_MS) / MOMENTS);
      started.child.kill("SIGKILL");
      const killedAt = performance.now();
      await expect.poll(() => serversOf(started.root), limit).toEqual([]);
      endedAfterMs.push(Math.round(performance.now() - killedAt));
      await Promise.all(answers);
      await expect.poll(() => processesOf(started.root), limit).toEqual([]);
      expect(existsSync(started.root)).toBe(false);
    }
    await annotate(`milliseconds from the kill to the end of the last server: ${endedAfterMs.join(", ")}`);
  },
);

test.runIf(process.platform === "linux")("the next start ends what a killed watchdog has left", async () => {
  const first = await startEmulator();
  await Promise.all(postCreates(first, 1));
  const servers = (): string[] => readdirSync(path.join(first.root, "servers"), { recursive: true }).map(String);
  await expect.poll(() => servers().some((name) => name.endsWith("postmaster.pid")), limit).toBe(true);
  const watchdog = processesOf(first.root).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("watchdog"),
  );
  process.kill(watchdog ?? 0, "SIGKILL");
  await killed(first);
  expect(processesOf(first.root).length).toBeGreaterThan(0);

  const second = await startEmulator();
  await expect.poll(() => processesOf(first.root), limit).toEqual([]);
  expect(existsSync(first.root)).toBe(false);
  await Promise.all(postCreates(second, 1));
  const { askList } = httpClientFor(second);
  const statuses = async (): Promise<unknown[]> => (await askList(servicesOf(second))).map(({ status }) => status);
  await expect.poll(statuses, limit).toEqual(["READY"]);
});

test.runIf(process.platform === "linux")(
  "killed with data: its servers end, and no process of somebody else who works in the folder",
  async () => {
    const data = newData();
    const started = await startEmulator(["--data", data]);
    await Promise.all(postCreates(started, 1));
    await expect.poll(() => serversOf(data).length, limit).toBeGreaterThan(0);
    const servers = path.join(data, "postgres", "servers");
    const places = [data, servers, path.join(servers, readdirSync(servers)[0] ?? "")];
    const others = places.map((cwd) => spawn("sleep", ["600"], { cwd, stdio: "ignore" }));
    onTestFinished(() => others.forEach((child) => child.kill("SIGKILL")));
    await killed(started);
    await expect.poll(() => serversOf(data), limit).toEqual([]);
    // The watchdog is still at work, and would go on to the others by now.
    await wait(1_000);
    expect(others.map(({ exitCode, signalCode }) => [exitCode, signalCode])).toEqual(places.map(() => [null, null]));
  },
);

/** Servers that root starts run as another account, which has to reach it. */
function newData(): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o711);
  return path.join(folder, "world");
}

const lives = repeats(3, 6);

/** What was answered and committed before a kill. */
interface Written {
  readonly services: Set<string>;
  readonly rows: number[];
}

test.runIf(process.platform === "linux")(
  `with data, killed ${lives} times while it works: every answered service and every committed row is there, once`,
  async () => {
    const data = newData();
    const written: Written = { services: new Set(), rows: [] };
    const url = await firstLife(data);
    for (let life = 0; life < lives; life += 1) {
      // At once: the watchdog of the one before may still be at work.
      const started = await startEmulator(["--data", data]);
      expect(await missing(started, url, written)).toEqual({ rows: [], services: [], twice: [] });
      const work = writeAll(started, url, life, written);
      const enough = written.rows.length + 2 + 7 * life;
      await expect.poll(() => written.rows.length, { ...limit, interval: 1 }).toBeGreaterThan(enough);
      await killed(started);
      await work;
    }
    const last = await startEmulator(["--data", data]);
    expect(await missing(last, url, written)).toEqual({ rows: [], services: [], twice: [] });
    const { askList } = httpClientFor(last);
    const statuses = async (): Promise<unknown[]> =>
      (await askList(servicesOf(last))).map(({ status }) => status).filter((word) => word !== "READY");
    await expect.poll(statuses, limit).toEqual([]);
    await killed(last);
    await expect.poll(() => processesOf(last.root), limit).toEqual([]);
  },
);

/** Makes a service with a table, and gives its URL. */
async function firstLife(data: string): Promise<string> {
  const started = await startEmulator(["--data", data]);
  const { ask } = httpClientFor(started);
  const made = await ask(202, "POST", servicesOf(started), { name: "orders" });
  const service = `${servicesOf(started)}/${String(made["service_id"])}`;
  await expect.poll(async () => (await ask(200, "GET", service))["status"], limit).toBe("READY");
  const url = urlOf((await ask(200, "GET", service))["endpoint"], String(made["initial_password"]));
  await query(url, path.join(started.root, "ca.pem"), "CREATE TABLE items (n int)");
  await killed(started);
  return url;
}

async function missing(started: Running, url: string, written: Written): Promise<unknown> {
  const rows = await query(url, path.join(started.root, "ca.pem"), "SELECT n FROM items");
  const found = new Set(rows.map(([n]) => Number(n)));
  const list = await httpClientFor(started).askList(servicesOf(started));
  const [ids, names] = [list.map(({ service_id: id }) => id), list.map(({ name }) => name)];
  return {
    rows: written.rows.filter((n) => !found.has(n)),
    services: [...written.services].filter((id) => !ids.includes(id)),
    twice: names.filter((name, index) => names.indexOf(name) !== index),
  };
}

/** Two services, and rows until the server is gone. */
async function writeAll(started: Running, url: string, life: number, { services, rows }: Written): Promise<void> {
  const { ask } = httpClientFor(started);
  const creates = [1, 2].map(async (one) => {
    const made = await ask(202, "POST", servicesOf(started), { name: `service ${life} ${one}` });
    services.add(String(made["service_id"]));
  });
  await Promise.allSettled([...creates, writeRows(url, path.join(started.root, "ca.pem"), life * 1_000, rows)]);
}

/** One after the other, until the server is gone. */
async function writeRows(url: string, caFile: string, from: number, committed: number[]): Promise<void> {
  const client = new Client({ connectionString: url, ssl: { ca: readFileSync(caFile, "utf8") } });
  client.on("error", () => undefined);
  try {
    await client.connect();
    for (let n = from; ; n += 1) {
      await client.query(`INSERT INTO items VALUES (${n})`);
      committed.push(n);
    }
  } catch {
    await client.end().catch(() => undefined);
  }
}
