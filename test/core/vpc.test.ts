// VPCs: renamed in place, replaced with everything moved over or not at all, and deleted once everything has left them.

import { beforeEach, describe, expect, test } from "vitest";
import { done, earlier, errorOf, fault, MINUTE_MS, NET, PEER, refreshed, urn, useWorld, world } from "./scene";

useWorld();

const net = { ...NET, ...urn("net") };

test("a VPC is created, renamed in place, unchanged, deleted", async () => {
  const kept = await world.vpc.create(net);
  expect(world.calls()).toEqual(["createVpc"]);
  expect(kept.outputs).toMatchObject(NET);
  const args = { ...net, name: "n".repeat(200) };
  expect(world.vpc.preview(kept, args)).toMatchObject({ properties: ["name"], replaces: [], operations: ["rename"] });
  const next = await world.vpc.update(kept, args);
  expect(world.calls()).toEqual(["renameVpc"]);
  expect(next.outputs["name"]).toBe(args.name);
  expect(await world.vpc.update(next, args)).toBe(next);
  await world.vpc.remove(next);
  expect(world.emulator.state().vpcs).toEqual([]);
});

test("a service of another region is refused in the preview, where the VPC stands in the state", async () => {
  const kept = await earlier(world.vpc.create(net));
  world.vpc.preview(kept, net);
  const check = (regionCode: string) => world.service.check({ name: "orders", vpcId: kept.id, regionCode }).failures;
  expect(check("us-west-2")).toEqual([
    expect.stringContaining(`vpcId: VPC net (${kept.id}) is in us-east-1, the service in us-west-2`),
  ]);
  expect(check("US-EAST-1")).toEqual([]);
});

describe("where VPCs take their time", () => {
  beforeEach(() => void (world.emulator.settings.switches.vpcStatus = true));

  test("created, and gone, is what counts", async () => {
    Object.assign(world.emulator.settings.timings, { vpcCreate: 40_000, vpcDelete: 40_000 });
    const kept = await world.vpc.create(net);
    expect(kept.outputs["status"]).toBe("CREATED");
    expect(world.emulator.state().vpcs).toMatchObject([{ status: "CREATED" }]);
    await world.vpc.remove(kept);
    expect(world.emulator.state().vpcs).toEqual([]);
  });

  test("one that fails keeps its id, and says why", async () => {
    fault({ kind: "stuck", status: "ERROR", operation: "createVpc" });
    const kept = await world.vpc.create(net);
    expect(kept.failed).toContain("it failed (ERROR)");
    expect(world.emulator.state().vpcs.map((vpc) => vpc.id)).toEqual([kept.id]);
  });

  test("one that failed later says so in the preview, and can be repaired in the console", async () => {
    const kept = await world.vpc.create(net);
    world.emulator.mutate.vpc(kept.id, { status: "ERROR" });
    const failed = await refreshed(kept, "vpc");
    world.restart();
    world.vpc.preview(failed, net);
    expect(world.warnings.splice(0).at(-1)).toMatch(/VPC net .* has failed \(ERROR\): .*until it is repaired/);
    world.emulator.mutate.vpc(kept.id, { status: "CREATED" });
    await done(world.vpc.update(await refreshed(failed, "vpc"), { ...net, name: "mesh" }));
    expect(world.warnings).toEqual([]);
  });
});

test("a block with host bits in a state of before is no difference, whatever the server made of it", async () => {
  const made = await world.vpc.create(net);
  for (const shown of ["10.0.0.0/24", "10.0.0.5/24"]) {
    const inputs = { ...made.inputs, cidr: "10.0.0.5/24" };
    const kept = { ...made, inputs, outputs: { ...made.outputs, cidr: shown } };
    for (const cidr of ["10.0.0.5/24", "10.0.0.0/24"]) {
      expect(world.vpc.preview(kept, { ...net, cidr })).toMatchObject({ replaces: [], operations: [] });
    }
  }
});

test("the deletion of a VPC rides out peerings and services that are still leaving", async () => {
  const vpc = await world.vpc.create(net);
  const peering = await world.peering.create({ vpcId: vpc.id, ...PEER });
  const a = await world.service.create({ name: "a", vpcId: vpc.id });
  const b = await world.service.create({ name: "b", vpcId: vpc.id });
  Object.assign(world.emulator.settings.timings, { peeringDelete: 90_000, detach: 120_000, delete: 60_000 });
  await Promise.all([
    world.vpc.remove(vpc),
    world.peering.remove(peering),
    world.service.remove(a),
    world.service.update(b, { name: "b" }),
  ]);
  expect(world.emulator.state()).toMatchObject({ vpcs: [], peerings: [], services: [{ name: "b" }] });
});

test("the deletion of a VPC ends at its deadline where something is still leaving then, and names it", async () => {
  const vpc = await world.vpc.create({ ...net, timeouts: { delete: "5m" } });
  const service = await world.service.create({ name: "a", vpcId: vpc.id });
  world.emulator.settings.timings.detach = 60 * MINUTE_MS;
  const leaving = world.service.update(service, { name: "a" });
  const refused = errorOf(world.vpc.remove(vpc));
  expect(await world.secondsOf(() => refused)).toBeGreaterThanOrEqual(5 * 60);
  expect((await refused).message).toMatch(/in use; in it: service "a".*; still so after 5 m/);
  expect(world.emulator.state().vpcs).toHaveLength(1);
  expect(world.requestsOf("listPeerings").length).toBeLessThan(200);
  world.emulator.settle();
  await leaving;
});

const far = { ...net, regionCode: "eu-west-1" };

test("another block replaces it, with its services and peerings moved over", async () => {
  const old = await world.vpc.create(net);
  const peer = { ...PEER, ...urn("peering") };
  const peering = await world.peering.create({ vpcId: old.id, ...peer });
  const service = await earlier(world.service.create({ name: "orders", vpcId: old.id }));

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
  expect(world.overlaps()).toEqual([]);
});

test("another region makes a new one, and the services in the old one stay there, which stays with them", async () => {
  const old = await world.vpc.create(net);
  const service = await earlier(world.service.create({ name: "orders", vpcId: old.id }));
  expect(world.vpc.preview(old, far).replaces).toEqual(["regionCode"]);
  const made = await world.vpc.create(far);
  const moving = errorOf(world.service.update(service, { name: "orders", vpcId: made.id }));
  expect((await moving).message).toMatch(/is in eu-west-1.*us-east-1/);
  expect((await errorOf(world.vpc.remove(old))).message).toMatch(
    /the VPC is in use; nothing was deleted.*in it: service "orders"/,
  );
  expect(world.calls()).toEqual(["createVpc"]);
  expect(world.emulator.state()).toMatchObject({
    vpcs: [{ id: old.id }, { id: made.id }],
    services: [{ id: service.id, vpcId: old.id }],
  });
});
