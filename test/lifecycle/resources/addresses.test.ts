// Host and port as plain outputs: in step with the objects that they are taken from, in every write of the state.

import { afterEach, beforeEach, expect, test } from "vitest";
import { plainAddresses } from "../../../provider/domain/endpoint";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const KEYS = ["host", "port", "poolerHost", "poolerPort"];

function plain({ outputs }: Kept): Values {
  return Object.fromEntries(KEYS.filter((key) => key in outputs).map((key) => [key, outputs[key]]));
}

/** What the objects of the same state say. */
function expected({ outputs }: Kept): Values {
  const { endpoint, vpcEndpoint, connectionPooler } = outputs as Record<string, Values | undefined>;
  const { host, port } = endpoint ?? vpcEndpoint ?? {};
  const pooler = connectionPooler?.["endpoint"] as Values | undefined;
  return { host, port, ...(pooler === undefined ? {} : { poolerHost: pooler["host"], poolerPort: pooler["port"] }) };
}

test("of a service: made, moved, refreshed, its pooler switched, cut short", async () => {
  const net = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  const made = await world.service.create({ name: "orders" });
  expect(plain(made)).toEqual(expected(made));
  expect(Object.keys(plain(made))).toEqual(["host", "port"]);
  const pooled = await world.service.update(made, { name: "orders", poolerEnabled: true });
  expect(plain(pooled)).toEqual(expected(pooled));
  expect(Object.keys(plain(pooled))).toEqual(KEYS);
  const moved = await world.service.update(pooled, { name: "orders", poolerEnabled: true, vpcId: net.id });
  expect(plain(moved)).toEqual(expected(moved));
  expect(plain(moved)["host"]).not.toBe(plain(pooled)["host"]);
  const saved = await world.service.update(moved, {
    name: "orders",
    poolerEnabled: true,
    vpcId: net.id,
    onDelete: "stop",
  });
  expect(plain(saved)).toEqual(plain(moved));

  world.emulator.faults.add({ kind: "status", status: 400, operation: "detachFromVPC", times: 1 });
  const half = await world.service.update(saved, { name: "orders", poolerEnabled: false, environment: "PROD" });
  expect(half.failed).toBeDefined();
  expect(plain(half)).toEqual(expected(half));
  const off = await world.service.update(half, { name: "orders", poolerEnabled: false, environment: "PROD" });
  expect(plain(off)).toEqual(expected(off));
  expect(Object.keys(plain(off))).toEqual(["host", "port"]);
  world.emulator.mutate.service(off.id, { vpcId: net.id });
  const seen = await world.service.refresh(off);
  if (seen === undefined) throw new Error("gone");
  expect(plain(seen)).toEqual(expected(seen));
  expect(plain(seen)["host"]).not.toBe(plain(off)["host"]);
});

test("of a read replica set", async () => {
  const parent = await world.service.create({ name: "orders" });
  const set = { serviceId: parent.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2, poolerEnabled: true };
  const made = await world.readReplicaSet.create(set);
  expect(plain(made)).toEqual(expected(made));
  expect(Object.keys(plain(made))).toEqual(KEYS);
});

test("a state of before gets them with a refresh or an update, and no difference of them", async () => {
  const made = await world.service.create({ name: "orders" });
  const { host: _host, port: _port, ...outputs } = made.outputs;
  const before = { ...made, outputs };
  expect(world.service.preview(before, { name: "orders" })).toMatchObject({ changes: undefined, operations: [] });
  const refreshed = await world.service.refresh(before);
  expect(refreshed?.outputs).toMatchObject({ host: made.outputs["host"], port: made.outputs["port"] });
  expect(refreshed?.outputs["__drift"]).toBeUndefined();
  const updated = await world.service.update(before, { name: "orders", onDelete: "stop" });
  expect(updated.outputs).toMatchObject({ host: made.outputs["host"], port: made.outputs["port"] });
});

test("in a VPC without an endpoint of its own, the address in the VPC is the one to connect to", () => {
  const vpcEndpoint = { vpcId: "7", host: "inside", port: 5432 };
  const none = { poolerHost: undefined, poolerPort: undefined };
  expect(plainAddresses({ vpcEndpoint })).toEqual({ host: "inside", port: 5432, ...none });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "" } })).toEqual({ host: "inside", port: 5432, ...none });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "out", port: 1 } })).toMatchObject({ host: "out", port: 1 });
  expect(plainAddresses({})).toEqual({ host: undefined, port: undefined, ...none });
});
