// Services that leave their VPC: because the program says so, or by hand.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type World } from "../../support/world";
import { NET } from "./net";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe("leaving a VPC", () => {
  test("is what taking vpcId out of the program means", async () => {
    const vpc = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders", vpcId: vpc.id });
    world.calls();
    expect(world.service.preview(service, { name: "orders" })).toMatchObject({
      properties: ["vpcId"],
      operations: ["detachFromVPC"],
    });
    const next = await world.service.update(service, { name: "orders" });
    expect(world.calls()).toEqual(["detachFromVPC"]);
    expect(next.outputs).not.toHaveProperty("vpcId");
    expect(await world.service.update(next, { name: "orders" })).toBe(next);
  });

  test("is an error that names both VPCs where the service was moved to another one by hand", async () => {
    const [ours, theirs] = [await world.vpc.create(NET), await world.vpc.create({ ...NET, name: "theirs", __urn: "" })];
    const service = await world.service.create({ name: "orders", vpcId: ours.id });
    world.emulator.mutate.service(service.id, { vpcId: theirs.id });
    world.calls();
    const dropped = { name: "orders", poolerEnabled: true };
    await expect(world.service.update(service, dropped)).rejects.toThrow(
      `vpcId: the program drops VPC "${ours.id}", but the service was moved outside Pulumi and is in VPC "${theirs.id}"; nothing was changed`,
    );
    expect(world.calls()).toEqual([]);
    expect(world.emulator.state().services).toMatchObject([{ vpcId: theirs.id, poolerEnabled: false }]);

    // The ways out that the message names.
    const kept = await world.service.update(service, { ...dropped, vpcId: theirs.id });
    expect(world.calls()).toEqual(["enablePooler"]);
    expect(kept.outputs["vpcId"]).toBe(theirs.id);
    const seen = (await world.service.refresh(service)) ?? service;
    await world.service.update(seen, { name: "orders" });
    expect(world.calls()).toEqual(["detachFromVPC"]);
  });

  test("is not asked for where it was taken out by hand: nothing is called", async () => {
    const vpc = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders", vpcId: vpc.id });
    world.emulator.mutate.service(service.id, { vpcId: undefined });
    world.calls();
    const next = await world.service.update(service, { name: "orders" });
    expect([world.calls(), next.outputs["vpcId"]]).toEqual([[], undefined]);
  });

  test("is not what it means for a service whose VPC the program never set", async () => {
    const vpc = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders" });
    world.emulator.mutate.service(service.id, { vpcId: vpc.id });
    const seen = (await world.service.refresh(service)) ?? service;
    world.calls();
    const next = await world.service.update(seen, { name: "orders", poolerEnabled: true });
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["enablePooler"]);
  });

  test("makes the addresses move, which the update saves", async () => {
    const vpc = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders", vpcId: vpc.id, poolerEnabled: true });
    expect(service.outputs).toHaveProperty("vpcEndpoint.vpcId", vpc.id);
    const next = await world.service.update(service, { name: "orders", poolerEnabled: true });
    expect(next.outputs).toHaveProperty("endpoint.host");
    expect(next.outputs).not.toHaveProperty("vpcEndpoint");
    expect(next.outputs["connectionPooler"]).not.toEqual(service.outputs["connectionPooler"]);
  });
});
