// Forks have the rows of their moment: all that was committed by then, and nothing else.

import { expect, test } from "vitest";
import { connect, openDatabases, query, refusalOf, urlOf, wrongPassword, type Databases } from "./support";

/** The URL of a new fork, once it is READY. */
async function fork({ ask, reach }: Databases, service: string, request: object): Promise<string> {
  const made = await ask(202, "POST", `${service}/forkService`, request);
  const { endpoint } = await reach(String(made["service_id"]), "READY");
  return urlOf(endpoint, String(made["initial_password"]));
}

test("NOW under a writer: every row committed before the call, none that came after; its own password", async () => {
  const databases = await openDatabases();
  const { emulator } = databases;
  const { path: service, url, password } = await databases.create();
  const writer = await connect(emulator, url);
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

test("a moment, the last snapshot, a paused parent, and a fork of a fork", async () => {
  const databases = await openDatabases();
  const { emulator, reach, ask } = databases;
  const { id, path: service, url } = await databases.create();
  const names = "SELECT string_agg(name, ' ' ORDER BY name) FROM items";
  await query(emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('a')");
  const [[moment = ""] = []] = await query(
    emulator,
    url,
    "SELECT date_trunc('milliseconds', clock_timestamp() + interval '2 ms')::text",
  );
  await query(emulator, url, "SELECT pg_sleep(0.01)", "INSERT INTO items VALUES ('b')");

  const targetTime = new Date(moment).toISOString();
  const earlier = await fork(databases, service, { fork_strategy: "PITR", target_time: targetTime });
  expect(await query(emulator, earlier, names)).toEqual([["a"]]);
  const snapshot = await fork(databases, service, { fork_strategy: "LAST_SNAPSHOT" });
  expect(await refusalOf(emulator, snapshot, names)).toBe("42P01");

  await ask(202, "POST", `${service}/stop`);
  await reach(id, "PAUSED");
  const paused = await fork(databases, service, { fork_strategy: "NOW" });
  expect(await query(emulator, paused, "INSERT INTO items VALUES ('c')", names)).toEqual([["a b c"]]);

  const forks = emulator.state().services.filter(({ forkedFrom }) => forkedFrom?.serviceId === id);
  const last = forks.at(-1)?.id ?? "";
  const grandchild = await fork(databases, `${databases.services}/${last}`, { fork_strategy: "NOW" });
  expect(await query(emulator, grandchild, names)).toEqual([["a b c"]]);
});

test("a parent that is deleted at once still gives its rows", async () => {
  const databases = await openDatabases();
  const { emulator, call, ask, reach } = databases;
  const { path: service, url } = await databases.create();
  await query(emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('a')");
  const made = await ask(202, "POST", `${service}/forkService`, { fork_strategy: "NOW" });
  expect((await call("DELETE", service)).status).toBe(202);
  const { endpoint } = await reach(String(made["service_id"]), "READY");
  const forked = urlOf(endpoint, String(made["initial_password"]));
  expect(await query(emulator, forked, "SELECT name FROM items")).toEqual([["a"]]);
});
