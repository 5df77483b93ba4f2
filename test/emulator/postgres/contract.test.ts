// What users of the API see is the same, whatever stands behind a service: the clock alone, or real servers.

import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type PostgresOption } from "../../../emulator/index";
import { httpClientFor, pathsOf, type Json } from "../support/httpClient";
import { postgres } from "./support";

const implementations: [string, PostgresOption][] = [
  ["the clock", "off"],
  ["real servers", postgres],
];

async function open(option: PostgresOption) {
  const emulator = await createEmulator({ postgres: option, timings: { queued: 60, create: 200 } });
  onTestFinished(() => emulator.close());
  const paths = pathsOf(emulator);
  const client = httpClientFor(emulator);
  /** The status words that a reader sees until the last of them, each once. */
  const watch = async (id: string, last: string): Promise<{ words: unknown[]; shown: Json }> => {
    const words: unknown[] = [];
    let shown: Json = {};
    await expect
      .poll(
        async () => {
          const { json } = await client.call("GET", `${paths.services}/${id}`);
          shown = json as Json;
          const word = shown["status"] ?? "404";
          if (words.at(-1) !== word) words.push(word);
          return word;
        },
        { interval: 2, timeout: 60_000 },
      )
      .toBe(last);
    return { words, shown };
  };
  return { emulator, ...client, services: paths.services, vpcs: paths.vpcs, watch };
}

test.each(implementations)("%s: statuses, addresses and refusals of a life", async (_name, option) => {
  const { emulator, ask, call, services, vpcs, watch } = await open(option);
  expect(emulator.state().postgres.kind).toBe(option === "off" ? "off" : "processes");
  const made = await ask(202, "POST", services, { name: "orders", cpu_millis: "500", memory_gbs: "2" });
  const id = String(made["service_id"]);
  const service = `${services}/${id}`;
  expect((await call("POST", `${service}/resize`, { cpu_millis: "1000", memory_gbs: "4" })).status).toBe(409);
  const { words, shown } = await watch(id, "READY");
  expect(["QUEUED", "CONFIGURING", "READY"]).toEqual(expect.arrayContaining(words));
  expect(shown).toMatchObject({ endpoint: { host: expect.any(String) as string, port: expect.any(Number) as number } });
  expect(shown).not.toHaveProperty("initial_password");

  const changes: [operation: string, body: Json | undefined, status: number, passing: string, last: string][] = [
    ["resize", { cpu_millis: "1000", memory_gbs: "4" }, 202, "UPGRADING", "READY"],
    ["setHA", { replica_count: 1, sync_replica_count: 1 }, 202, "UPGRADING", "READY"],
    ["enablePooler", undefined, 200, "UPGRADING", "READY"],
    ["stop", undefined, 202, "PAUSING", "PAUSED"],
    ["start", undefined, 202, "RESUMING", "READY"],
  ];
  for (const [operation, body, status, passing, last] of changes) {
    const answer = await ask(status, "POST", `${service}/${operation}`, body);
    // The answers of the pooler's calls are messages.
    expect(["connection pooler enabled", passing]).toContain(answer["message"] ?? answer["status"]);
    const seen = await watch(id, last);
    expect([passing, last]).toEqual(expect.arrayContaining(seen.words));
  }
  const pooled = (await ask(200, "GET", service)) as { endpoint: Json; connection_pooler: { endpoint: Json } };
  expect(pooled.connection_pooler.endpoint["host"]).toBe(pooled.endpoint["host"]);
  expect(pooled.connection_pooler.endpoint["port"]).not.toBe(pooled.endpoint["port"]);

  const vpc = await ask(201, "POST", vpcs, { name: "v", cidr: "10.0.0.0/16", region_code: "us-east-1" });
  await ask(202, "POST", `${service}/attachToVPC`, { vpc_id: vpc["id"] });
  const inside = await watch(id, "READY");
  expect(inside.shown).not.toHaveProperty("endpoint");
  expect(inside.shown["vpc_endpoint"]).not.toMatchObject(pooled.endpoint);

  expect((await call("DELETE", service)).status).toBe(202);
  expect(["DELETING", "404"]).toEqual(expect.arrayContaining((await watch(id, "404")).words));
  expect(emulator.state().services).toEqual([]);
});

test.each(implementations)("%s: made, changed and deleted by hand", async (_name, option) => {
  const { emulator, watch, call, services } = await open(option);
  const { id } = emulator.mutate.createService({ name: "by hand" });
  await watch(id, "READY");
  emulator.mutate.service(id, { paused: true });
  await watch(id, "PAUSED");
  emulator.mutate.service(id, { paused: false, password: "by-hand" });
  await watch(id, "READY");
  emulator.mutate.deleteService(id);
  expect((await call("GET", `${services}/${id}`)).status).toBe(404);
});

test.each(implementations)("%s: reset takes everything out, and what comes after it works", async (_name, option) => {
  const { emulator, ask, watch, services } = await open(option);
  const create = async (): Promise<string> =>
    String((await ask(202, "POST", services, { name: "orders" }))["service_id"]);
  await watch(await create(), "READY");
  emulator.reset();
  expect(emulator.state().services).toEqual([]);
  await watch(await create(), "READY");
});

test("a given folder without PostgreSQL is an error that names the folder", async () => {
  await expect(createEmulator({ postgres: { bin: "/nowhere" } })).rejects.toThrow(
    "/nowhere has no postgres and initdb",
  );
});
