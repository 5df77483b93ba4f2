// Host and port as plain outputs: in step with the objects that they are taken from, in every write of the state.

import { expect, test } from "vitest";
import { plainAddresses } from "../../../provider/domain/endpoint";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept } from "../../support/world";
import { NET, refreshed, setOf, useWorld, world } from "../scene";

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
  const saved = await world.service.update(moved, { ...on, vpcId: net.id, onDelete: "stop" });
  expect(plain(saved)).toEqual(plain(moved));
  world.emulator.faults.add({ kind: "status", status: 400, operation: "detachFromVPC", times: 1 });
  const args = { name: "orders", poolerEnabled: false, environment: "PROD" };
  const half = await world.service.update(saved, args);
  expect(half.failed).toBeDefined();
  plain(half);
  const off = await world.service.update(half, args);
  world.emulator.mutate.service(off.id, { vpcId: net.id });
  const seen = await refreshed(off);
  expect(plain(seen, WITHOUT_POOLER)["host"]).not.toBe(plain(off, WITHOUT_POOLER)["host"]);
});

test("a read replica set has them, and a state of before gets them without a difference", async () => {
  const made = await world.service.create({ name: "orders" });
  plain(await world.readReplicaSet.create(setOf(made, { poolerEnabled: true })));
  const { host, port, ...outputs } = made.outputs;
  const before = { ...made, outputs };
  expect(world.service.preview(before, { name: "orders" })).toMatchObject({ changes: undefined, operations: [] });
  const seen = await refreshed(before);
  expect(seen.outputs).toMatchObject({ host, port });
  const updated = await world.service.update(before, { name: "orders", onDelete: "stop" });
  expect(updated.outputs).toMatchObject({ host, port });
});

test("in a VPC without an endpoint of its own, the address in the VPC is the one to connect to", () => {
  const vpcEndpoint = { vpcId: "7", host: "inside", port: 5432 };
  expect(plainAddresses({ vpcEndpoint })).toMatchObject({ host: "inside", port: 5432 });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "" } })).toMatchObject({ host: "inside", port: 5432 });
  expect(plainAddresses({ vpcEndpoint, endpoint: { host: "out", port: 1 } })).toMatchObject({ host: "out", port: 1 });
  expect(plainAddresses({})).toMatchObject({ host: undefined, port: undefined, poolerHost: undefined });
});
