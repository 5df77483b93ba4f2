// Forks have the rows of their moment: all that was committed by then, and nothing else.

import { expect, onTestFinished, test } from "vitest";
import { connect } from "../../support/postgres/client";
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
