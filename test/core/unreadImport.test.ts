// An update of an import that was never read: no `diff` could compare it, so the update itself compares what cannot change.

import { expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import type { Handlers, Kept } from "../support/world";
import { errorOf, fault, NET, PEER, setOf, SMALL, useWorld, world } from "./scene";

useWorld();

/** The object as the import document has it. */
function imported({ id, inputs }: Kept, scope: Values = {}): Kept {
  world.nextRun();
  return { id, inputs, outputs: { ...scope, __inputs: Object.keys(inputs).join(","), __provider: "x" } };
}

/** What is said where it is refused before anything is sent; after a refresh it is a change like any other. */
async function refusalOf(handlers: Handlers, kept: Kept, args: Values): Promise<string> {
  const { message, hint } = await errorOf(handlers.update(kept, args));
  expect(hint).toContain("`pulumi refresh`");
  expect(world.calls()).toEqual([]);
  const seen = (await handlers.refresh(kept)) ?? kept;
  world.restart();
  expect(handlers.preview(seen, args).replaces).not.toEqual([]);
  return message;
}

test("another region, block, peer, service or number of nodes is refused, and not saved as what it was made with", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...SMALL };
  const made = await world.service.create(args);
  const other = await world.service.create({ name: "two" });
  const next = { ...args, name: "other", regionCode: "eu-west-1", allowReplace: true };
  expect(await refusalOf(world.service, imported(made), next)).toContain("regionCode: it has");
  const vpc = await world.vpc.create(NET);
  const net = 'cidr: it has "10.0.0.0/24", the program says "10.9.0.0/24"';
  expect(await refusalOf(world.vpc, imported(vpc), { ...NET, cidr: "10.9.0.0/24" })).toContain(net);
  const peer = { vpcId: vpc.id, ...PEER };
  const peering = imported(await world.peering.create(peer), { vpcId: vpc.id });
  expect(await refusalOf(world.peering, peering, { ...peer, peerVpcId: "vpc-0b" })).toContain("peerVpcId: it has");
  const set = imported(await world.readReplicaSet.create(setOf(made)), { serviceId: made.id });
  expect(await refusalOf(world.readReplicaSet, set, setOf(other))).toContain("serviceId: it has");
  expect(await refusalOf(world.readReplicaSet, set, setOf(made, { nodes: 2 }))).toContain("nodes: it has 1");
});

test("what calls change is changed, and what is given later and equal is saved", async () => {
  const kept = imported(await world.service.create({ name: "orders" }));
  const updated = await world.service.update(kept, { name: "orders", regionCode: "us-east-1", poolerEnabled: true });
  expect(world.calls()).toEqual(["enablePooler"]);
  expect(updated.outputs).toMatchObject({ regionCode: "us-east-1", poolerEnabled: true });
});

test("one whose object is missing for a while is still compared once it is back", async () => {
  const args = { name: "orders", regionCode: "us-east-1", ...SMALL };
  const kept = imported(await world.service.create(args));
  const next = { ...args, name: "other", regionCode: "eu-west-1", allowReplace: true };
  fault({ kind: "brownout", ms: 45_000, times: Infinity });
  await errorOf(world.service.update(kept, next));
  await world.clock.sleep(60_000);
  expect(await refusalOf(world.service, imported(kept), next)).toContain("regionCode: it has");
});

test("one is compared by a read of its own: a list may leave out what it was forked from", async () => {
  const [one, two] = [await world.service.create({ name: "one" }), await world.service.create({ name: "two" })];
  const forkOf = ({ id }: Kept): Values => ({ name: "copy", forkFrom: { serviceId: id, strategy: "NOW" } });
  const { id } = await world.service.create(forkOf(one));
  const kept = imported({ id, inputs: { name: "copy" }, outputs: {} });
  fault({ kind: "members", members: { forked_from: "absent" }, in: "lists", times: Infinity });
  const readers = world.session.services(world.emulator.projectId);
  await readers.list();
  const { message } = await errorOf(world.service.update(kept, { ...forkOf(two), name: "other" }));
  expect(message).toContain("forkFrom: it has");
  expect(world.calls()).toEqual([]);
});
