// The life of one service, handler by handler, also out of its VPC, because the program says so or by hand. Changes in place
// and drift are in converge and state.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Kept } from "../support/world";
import { done, errorOf, fault, NET, open, refreshed, SMALL, useWorld, world } from "./scene";

let vpc: Kept;
useWorld({}, async () => {
  vpc = await world.vpc.create(NET);
  world.calls();
});

test("one in trouble says in the preview what is wrong and what can be done, and each of that works", async () => {
  const args = { name: "orders", ...SMALL };
  let kept = await world.service.create(args);
  const look = async (status: string): Promise<string | undefined> => {
    world.emulator.mutate.service(kept.id, { status });
    kept = await refreshed(kept);
    world.restart();
    world.warnings.length = 0;
    world.service.preview(kept, args);
    return world.warnings[0];
  };
  expect(await look("UPGRADING")).toBeUndefined();
  expect(await look("DELETING")).toMatch(/"DELETING" when it was last seen: somebody is deleting it/);
  expect(await look("FAILED")).toMatch(/"FAILED" when it was last seen: a change waits/);
  expect(await look("READY")).toBeUndefined();
  await done(world.service.update(kept, { ...args, poolerEnabled: true }));
  await look("FAILED");
  await world.service.remove(kept);
  world.restart();
  const next = await world.service.create(args);
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual([next.id]);
});

const ORDERS = { name: "orders" };
const inVpc = (more: Values = {}) => world.service.create({ ...ORDERS, vpcId: vpc.id, ...more });
/** What an update calls, and what it keeps. */
async function updated(kept: Kept, args: Values): Promise<[string[], Kept]> {
  world.calls();
  const next = await done(world.service.update(kept, args));
  return [world.calls(), next];
}

test("dropping vpcId of a service that was moved by hand is an error that names both VPCs, and each way out works", async () => {
  const theirs = await world.vpc.create({ ...NET, name: "theirs" });
  const service = await inVpc();
  world.emulator.mutate.service(service.id, { vpcId: theirs.id });
  world.calls();
  const dropped = { ...ORDERS, poolerEnabled: true };
  const { message } = await errorOf(world.service.update(service, dropped));
  expect(message).toMatch(new RegExp(`^vpcId: .*"${vpc.id}".*"${theirs.id}"; nothing was changed`));
  expect(world.calls()).toEqual([]);
  expect(world.emulator.state().services).toMatchObject([{ vpcId: theirs.id, poolerEnabled: false }]);

  const [calls, kept] = await updated(service, { ...dropped, vpcId: theirs.id });
  expect([calls, kept.outputs["vpcId"]]).toEqual([["enablePooler"], theirs.id]);
  expect((await updated(await refreshed(service), ORDERS))[0]).toEqual(["detachFromVPC"]);
});

test("dropping vpcId of a service that was taken out by hand calls nothing", async () => {
  const service = await inVpc();
  world.emulator.mutate.service(service.id, { vpcId: undefined });
  const [calls, next] = await updated(service, ORDERS);
  expect([calls, next.outputs["vpcId"]]).toEqual([[], undefined]);
});

// API: a service in a VPC may show its address there without `vpc_id`. It is attached, to a VPC that is not shown.
test("a service that shows its address in a VPC and not the VPC is attached once", async () => {
  await open({ switches: { vpcEndpointSpelling: "vpc_endpoint" } });
  const vpcId = (await world.vpc.create(NET)).id;
  fault({ kind: "members", members: { "vpc_endpoint.vpc_id": "absent" }, times: Infinity });
  const args = { name: "orders", vpcId };
  const kept = await done(world.service.create(args));
  expect(world.calls()).toEqual(["createVpc", "createService", "attachToVPC"]);
  world.restart();
  const seen = await refreshed(kept);
  expect(seen.outputs).toMatchObject({ vpcId });
  expect(await world.service.update(seen, args)).toBe(seen);
  const out = await done(world.service.update(seen, { name: "orders" }));
  expect(world.calls()).toEqual(["detachFromVPC"]);
  expect(out.outputs["vpcId"]).toBeUndefined();
});
