// API: some servers go on showing what was deleted, with the status DELETED, and answer 404 for what was in it.

import { expect, test } from "vitest";
import { madeOf, make } from "../laws/absence";
import { done, earlier, fault, LARGE, makeBystander, PEER, SMALL, urn, useWorld, world } from "./scene";

useWorld();

const said = async (work: Promise<unknown>): Promise<string> => {
  const end = await work.catch((error: unknown) => error);
  if (end === undefined) return "gone";
  const { failed, fullMessage } = end as { failed?: string; fullMessage?: string };
  return failed ?? fullMessage ?? "there";
};

test.each(["vpc remove", "peering remove", "peering refresh"])(
  "what is in a VPC that is shown as DELETED is gone, and so is that: %s",
  async (act) => {
    const { parent: vpc, held: peering } = await madeOf("peering");
    makeBystander("vpc");
    world.nextRun();
    world.emulator.mutate.vpc(vpc.kept.id, { status: "DELETED", wire: { status: "DELETED" } });
    fault({ kind: "brownout", ids: [peering.kept.id] });
    const [{ kind, kept }, command] = [act.startsWith("vpc") ? vpc : peering, act.endsWith("remove")];
    expect(await said(command ? world[kind].remove(kept) : world[kind].refresh(kept))).toBe("gone");
  },
);

test("a peering that is DELETED, with the reason in `error_message`, is gone for a destroy", async () => {
  const { kept } = (await madeOf("peering")).held;
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

const showDeleted = (id: string): unknown =>
  fault({
    kind: "members",
    members: { status: { value: "DELETED" } },
    ids: [id],
    times: Infinity,
  });

test("a peering that is shown as DELETED lets its VPC go", async () => {
  world.emulator.settings.switches.deleteVpcInUse = "cascade";
  const { parent: vpc, held: peering } = await madeOf("peering");
  makeBystander("vpc");
  world.nextRun();
  showDeleted(peering.kept.id);
  await expect(world.vpc.remove(vpc.kept)).resolves.toBeUndefined();
});

test("a peering that is shown as DELETED can be made again", async () => {
  const { held: peering } = await earlier(madeOf("peering"));
  showDeleted(peering.kept.id);
  expect(await world.peering.refresh(peering.kept)).toBeUndefined();
  await done(world.peering.create({ ...peering.args, ...urn("again") }));
});

test("a peering that is shown as DELETED does not keep another one from being gone", async () => {
  const { parent: vpc, held: one } = await madeOf("peering");
  const other = await earlier(
    done(world.peering.create({ vpcId: vpc.kept.id, ...PEER, peerVpcId: "vpc-2", ...urn("other") })),
  );
  world.emulator.mutate.deletePeering(other.id);
  showDeleted(one.kept.id);
  fault({ kind: "brownout", ids: [one.kept.id], in: "lists" });
  expect(await Promise.all([world.peering.refresh(one.kept), world.peering.refresh(other)])).toEqual([
    undefined,
    undefined,
  ]);
});
