// A VPC with another block or in another region: replaced with everything moved over, or refused before anything happens.

import { expect, test } from "vitest";
import { done, errorOf, NET, nextRun, overlaps, PEER, urn, useWorld, world } from "../scene";

useWorld();

const net = { ...NET, ...urn("net") };
const far = { ...net, regionCode: "eu-west-1" };

test("another block replaces it, with its services and peerings moved over", async () => {
  const old = await world.vpc.create(net);
  const peer = { ...PEER, ...urn("peering") };
  const peering = await world.peering.create({ vpcId: old.id, ...peer });
  const service = await world.service.create({ name: "orders", vpcId: old.id });
  nextRun();

  // As the engine does it: the new VPC, then what depends on it, then the old one.
  const args = { ...net, cidr: "10.1.0.0/24" };
  expect(world.vpc.preview(old, args)).toMatchObject({ replaces: ["cidr"], isOldFirst: false });
  const made = await world.vpc.create(args);
  expect(world.peering.preview(peering, { vpcId: made.id, ...peer }).replaces).toEqual(["vpcId"]);
  await Promise.all([
    done(world.service.update(service, { name: "orders", vpcId: made.id })),
    done(world.peering.create({ vpcId: made.id, ...peer })),
  ]);
  await Promise.all([world.peering.remove(peering), world.vpc.remove(old)]);
  expect(world.emulator.state()).toMatchObject({
    vpcs: [{ id: made.id, cidr: "10.1.0.0/24" }],
    peerings: [{ vpcId: made.id }],
    services: [{ id: service.id, vpcId: made.id }],
  });
  expect(world.calls().filter((call) => call.endsWith("VPC"))).toEqual(["detachFromVPC", "attachToVPC"]);
  expect(overlaps()).toEqual([]);
});

test("another region replaces an empty one, and is refused while services are attached", async () => {
  const old = await world.vpc.create(net);
  world.restart();
  expect(world.vpc.preview(old, far).replaces).toEqual(["regionCode"]);
  const made = await world.vpc.replace(old, far);
  expect(world.emulator.state().vpcs).toMatchObject([{ id: made.id, regionCode: "eu-west-1" }]);
  const service = await world.service.create({ name: "orders", regionCode: "eu-west-1", vpcId: made.id });
  nextRun();
  const { message } = await errorOf(world.vpc.replace(made, net));
  expect(message).toMatch(
    new RegExp(`^regionCode: .*cannot move from eu-west-1 to us-east-1.*"orders" .${service.id}`),
  );
  expect(world.calls()).toEqual([]);
  expect(world.emulator.state()).toMatchObject({ vpcs: [{ id: made.id }], services: [{ vpcId: made.id }] });
});
