// The answer of a create: clients store the initial password under the address in it.

import { expect, test } from "vitest";
import { openDatabases } from "./support";

test("the answer of a create has the address at which the service then listens", async () => {
  const { ask, services, reach } = await openDatabases();
  const names = ["one", "two", "three", "four"];
  const made = await Promise.all(names.map((name) => ask(202, "POST", services, { name })));
  for (const { service_id: id, endpoint } of made) {
    expect(endpoint).toEqual({ host: "127.0.0.1", port: expect.any(Number) as unknown });
    const { endpoint: later } = await reach(String(id), "READY");
    expect(later).toEqual(endpoint);
  }
}, 60_000);
