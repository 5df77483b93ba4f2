// Host and port as plain outputs: in step with the objects that they are taken from, in every write of the state.

import { expect, test } from "vitest";
import { plainAddresses } from "../../provider/domain/endpoint";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { fault, NET, refreshed, setOf, useWorld, world } from "./scene";

useWorld();

const KEYS = ["host", "port", "poolerHost", "poolerPort"];
const WITHOUT_POOLER = ["host", "port"];

/** The plain addresses, which are those of the objects of the same state. */
function plain({ outputs }: Kept, keys = KEYS): Values {
  const { endpoint, vpcEndpoint, connectionPooler } = outputs as Record<string, Values | undefined>;
  const pooler = connectionPooler?.["endpoint"] as Values | undefined;
  const shown = { ...(endpoint ?? vpcEndpoint), poolerHost: pooler?.["host"], poolerPort: pooler?.["port"] };
  const found = Object.fromEntries(KEYS.filter((key) => key in outputs).map((key) => [key, outputs[key]]));
  expect(Object.keys(found)).toEqual(keys);
  expect(shown).toMatchObject(found);
  return found;
}

test("a service's follow its create, moves, refreshes, pooler, and an update that was cut short", async () => {
  const net = await world.vpc.create(NET);
  const on = { name: "orders", poolerEnabled: true };
  const made = await world.service.create({ name: "orders" });
  plain(made, WITHOUT_POOLER);
  const pooled = await world.service.update(made, on);
  const moved = await world.service.update(pooled, { ...on, vpcId: net.id });
  expect(plain(moved)["host"]).not.toBe(plain(pooled)["host"]);
  const saved = await world.service.update(moved, { ...on, vpcId: net.id, onMissing: "error" });
  expect(plain(saved)).toEqual(plain(moved));
  fault({ kind: "status", status: 400, operation: "detachFromVPC", times: 1 });
  const args = { name: "orders", poolerEnabled: false, environment: "PROD" };
  const half = await world.service.update(saved, args);
  expect(half.failed).toBeDefined();
  plain(half);
  const off = await world.service.update(half, args);
  world.emulator.mutate.service(off.id, { vpcId: net.id });
  const seen = await refreshed(off);
  expect(plain(seen, WITHOUT_POOLER)["host"]).not.toBe(plain(off, WITHOUT_POOLER)["host"]);
});

test("a service's connection strings carry its password, and are absent where nothing can know it", async () => {
  const made = await world.service.create({ name: "orders", poolerEnabled: true });
  const { host, port, poolerHost, poolerPort, initialPassword } = made.outputs;
  const uri = (password: unknown, at: unknown, on: unknown): string =>
    `postgresql://tsdbadmin:${encodeURIComponent(String(password))}@${String(at)}:${String(on)}/tsdb?sslmode=require`;
  expect(made.outputs).toMatchObject({
    connectionUri: uri(initialPassword, host, port),
    poolerConnectionUri: uri(initialPassword, poolerHost, poolerPort),
  });
  const password = "a/new:password@";
  const changed = await world.service.update(made, { name: "orders", poolerEnabled: false, password });
  expect(changed.outputs["connectionUri"]).toBe(uri(password, host, port));
  expect(changed.outputs).not.toHaveProperty("poolerConnectionUri");
  fault({ kind: "status", status: 400, operation: "updatePassword", times: 1 });
  const refused = await world.service.update(changed, { name: "orders", environment: "PROD", password: "another-one" });
  expect(refused.failed).toBeDefined();
  expect(refused.outputs["connectionUri"]).toBe(uri(password, host, port));
  world.nextRun();
  const adopted = await world.service.create({ name: "orders", adoptId: made.id });
  expect(world.warnings.filter((line) => line.includes("it has no `connectionUri`: set `password`"))).toHaveLength(1);
  expect(adopted.outputs["host"]).toBe(host);
  expect(adopted.outputs).not.toHaveProperty("connectionUri");
  const given = await world.service.update(adopted, { name: "orders", adoptId: made.id, password });
  expect(given.outputs["connectionUri"]).toBe(uri(password, host, port));
});

test("a read replica set has one by the password that it is given, which calls nothing", async () => {
  const made = await world.service.create({ name: "orders" });
  const set = await world.readReplicaSet.create(setOf(made));
  expect(set.outputs).not.toHaveProperty("connectionUri");
  world.calls();
  const args = setOf(made, { password: made.outputs["initialPassword"] });
  const given = await world.readReplicaSet.update(set, args);
  const { host, port, connectionUri } = given.outputs;
  const login = `tsdbadmin:${String(made.outputs["initialPassword"])}`;
  expect(connectionUri).toBe(`postgresql://${login}@${String(host)}:${String(port)}/tsdb?sslmode=require`);
  expect((await refreshed(given, "readReplicaSet")).outputs["connectionUri"]).toBe(connectionUri);
  expect((await world.readReplicaSet.update(given, setOf(made))).outputs).not.toHaveProperty("connectionUri");
  expect(world.calls()).toEqual([]);
});

test("a read replica set has them, and a state of before gets them without a difference", async () => {
  const made = await world.service.create({ name: "orders" });
  plain(await world.readReplicaSet.create(setOf(made, { poolerEnabled: true })));
  const { host, port, connectionUri, ...outputs } = made.outputs;
  const before = { ...made, outputs };
  expect(world.service.preview(before, { name: "orders" })).toMatchObject({ changes: undefined, operations: [] });
  const seen = await refreshed(before);
  expect(seen.outputs).toMatchObject({ host, port, connectionUri });
  const updated = await world.service.update(before, { name: "orders", onMissing: "error" });
  expect(updated.outputs).toMatchObject({ host, port, connectionUri });
});

test("in a VPC without an endpoint of its own, the address in the VPC is the one to connect to", () => {
  const vpcEndpoint = { vpcId: "7", host: "inside", port: 5432 };
  expect(plainAddresses({ vpcEndpoint })).toMatchObject({ host: "inside", port: 5432 });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "" } })).toMatchObject({ host: "inside", port: 5432 });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "out", port: 1 } })).toMatchObject({ host: "out", port: 1 });
  expect(plainAddresses({})).toMatchObject({ host: undefined, port: undefined, poolerHost: undefined });
});
