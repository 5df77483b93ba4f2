// Peerings: how far creation waits, what a failure leaves behind, and how the next run replaces it, the old one first.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/domain/values/value";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
let vpc: Kept;
beforeEach(async () => {
  world = await openWorld({ timings: { peeringProvision: 60_000, peeringActive: Infinity } });
  vpc = await world.vpc.create({ name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  world.calls();
});
afterEach(() => world.close());

function peer(more: Values = {}): Values {
  return { vpcId: vpc.id, peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1", ...more };
}

describe("waiting", () => {
  test("by default until there is something to accept", async () => {
    const kept = await world.peering.create(peer());
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs).toMatchObject({ ...peer(), status: "pending" });
    expect(kept.outputs["provisionedId"]).toMatch(/^pcx-/);
  });

  test('"none": not at all', async () => {
    const startedMs = world.clock.now();
    const kept = await world.peering.create(peer({ waitFor: "none" }));
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs).not.toHaveProperty("provisionedId");
    expect(world.clock.now() - startedMs).toBeLessThan(5_000);
  });

  test('"active": until the peer has accepted', async () => {
    const created = world.peering.create(peer({ waitFor: "active" }));
    await world.clock.sleep(5 * 60_000);
    const [made] = world.emulator.state().peerings;
    world.emulator.mutate.peering(made?.id ?? "", { status: "active" });
    const kept = await created;
    expect(kept.failed).toBeUndefined();
    expect(kept.outputs["status"]).toBe("active");
  });

  test('"active", and nobody accepts: the deadline says so, and the next run waits on', async () => {
    const kept = await world.peering.create(peer({ waitFor: "active" }));
    expect(kept.failed).toMatch(/not done after 1[345] m/);
    expect(kept.failed).toContain("not accepted by the peer yet");
    world.emulator.mutate.peering(kept.id, { status: "ACTIVE" });
    const whole = await world.peering.update(kept, peer({ waitFor: "active" }));
    expect(whole.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createPeering"]);
  });

  test("does not keep others from the VPC while it waits for somebody else's help", async () => {
    const first = world.peering.create(peer({ waitFor: "active" }));
    const second = await world.peering.create(peer({ peerVpcId: "vpc-2" }));
    expect(second.failed).toBeUndefined();
    for (const { id } of world.emulator.state().peerings) world.emulator.mutate.peering(id, { status: "active" });
    expect((await first).failed).toBeUndefined();
  });

  test("a change of waitFor alone is saved without a call", async () => {
    const kept = await world.peering.create(peer());
    world.calls();
    const before = world.emulator.requests().length;
    const next = await world.peering.update(kept, peer({ waitFor: "active" }));
    expect(next.outputs["waitFor"]).toBe("active");
    expect(world.emulator.requests()).toHaveLength(before);
  });
});

describe("a VPC that is not ready", () => {
  test("is waited for", async () => {
    Object.assign(world.emulator.settings.switches, { vpcStatus: true });
    world.emulator.settings.timings.vpcCreate = 30_000;
    const net = world.vpc.create({ name: "slow", cidr: "10.1.0.0/24", regionCode: "us-east-1" });
    await world.clock.sleep(1_000);
    const slow = world.emulator.state().vpcs.find((one) => one.name === "slow");
    const kept = await world.peering.create(peer({ vpcId: slow?.id }));
    expect([(await net).failed, kept.failed]).toEqual([undefined, undefined]);
  });

  test("two peerings of one VPC are made one after the other", async () => {
    const made = await Promise.all([world.peering.create(peer()), world.peering.create(peer({ peerVpcId: "vpc-2" }))]);
    expect(made.map((one) => one.failed)).toEqual([undefined, undefined]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });
});

describe("failure", () => {
  test("keeps the peering with its message, and the next run replaces it, the old one first", async () => {
    world.emulator.settings.switches.peeringError = "no such VPC in account 1";
    const kept = await world.peering.create(peer());
    expect(kept.failed).toContain("it failed (failed: no such VPC in account 1)");
    expect(kept.outputs).toMatchObject({ status: "failed", errorMessage: "no such VPC in account 1" });

    world.emulator.settings.switches.peeringError = undefined;
    world.restart();
    world.calls();
    expect(world.peering.preview(kept, peer())).toMatchObject({
      changes: true,
      replaces: ["status"],
      isOldFirst: true,
    });
    expect(world.warnings.at(-1)).toContain("has failed (failed: no such VPC in account 1); it is replaced");
    const next = await world.peering.replace(kept, peer());
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["deletePeering", "createPeering"]);
    expect(world.emulator.state().peerings.map((one) => one.id)).toEqual([next.id]);
  });

  test.each(["INVALID", "TIMEOUT", "disabled"])("%s is a failure even without a message", async (word) => {
    const kept = await world.peering.create(peer());
    world.emulator.mutate.peering(kept.id, { status: word });
    const seen = (await world.peering.refresh(kept)) ?? kept;
    expect(world.peering.preview(seen, peer())).toMatchObject({ replaces: ["status"], isOldFirst: true });
  });

  test.each(["pending-acceptance", "APPROVED", "future word"])("%s is none", async (word) => {
    const kept = await world.peering.create(peer());
    world.emulator.mutate.peering(kept.id, { status: word });
    const seen = (await world.peering.refresh(kept)) ?? kept;
    expect(world.peering.preview(seen, peer())).toMatchObject({ replaces: [], properties: [] });
  });

  test.each<[string, Values]>([
    ["an empty message", { wire: { error_message: "" } }],
    ["a null", { wire: { error_message: null, provisioned_id: "pcx-9" } }],
    ["an old message beside an active peering", { status: "active", errorMessage: "was slow" }],
  ])("%s is none", async (_name, mutation) => {
    const kept = await world.peering.create(peer());
    world.emulator.mutate.peering(kept.id, mutation);
    const seen = (await world.peering.refresh(kept)) ?? kept;
    expect(world.peering.preview(seen, peer()).replaces).toEqual([]);
  });
});

describe("replacement", () => {
  test.each(["peerAccountId", "peerRegionCode", "peerVpcId", "vpcId"])("for another %s", async (key) => {
    const kept = await world.peering.create(peer());
    const preview = world.peering.preview(kept, peer({ [key]: "other" }));
    expect(preview).toMatchObject({ replaces: [key], isOldFirst: false, operations: [] });
    expect(world.warnings).toEqual([
      expect.stringMatching(/^peering .* is replaced: .*until the peer's account accepts/),
    ]);
  });

  test("an unknown VPC is another VPC; another unknown is not", async () => {
    const kept = await world.peering.create(peer());
    expect(world.peering.preview(kept, peer({ vpcId: UNKNOWN })).replaces).toEqual(["vpcId"]);
    expect(world.peering.preview(kept, peer({ peerVpcId: UNKNOWN })).replaces).toEqual([]);
  });
});

describe("deletion", () => {
  test("waits until it has left", async () => {
    const kept = await world.peering.create(peer());
    world.emulator.settings.timings.peeringDelete = 60_000;
    await world.peering.remove(kept);
    expect(world.emulator.state().peerings).toEqual([]);
  });

  test("of one that went with its VPC is done at once", async () => {
    const kept = await world.peering.create(peer());
    world.emulator.mutate.deletePeering(kept.id);
    world.emulator.mutate.deleteVpc(vpc.id);
    world.restart();
    world.calls();
    await world.peering.remove(kept);
    expect(world.calls()).toEqual(["deletePeering"]);
  });
});

test("an imported one that was never read: an update reads it first, and its state names the project from then on", async () => {
  const kept = await world.peering.create(peer());
  for (const outputs of [{ vpcId: kept.outputs["vpcId"] }, { ...kept.outputs, projectId: "" }]) {
    world.restart();
    world.calls();
    const imported = { ...kept, outputs };
    const next = await world.peering.update(imported, peer({ waitFor: "none" }));
    expect(next.outputs).toMatchObject({ ...peer(), projectId: "proj000001", status: kept.outputs["status"] });
    expect((await world.peering.refresh(imported))?.outputs).toMatchObject({ projectId: "proj000001" });
    expect(world.calls()).toEqual([]);
  }
  world.restart();
  await world.peering.remove({ ...kept, outputs: { ...kept.outputs, projectId: "" } });
  expect(world.emulator.state().peerings).toEqual([]);
});

describe("a refresh", () => {
  const refreshed = async (howOften: number): Promise<unknown> => {
    const kept = await world.peering.create(peer({ waitFor: "none" }));
    world.restart();
    world.emulator.mutate.peering(kept.id, { status: "failed" });
    world.onEffect((what) => {
      howOften -= what === "request" ? 1 : 0;
      if (howOften < 0) world.emulator.mutate.peering(kept.id, { status: "active" });
    });
    return (await world.peering.refresh(kept))?.outputs["status"];
  };

  test("does not believe in a failure that shows for a moment, because the next run would replace it", async () => {
    expect(await refreshed(1)).toBe("active");
  });

  test("believes in one that stays", async () => {
    expect(await refreshed(Infinity)).toBe("failed");
  });
});
