// A VPC with another block or in another region: replaced with everything moved over, or refused before anything happens.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openWorld, type World } from "../../support/world";
import { NET } from "./net";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe("another block", () => {
  test("replaces it, with its services and peerings moved over", async () => {
    const old = await world.vpc.create(NET);
    const __urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:VpcPeering::peering";
    const peer = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1", __urn };
    const peering = await world.peering.create({ vpcId: old.id, ...peer });
    const service = await world.service.create({ name: "orders", vpcId: old.id });
    world.restart();
    world.calls();

    // As the engine does it: the new VPC, then what depends on it, then the old one.
    const args = { ...NET, cidr: "10.1.0.0/24" };
    expect(world.vpc.preview(old, args)).toMatchObject({ replaces: ["cidr"], isOldFirst: false });
    const made = await world.vpc.create(args);
    expect(world.peering.preview(peering, { vpcId: made.id, ...peer }).replaces).toEqual(["vpcId"]);
    const [moved, peered] = await Promise.all([
      world.service.update(service, { name: "orders", vpcId: made.id }),
      world.peering.create({ vpcId: made.id, ...peer }),
    ]);
    await Promise.all([world.peering.remove(peering), world.vpc.remove(old)]);
    expect([moved.failed, peered.failed]).toEqual([undefined, undefined]);
    expect(world.emulator.state()).toMatchObject({
      vpcs: [{ id: made.id, cidr: "10.1.0.0/24" }],
      peerings: [{ vpcId: made.id }],
      services: [{ id: service.id, vpcId: made.id }],
    });
    const calls = world.calls();
    expect(calls.filter((call) => call.endsWith("VPC"))).toEqual(["detachFromVPC", "attachToVPC"]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });
});

describe("another region", () => {
  const far = { ...NET, regionCode: "eu-west-1" };

  test("replaces an empty one", async () => {
    const old = await world.vpc.create(NET);
    world.restart();
    expect(world.vpc.preview(old, far).replaces).toEqual(["regionCode"]);
    const made = await world.vpc.replace(old, far);
    expect(world.emulator.state().vpcs).toMatchObject([{ id: made.id, regionCode: "eu-west-1" }]);
  });

  test("is refused while services are attached, before anything happens", async () => {
    const old = await world.vpc.create(NET);
    const service = await world.service.create({ name: "orders", vpcId: old.id });
    world.restart();
    world.calls();
    await expect(world.vpc.replace(old, far)).rejects.toThrow(
      `regionCode: VPC "net" (${old.id}) cannot move from us-east-1 to eu-west-1, because services are attached that stay in their region: "orders" (${service.id})`,
    );
    expect(world.calls()).toEqual([]);
    expect(world.emulator.state()).toMatchObject({ vpcs: [{ id: old.id }], services: [{ vpcId: old.id }] });
  });

  test("of a VPC that a service is sent to is refused before it is detached from its own", async () => {
    const near = await world.vpc.create(NET);
    const other = await world.vpc.create({ ...far, name: "far" });
    const service = await world.service.create({ name: "orders", vpcId: near.id });
    world.calls();
    await expect(world.service.update(service, { name: "orders", vpcId: other.id })).rejects.toThrow(
      `vpcId: VPC "far" (${other.id}) is in eu-west-1, the service in us-east-1; nothing was changed`,
    );
    await expect(world.service.update(service, { name: "orders", vpcId: "12345" })).rejects.toThrow(
      'vpcId: there is no VPC "12345"',
    );
    expect(world.calls()).toEqual([]);
  });

  test("of the VPC that a new service is to be in: nothing is created", async () => {
    const other = await world.vpc.create(far);
    world.calls();
    await expect(world.service.create({ name: "orders", regionCode: "us-east-1", vpcId: other.id })).rejects.toThrow(
      "is in eu-west-1",
    );
    expect(world.calls()).toEqual([]);
  });
});
