// Standbys, replica sets, poolers and VPCs: what stands beside a server, by real clients.

import { expect, test } from "vitest";
import type { Json } from "../support/httpClient";
import { nobodyListens, query, readOnly, refusalOf, urlOf, wrongPassword, useDatabases } from "./support";

const shared = useDatabases();

const node = { cpu_millis: 500, memory_gbs: 2 };

const endpointsOf = (shown: Json): unknown[] => (shown["read_replica_sets"] as Json[]).map((set) => set["endpoint"]);

test("replica sets and poolers get rows, refuse writes, have one password, and move together", async () => {
  const { emulator, create, reach, change, call, vpc } = shared();
  const { id, path: service, url, password } = await create();
  await query(emulator, url, "CREATE TABLE items (name text)", "INSERT INTO items VALUES ('before')");
  await change(service, "replicaSets", { ...node, name: "one", nodes: 1 });
  await change(service, "replicaSets", { ...node, name: "two", nodes: 2 });
  const shown = await change(service, "enablePooler");
  const pooler = (shown["connection_pooler"] as Json)["endpoint"];
  const urls = [...endpointsOf(shown), pooler].map((address) => urlOf(address, password));
  const [single = "", many = "", pooled = ""] = urls;

  await query(emulator, url, "INSERT INTO items VALUES ('after')");
  const count = "SELECT count(*)::int FROM items";
  for (const replica of [single, many, many]) await expect.poll(() => query(emulator, replica, count)).toEqual([["2"]]);
  for (const replica of [single, many]) expect(await refusalOf(emulator, replica, "CREATE TABLE x ()")).toBe(readOnly);
  expect(await query(emulator, pooled, "INSERT INTO items VALUES ('pooled')", count)).toEqual([["3"]]);

  expect((await call("POST", `${service}/updatePassword`, { password: "another one" })).status).toBe(204);
  for (const place of [url, ...urls]) {
    expect(await refusalOf(emulator, place)).toBe(wrongPassword);
    expect(await refusalOf(emulator, place.replace(password, "another one"))).toBe("connected");
  }

  const moved = await change(service, "attachToVPC", { vpc_id: await vpc() });
  for (const place of [url, ...urls]) expect(await refusalOf(emulator, place)).toBe(nobodyListens);
  const addresses = [moved["vpc_endpoint"], ...endpointsOf(moved), (moved["connection_pooler"] as Json)["endpoint"]];
  for (const address of addresses) expect(await query(emulator, urlOf(address, "another one"), count)).toEqual([["3"]]);

  await call("DELETE", `${service}/replicaSets/${String((moved["read_replica_sets"] as Json[])[1]?.["id"])}`);
  expect(endpointsOf(await reach(id, "READY"))).toHaveLength(1);
  expect(await refusalOf(emulator, urlOf(addresses[2], "another one"))).toBe(nobodyListens);
});

test("a resize restarts the server with what its size says", async () => {
  const { emulator, create, change } = shared();
  const { path: service, url } = await create();
  const [[before] = []] = await query(emulator, url, "SHOW max_connections");
  await change(service, "resize", { cpu_millis: "1000", memory_gbs: "4" });
  const [[after] = []] = await query(emulator, url, "SHOW max_connections");
  expect(Number(after)).toBeGreaterThan(Number(before));
});
