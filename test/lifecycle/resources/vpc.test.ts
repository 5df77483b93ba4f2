// VPCs: renamed in place, replaced for another block with their services moved over, never moved away from services, and
// deleted once everything has left them.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";
import { NET } from "./net";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

describe("a life", () => {
  test("created, renamed in place, unchanged, deleted", async () => {
    const kept = await world.vpc.create(NET);
    expect(world.calls()).toEqual(["createVpc"]);
    expect(kept.outputs).toMatchObject({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const args = { ...NET, name: "mesh" };
    expect(world.vpc.preview(kept, args)).toMatchObject({ properties: ["name"], replaces: [], operations: ["rename"] });
    const next = await world.vpc.update(kept, args);
    expect(world.calls()).toEqual(["renameVpc"]);
    expect(next.outputs["name"]).toBe("mesh");
    expect(await world.vpc.update(next, args)).toBe(next);
    await world.vpc.remove(next);
    expect(world.emulator.state().vpcs).toEqual([]);
  });

  test("where VPCs take their time: created, and gone, is what counts", async () => {
    Object.assign(world.emulator.settings.switches, { vpcStatus: true });
    Object.assign(world.emulator.settings.timings, { vpcCreate: 40_000, vpcDelete: 40_000 });
    const kept = await world.vpc.create(NET);
    expect(kept.outputs["status"]).toBe("CREATED");
    expect(world.emulator.state().vpcs).toMatchObject([{ status: "CREATED" }]);
    await world.vpc.remove(kept);
    expect(world.emulator.state().vpcs).toEqual([]);
  });

  test("one that fails keeps its id, and says why", async () => {
    Object.assign(world.emulator.settings.switches, { vpcStatus: true });
    world.emulator.faults.add({ kind: "stuck", status: "ERROR", operation: "createVpc" });
    const kept = await world.vpc.create(NET);
    expect(kept.failed).toContain("it failed (ERROR)");
    expect(world.emulator.state().vpcs.map((vpc) => vpc.id)).toEqual([kept.id]);
    world.vpc.preview(kept, NET);
    expect(world.warnings.at(-1)).toMatch(/VPC net .* has failed \(ERROR\): changes to it fail until it is repaired/);
  });

  describe("one that failed later says in the preview what can be done, and each of that works", () => {
    let kept: Kept;
    beforeEach(async () => {
      Object.assign(world.emulator.settings.switches, { vpcStatus: true });
      kept = await world.vpc.create(NET);
      world.emulator.mutate.vpc(kept.id, { status: "ERROR" });
      kept = (await world.vpc.refresh(kept)) ?? kept;
      world.restart();
    });

    test("a repair in the console and a refresh", async () => {
      world.vpc.preview(kept, NET);
      expect(world.warnings.at(-1)).toMatch(/VPC net .* has failed \(ERROR\)/);
      world.emulator.mutate.vpc(kept.id, { status: "CREATED" });
      const seen = (await world.vpc.refresh(kept)) ?? kept;
      world.warnings.length = 0;
      expect((await world.vpc.update(seen, { ...NET, name: "mesh" })).failed).toBeUndefined();
      expect(world.warnings).toEqual([]);
    });

    test("another block, its services with it", async () => {
      const service = await world.service.create({ name: "orders" });
      world.emulator.mutate.service(service.id, { vpcId: kept.id });
      const inside = (await world.service.refresh(service)) ?? service;
      const wide = { ...NET, cidr: "10.1.0.0/24" };
      expect(world.vpc.preview(kept, wide).replaces).toEqual(["cidr"]);
      const next = await world.vpc.create(wide);
      const moved = await world.service.update(inside, { name: "orders", vpcId: next.id });
      await world.vpc.remove(kept);
      expect(moved.outputs["vpcId"]).toBe(next.id);
      expect(world.emulator.state().vpcs.map(({ id }) => id)).toEqual([next.id]);
    });

    test("a delete, and the same again", async () => {
      await world.vpc.remove(kept);
      world.restart();
      const next = await world.vpc.create(NET);
      expect(next.failed).toBeUndefined();
      expect(world.emulator.state().vpcs.map(({ id }) => id)).toEqual([next.id]);
    });
  });

  test("its name may be longer than those of services", async () => {
    const name = "n".repeat(200);
    expect((await world.vpc.create({ ...NET, name })).outputs["name"]).toBe(name);
  });

  test.each<[string, Values]>([
    ["10.0.0.0", { cidr: "10.0.0.0" }],
    ["10.0.0.256/24", { cidr: "10.0.0.256/24" }],
    ["10.0.0.0/33", { cidr: "10.0.0.0/33" }],
  ])("a malformed block is an error in preview: %s", async (text, change) => {
    await expect(world.vpc.create({ ...NET, ...change })).rejects.toThrow(`cidr: given "${text}"; allowed:`);
    expect(world.calls()).toEqual([]);
  });
});

describe("host bits of a block", () => {
  test.each([
    ["10.0.0.5/24", "10.0.0.0/24"],
    ["10.1.255.255/8", "10.0.0.0/8"],
    ["192.168.1.129/25", "192.168.1.128/25"],
    ["010.0.0.0/24", "10.0.0.0/24"],
    ["1.2.3.4/0", "0.0.0.0/0"],
  ])("%s is an error in preview that names %s", async (text, block) => {
    await expect(world.vpc.create({ ...NET, cidr: text })).rejects.toThrow(
      `cidr: given "${text}"; allowed: an IPv4 block like "10.0.0.0/24", its host bits all zero; did you mean "${block}"?`,
    );
    expect(world.calls()).toEqual([]);
  });

  test.each(["10.0.0.0/24", "10.0.0.5/32", "0.0.0.0/0", "192.168.1.128/25"])("%s has none", async (cidr) => {
    expect((await world.vpc.create({ ...NET, cidr })).outputs["cidr"]).toBe(cidr);
  });

  test("in a state of before are no difference, whatever the server made of them", async () => {
    const made = await world.vpc.create(NET);
    const before = (cidr: string) => ({
      ...made,
      inputs: { ...made.inputs, cidr: "10.0.0.5/24" },
      outputs: { ...made.outputs, cidr },
    });
    for (const shown of ["10.0.0.0/24", "10.0.0.5/24"]) {
      const kept = before(shown);
      for (const said of ["10.0.0.5/24", "10.0.0.0/24"]) {
        expect(world.vpc.preview(kept, { ...NET, cidr: said })).toMatchObject({ replaces: [], operations: [] });
      }
    }
    expect(world.vpc.preview(before("10.0.0.0/24"), { ...NET, cidr: "10.0.0.5/24" }).changes).toBe(false);
  });
});

describe("deletion", () => {
  test("rides out peerings and services that are still leaving", async () => {
    const vpc = await world.vpc.create(NET);
    const peering = await world.peering.create({
      vpcId: vpc.id,
      peerAccountId: "1",
      peerRegionCode: "us-east-1",
      peerVpcId: "vpc-1",
    });
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

  test("ends at its deadline where something is still leaving then, and names it", async () => {
    const vpc = await world.vpc.create({ ...NET, timeouts: { delete: "5m" } });
    const service = await world.service.create({ name: "a", vpcId: vpc.id });
    world.emulator.settings.timings.detach = 60 * 60_000;
    const leaving = world.service.update(service, { name: "a" });
    const startedMs = world.clock.now();
    await expect(world.vpc.remove(vpc)).rejects.toThrow(/the VPC is in use; in it: service "a".*; still so after 5 m/);
    expect(world.clock.now() - startedMs).toBeGreaterThanOrEqual(5 * 60_000);
    expect(world.emulator.state().vpcs).toHaveLength(1);
    const lists = world.emulator.requests().filter((request) => request.operation === "listPeerings");
    expect(lists.length).toBeLessThan(200);
    world.emulator.settle();
    await leaving;
  });
});
