// API: some servers go on showing what was deleted, with the status DELETED, and answer 404 for what was in it.

import { describe, expect, test } from "vitest";
import { madeOf, make } from "../laws/absence";
import { done, fault, LARGE, makeBystander, NET, PEER, SMALL, urn, useWorld, world } from "./scene";

useWorld();

const said = async (work: Promise<unknown>): Promise<string> => {
  const end = await work.catch((error: unknown) => error);
  if (end === undefined) return "gone";
  const { failed, fullMessage } = end as { failed?: string; fullMessage?: string };
  return failed ?? fullMessage ?? "there";
};

describe("a VPC that is shown as DELETED", () => {
  const inDeleted = async () => {
    const vpc = await make("vpc", NET);
    const peering = await make("peering", { ...PEER, vpcId: vpc.kept.id });
    makeBystander("vpc");
    world.nextRun();
    world.emulator.mutate.vpc(vpc.kept.id, { status: "DELETED", wire: { status: "DELETED" } });
    fault({ kind: "brownout", ids: [peering.kept.id] });
    return { vpc: vpc.kept, peering: peering.kept };
  };

  test("a VPC that is shown as DELETED is gone for a destroy", async () => {
    const { vpc } = await inDeleted();
    expect(await said(world.vpc.remove(vpc))).toBe("gone");
  });

  test("a peering of a VPC that is shown as DELETED is gone for a destroy", async () => {
    const { peering } = await inDeleted();
    expect(await said(world.peering.remove(peering))).toBe("gone");
  });

  test("a peering of a VPC that is shown as DELETED is gone for a refresh", async () => {
    const { peering } = await inDeleted();
    expect(await said(world.peering.refresh(peering))).toBe("gone");
  });
});

test("a peering that is DELETED, with the reason in `error_message`, is gone for a destroy", async () => {
  const vpc = await make("vpc", NET);
  const { kept } = await make("peering", { ...PEER, vpcId: vpc.kept.id });
  world.nextRun();
  world.emulator.mutate.peering(kept.id, { status: "DELETED", errorMessage: "the peer's account deleted it" });
  expect(await said(world.peering.remove(kept))).toBe("gone");
});

test("an `up` that changes a DELETED service names the way out", async () => {
  const { kept, args } = await make("service", { name: "orders", ...SMALL });
  makeBystander();
  world.nextRun();
  world.emulator.mutate.service(kept.id, { status: "DELETED" });
  expect(await said(world.service.update(kept, { ...args, ...LARGE }))).toContain("pulumi refresh");
});

describe("a peering that is shown as DELETED", () => {
  const showDeleted = (id: string): unknown =>
    fault({
      kind: "members",
      members: { status: { value: "DELETED" } },
      ids: [id],
      times: Infinity,
    });

  test("a peering that is shown as DELETED lets its VPC go", async () => {
    world.emulator.settings.switches.deleteVpcInUse = "cascade";
    const [vpc, peering] = await madeOf("peering");
    if (vpc === undefined || peering === undefined) throw new Error("none");
    makeBystander("vpc");
    world.nextRun();
    showDeleted(peering.kept.id);
    await expect(world.vpc.remove(vpc.kept)).resolves.toBeUndefined();
  });

  test("a peering that is shown as DELETED can be made again", async () => {
    const [, peering] = await madeOf("peering");
    if (peering === undefined) throw new Error("none");
    world.nextRun();
    showDeleted(peering.kept.id);
    expect(await world.peering.refresh(peering.kept)).toBeUndefined();
    await done(world.peering.create({ ...peering.args, ...urn("again") }));
  });

  test("a peering that is shown as DELETED does not keep another one from being gone", async () => {
    const vpc = await make("vpc", NET);
    const one = await make("peering", { vpcId: vpc.kept.id, ...PEER });
    const other = await done(
      world.peering.create({ vpcId: vpc.kept.id, ...PEER, peerVpcId: "vpc-2", ...urn("other") }),
    );
    world.nextRun();
    world.emulator.mutate.deletePeering(other.id);
    showDeleted(one.kept.id);
    fault({ kind: "brownout", ids: [one.kept.id], in: "lists" });
    expect(await Promise.all([world.peering.refresh(one.kept), world.peering.refresh(other)])).toEqual([
      undefined,
      undefined,
    ]);
  });
});
