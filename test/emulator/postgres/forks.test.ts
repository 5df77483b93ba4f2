// Forks have the rows of their moment: all that was committed by then, and nothing else.

import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Emulator } from "../../../emulator/index";
import { connect } from "../../support/postgres/client";
import { newFolder } from "../support/emulator";
import { openDatabases, query, refusalOf, urlOf, wrongPassword, useDatabases } from "./support";

const shared = useDatabases();

test("a fork of NOW has every row committed before the call, none that came after, and its own password", async () => {
  const databases = shared();
  const { emulator } = databases;
  const { path: service, url, password } = await databases.create();
  const writer = await connect(url, emulator.caFile ?? "");
  onTestFinished(() => writer.end());
  await writer.query("CREATE TABLE written (id int PRIMARY KEY)");
  let committed = 0;
  const stop = new AbortController();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      await writer.query("INSERT INTO written VALUES ($1)", [committed + 1]);
      committed += 1;
    }
  })();
  await expect.poll(() => committed).toBeGreaterThan(50);
  const before = committed;
  const made = await databases.ask(202, "POST", `${service}/forkService`, { fork_strategy: "NOW" });
  const answered = committed;
  const { endpoint } = await databases.reach(String(made["service_id"]), "READY");
  expect(committed).toBeGreaterThan(answered + 1);
  stop.abort();
  await writing;

  const forked = urlOf(endpoint, String(made["initial_password"]));
  const [[count, last] = []] = await query(emulator, forked, "SELECT count(*), max(id) FROM written");
  expect(count).toBe(last);
  expect(Number(last)).toBeGreaterThanOrEqual(before);
  // One row may be on its way while the call is answered.
  expect(Number(last)).toBeLessThanOrEqual(answered + 1);
  expect(await refusalOf(emulator, urlOf(endpoint, password))).toBe(wrongPassword);
  await query(emulator, forked, "INSERT INTO written VALUES (1000000)");
  expect(await query(emulator, url, "SELECT id FROM written WHERE id = 1000000")).toEqual([]);
});

test("a fork of a moment, of the last snapshot, of a paused parent, or of a fork has the rows of then", async () => {
  const { emulator, create, fork, put, namesIn, change } = shared();
  const { path: service, url } = await create();
  await put(url, "a");
  const soon = "SELECT date_trunc('milliseconds', clock_timestamp() + interval '2 ms')::text";
  const [[moment = ""] = []] = await query(emulator, url, soon);
  await query(emulator, url, "SELECT pg_sleep(0.01)");
  await put(url, "b");

  const earlier = await fork(service, { fork_strategy: "PITR", target_time: new Date(moment).toISOString() });
  expect(await namesIn(earlier.url)).toEqual(["a"]);
  const snapshot = await fork(service, { fork_strategy: "LAST_SNAPSHOT" });
  expect(await refusalOf(emulator, snapshot.url, "SELECT name FROM items")).toBe("42P01");

  await change(service, "stop");
  const paused = await fork(service);
  await put(paused.url, "c");
  expect(await namesIn(paused.url)).toEqual(["a", "b", "c"]);
  expect(await namesIn((await fork(paused.path)).url)).toEqual(["a", "b", "c"]);
});

test("a fork of a moment before the clock was advanced, or of the last snapshot, has the rows of then", async () => {
  const { emulator, create, fork, put, namesIn, ask, reach } = await openDatabases();
  const { id, path: service, url } = await create();
  await put(url, "a");
  const between = emulator.clock.now() + 1;
  emulator.clock.advance(90 * 60_000);
  await put(url, "b");
  const skipped = between + 60_000;
  for (const [at, rows] of [
    [between, ["a"]],
    [skipped, ["a"]],
    [emulator.clock.now(), ["a", "b"]],
  ] as const) {
    const forked = await fork(service, { fork_strategy: "PITR", target_time: new Date(at).toISOString() });
    expect(await namesIn(forked.url)).toEqual(rows);
  }
  expect(await namesIn((await fork(service, { fork_strategy: "LAST_SNAPSHOT" })).url)).toEqual(["a"]);

  emulator.restore(emulator.snapshot());
  await reach(id, "READY");
  const request = { fork_strategy: "PITR", target_time: new Date(between).toISOString() };
  const told = await ask(400, "POST", `${service}/forkService`, request);
  expect(told["message"]).toContain("nobody can tell what the databases had at");
});

/** More WAL than a base may have after it. */
const muchWal = "CREATE TABLE much AS SELECT repeat(md5(i::text), 10) AS text FROM generate_series(1, 150000) AS i";

const filesBelow = (emulator: Emulator, name: RegExp): string[] =>
  readdirSync(path.join(path.dirname(emulator.caFile ?? ""), "servers"), { recursive: true, encoding: "utf8" }).filter(
    (file) => name.test(file),
  );

test("the WAL before the window goes; forks and standbys are made of what is left, also after a restart", async () => {
  const options = { data: newFolder(), pitrWindowMs: 1_500 };
  const first = await openDatabases(options);
  const { emulator, create, put, ask, namesIn, fork, change } = first;
  const { path: service, url } = await create();
  await put(url, "a");
  const before = new Date().toISOString();
  await query(emulator, url, muchWal, "DROP TABLE much");
  const soon = { timeout: 60_000, interval: 50 };
  await expect.poll(() => filesBelow(emulator, /[.]bases.trimmed$/), soon).toHaveLength(1);
  const oldest = /^[0-9a-f]{12}.pg_wal.0000000100000000000000[01][0-9A-F]$/;
  await expect.poll(() => filesBelow(emulator, oldest), soon).toEqual([]);
  await put(url, "b");
  const told = await ask(400, "POST", `${service}/forkService`, { fork_strategy: "PITR", target_time: before });
  expect(told["message"]).toContain("is further back than --pitr-window");
  const forked = await fork(service);
  expect(await namesIn(forked.url)).toEqual(["a", "b"]);
  expect(await namesIn((await fork(forked.path)).url)).toEqual(["a", "b"]);
  await change(service, "setHA", { replica_count: 1, sync_replica_count: 1 });
  await put(url, "c");
  await emulator.close();

  const second = await openDatabases(options);
  expect(await second.namesIn((await second.fork(service)).url)).toEqual(["a", "b", "c"]);
  await second.ask(202, "DELETE", service);
  await expect.poll(() => filesBelow(second.emulator, /[.]bases$/), soon).toHaveLength(3);
});

test("a fork of a moment between two bases has the rows of then", async () => {
  const { emulator, create, put, fork, namesIn } = await openDatabases({ pitrWindowMs: 400_000 });
  const { path: service, url } = await create();
  const moments: string[] = [];
  for (const [index, name] of ["a", "b"].entries()) {
    await put(url, name);
    await query(emulator, url, "SELECT pg_sleep(0.01)");
    moments.push(new Date().toISOString());
    await query(emulator, url, muchWal, "DROP TABLE much");
    await expect
      .poll(() => filesBelow(emulator, /[.]bases.\d+-[0-9A-F]{24}$/).length, { timeout: 60_000 })
      .toBeGreaterThan(index);
  }
  await put(url, "c");
  for (const [index, target_time] of moments.entries()) {
    const forked = await fork(service, { fork_strategy: "PITR", target_time });
    expect(await namesIn(forked.url)).toEqual(["a", "b"].slice(0, index + 1));
  }
  expect(await namesIn((await fork(service)).url)).toEqual(["a", "b", "c"]);
});
