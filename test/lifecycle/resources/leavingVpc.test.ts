// Services that leave their VPC: because the program says so, or by hand.

import { expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import type { Kept } from "../../support/world";
import { done, errorOf, NET, refreshed, useWorld, world } from "../scene";

let vpc: Kept;
useWorld({}, async () => {
  vpc = await world.vpc.create(NET);
});

const ORDERS = { name: "orders" };
const inVpc = (more: Values = {}) => world.service.create({ ...ORDERS, vpcId: vpc.id, ...more });
/** What an update calls, and what it keeps. */
async function updated(kept: Kept, args: Values): Promise<[string[], Kept]> {
  world.calls();
  const next = await done(world.service.update(kept, args));
  return [world.calls(), next];
}

test("taking vpcId out of the program detaches, and saves the addresses that move", async () => {
  const on = { ...ORDERS, poolerEnabled: true };
  const service = await inVpc(on);
  expect(service.outputs).toHaveProperty("vpcEndpoint.vpcId", vpc.id);
  const planned = { properties: ["vpcId"], operations: ["detachFromVPC"] };
  expect(world.service.preview(service, on)).toMatchObject(planned);
  const [calls, next] = await updated(service, on);
  expect(calls).toEqual(["detachFromVPC"]);
  for (const key of ["vpcId", "vpcEndpoint"]) expect(next.outputs).not.toHaveProperty(key);
  expect(next.outputs).toHaveProperty("endpoint.host");
  expect(next.outputs["connectionPooler"]).not.toEqual(service.outputs["connectionPooler"]);
  expect(await world.service.update(next, on)).toBe(next);
});

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

test("a service whose VPC the program never set stays in it", async () => {
  const service = await world.service.create(ORDERS);
  world.emulator.mutate.service(service.id, { vpcId: vpc.id });
  const [calls] = await updated(await refreshed(service), { ...ORDERS, poolerEnabled: true });
  expect(calls).toEqual(["enablePooler"]);
});
