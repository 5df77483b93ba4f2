// An update of an import that was never read: no `diff` could compare it, so the update itself compares what cannot change.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Handlers, type Kept, type World } from "../../support/world";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

/** The object as the import document has it. */
function imported({ id, inputs }: Kept, scope: Values = {}): Kept {
  world.restart();
  world.calls();
  return { id, inputs, outputs: { ...scope, __inputs: Object.keys(inputs).join(","), __provider: "x" } };
}

async function refusal(handlers: Handlers, kept: Kept, args: Values): Promise<unknown> {
  const refused = await handlers.update(kept, args).catch((error: unknown) => error);
  expect(world.calls()).toEqual([]);
  const seen = (await handlers.refresh(kept)) ?? kept;
  world.restart();
  // From here on it is a change like any other.
  expect(handlers.preview(seen, args).replaces).not.toEqual([]);
  return refused;
}

const says = (text: string) =>
  expect.objectContaining({
    message: expect.stringContaining(text) as string,
    hint: expect.stringContaining("run `pulumi refresh`") as string,
  }) as unknown;

test("another region of a service is refused, and not saved as what it was made with", async () => {
  const args = { name: "orders", regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 };
  const kept = imported(await world.service.create(args));
  const next = { ...args, name: "other", regionCode: "eu-west-1", allowReplace: true };
  expect(await refusal(world.service, kept, next)).toEqual(says("regionCode: it has"));
});

test("so are another block of a VPC, another peer, and another service of a replica set", async () => {
  const net = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const vpc = await world.vpc.create(net);
  const peer = { vpcId: vpc.id, peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0a" };
  const peering = imported(await world.peering.create(peer), { vpcId: vpc.id });
  expect(await refusal(world.vpc, imported(vpc), { ...net, cidr: "10.9.0.0/24" })).toEqual(
    says('cidr: it has "10.0.0.0/24", the program says "10.9.0.0/24"'),
  );
  expect(await refusal(world.peering, peering, { ...peer, peerVpcId: "vpc-0b" })).toEqual(says("peerVpcId: it has"));
  const [one, two] = [await world.service.create({ name: "one" }), await world.service.create({ name: "two" })];
  const readers = { serviceId: one.id, name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
  const set = imported(await world.readReplicaSet.create(readers), { serviceId: one.id });
  expect(await refusal(world.readReplicaSet, set, { ...readers, serviceId: two.id })).toEqual(
    says("serviceId: it has"),
  );
  expect(await refusal(world.readReplicaSet, set, { ...readers, nodes: 2 })).toEqual(says("nodes: it has 1"));
});

test("what calls change is changed, and what is given later and equal is saved", async () => {
  const args = { name: "orders", cpuMillis: 500, memoryGbs: 2 };
  const kept = imported(await world.service.create(args));
  const updated = await world.service.update(kept, { ...args, regionCode: "us-east-1", poolerEnabled: true });
  expect(world.calls()).toEqual(["enablePooler"]);
  expect(updated.outputs).toMatchObject({ regionCode: "us-east-1", poolerEnabled: true });
});
