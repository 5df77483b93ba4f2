// Peerings: how far creation waits, what a failure leaves behind, and how the next run replaces it, the old one first.

import { expect, test } from "vitest";
import { UNKNOWN, type Values } from "../../provider/domain/values/value";
import { textLike } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, earlier, fault, makeBystander, NET, PEER, refreshed, useWorld, world } from "./scene";

let vpc: Kept;
useWorld({ timings: { peeringProvision: 60_000, peeringActive: Infinity } }, async () => {
  vpc = await world.vpc.create(NET);
  world.calls();
});

const peer = (more: Values = {}): Values => ({ vpcId: vpc.id, ...PEER, ...more });
const accept = (): void => {
  for (const { id } of world.emulator.state().peerings) world.emulator.mutate.peering(id, { status: "ACTIVE" });
};

test("a create waits by default until there is something to accept", async () => {
  const kept = await done(world.peering.create(peer()));
  expect(kept.outputs).toMatchObject({ ...peer(), status: "pending", provisionedId: textLike(/^pcx-/) });
  // A change of waitFor alone is saved without a call.
  const before = world.emulator.requests().length;
  const next = await world.peering.update(kept, peer({ waitFor: "active" }));
  expect(next.outputs["waitFor"]).toBe("active");
  expect(world.emulator.requests()).toHaveLength(before);
});

test('with "none" not at all', async () => {
  const { seconds, result: kept } = await world.timed(() => done(world.peering.create(peer({ waitFor: "none" }))));
  expect(seconds).toBeLessThan(5);
  expect(kept.outputs).not.toHaveProperty("provisionedId");
});

test('with "active" until the peer has accepted, in the next run too, and keeps no others from the VPC', async () => {
  const args = peer({ waitFor: "active", timeouts: { create: "1m", update: "40m" } });
  const half = await world.peering.create(args);
  expect(half.failed).toMatch(/not done after [^]*not accepted by the peer yet/);
  world.restart();
  const resumed = done(world.peering.update(half, args));
  const first = done(world.peering.create(peer({ waitFor: "active", peerVpcId: "vpc-3" })));
  await world.clock.sleep(30_000);
  const other = () => done(world.peering.create(peer({ peerVpcId: "vpc-2" })));
  expect(await world.secondsOf(other)).toBeLessThan(3 * 60);
  accept();
  expect((await resumed).outputs["status"]).toBe("ACTIVE");
  await first;
  expect(world.calls()).toEqual(["createPeering", "createPeering", "createPeering"]);
});

test("a create waits for a VPC that is not ready, and for another peering of it", async () => {
  world.emulator.settings.switches.vpcStatus = true;
  world.emulator.settings.timings.vpcCreate = 30_000;
  const net = done(world.vpc.create({ ...NET, name: "slow" }));
  await world.clock.sleep(1_000);
  const vpcId = world.emulator.state().vpcs.find(({ name }) => name === "slow")?.id;
  await Promise.all([
    net,
    done(world.peering.create(peer({ vpcId }))),
    done(world.peering.create(peer({ vpcId, peerVpcId: "vpc-2" }))),
  ]);
  expect(world.overlaps()).toEqual([]);
});

test("a failed one that no state has is in nobody's way, and is taken by its id alone", async () => {
  world.emulator.settings.switches.peeringError = "no such VPC";
  const failed = await world.peering.create(peer());
  world.emulator.settings.switches.peeringError = "";
  world.nextRun();
  expect((await world.peering.create(peer({ adoptId: failed.id }))).id).toBe(failed.id);
  world.nextRun();
  const kept = await done(world.peering.create(peer()));
  expect(kept.id).not.toBe(failed.id);
  expect(world.calls()).toEqual(["createPeering"]);
  world.nextRun();
  await expect(world.peering.create(peer())).rejects.toThrow("there is already a peering");
});

test("a failure keeps the peering with its message, and the next run replaces it, the old one first", async () => {
  world.emulator.settings.switches.peeringError = "no such VPC";
  const kept = await world.peering.create(peer());
  expect(kept.failed).toContain("it failed (failed: no such VPC)");
  expect(kept.outputs).toMatchObject({ status: "failed", errorMessage: "no such VPC" });
  world.emulator.settings.switches.peeringError = "";
  world.nextRun();
  const planned = { changes: true, replaces: ["status"], isOldFirst: true };
  expect(world.peering.preview(kept, peer())).toMatchObject(planned);
  expect(world.warnings.at(-1)).toContain("has failed (failed: no such VPC); it is replaced");
  const next = await done(world.peering.replace(kept, peer()));
  expect(world.calls()).toEqual(["deletePeering", "createPeering"]);
  expect(world.emulator.state().peerings.map(({ id }) => id)).toEqual([next.id]);
});

test.each<[string, boolean, Values]>([
  ["INVALID", true, { status: "INVALID" }],
  ["TIMEOUT", true, { status: "TIMEOUT" }],
  ["disabled", true, { status: "disabled" }],
  ["pending-acceptance", false, { status: "pending-acceptance" }],
  ["a future word", false, { status: "future word" }],
  ["an empty message", false, { wire: { error_message: "" } }],
  ["a null message", false, { wire: { error_message: null, provisioned_id: "pcx-9" } }],
  ["an old message beside an active peering", false, { status: "active", errorMessage: "was slow" }],
])("%s after a refresh is a failure that is replaced: %s", async (_name, isFailure, mutation) => {
  const kept = await world.peering.create(peer());
  world.emulator.mutate.peering(kept.id, mutation);
  const preview = world.peering.preview(await refreshed(kept, "peering"), peer());
  expect(preview).toMatchObject({ replaces: isFailure ? ["status"] : [], isOldFirst: isFailure, properties: [] });
});

test.each(["pending", "pending-acceptance", "PENDING_ACCEPTANCE", "initiating-request"])(
  "%s waits for the peer",
  async (status) => {
    const kept = await world.peering.create(peer());
    world.emulator.mutate.peering(kept.id, { status });
    await refreshed(kept, "peering");
    expect(world.warnings.join()).toContain("carries no traffic until account");
  },
);

test.each(["lostAfter", "garbage"] as const)(
  "a delete that never gets a clear answer (%s) ends by reads",
  async (kind) => {
    const kept = await world.peering.create(peer());
    const body = { message: "deleted" };
    const always = { operation: "deletePeering", times: Infinity } as const;
    fault(kind === "garbage" ? { kind, status: 200, body, commit: true, ...always } : { kind, ...always });
    world.calls();
    const { seconds } = await world.timed(() => world.peering.remove(kept));
    expect(seconds).toBeLessThan(120);
    // While it is still shown, the delete is sent again.
    expect(world.calls().length).toBeLessThanOrEqual(2);
  },
);

test("a delete that may not have arrived is sent again, although reads lack the object for a while", async () => {
  const kept = await earlier(done(world.peering.create(peer())));
  fault({ kind: "lostBefore", operation: "deletePeering" });
  fault({ kind: "brownout", ids: [kept.id], ms: 60_000 });
  await world.peering.remove(kept);
  world.emulator.settle();
  expect([world.calls(), world.emulator.state().peerings]).toEqual([["deletePeering", "deletePeering"], []]);
});

test.each([
  [1, "active"],
  [Infinity, "failed"],
])("a failure that %d reads show is in a refresh %s, as the next run would replace it", async (reads, status) => {
  const kept = await world.peering.create(peer({ waitFor: "none" }));
  world.restart();
  world.emulator.mutate.peering(kept.id, { status: "failed" });
  let left = reads;
  world.onEffect((what) => {
    left -= what === "request" ? 1 : 0;
    if (left < 0) world.emulator.mutate.peering(kept.id, { status: "active" });
  });
  expect((await refreshed(kept, "peering")).outputs["status"]).toBe(status);
});

test("another peer or VPC, also one that is not known yet, replaces it, the new one first, and says so", async () => {
  const kept = await world.peering.create(peer());
  for (const key of ["peerAccountId", "peerRegionCode", "peerVpcId", "vpcId"]) {
    const preview = world.peering.preview(kept, peer({ [key]: "other" }));
    expect(preview).toMatchObject({ replaces: [key], isOldFirst: false, operations: [] });
    expect(world.warnings.splice(0)).toEqual([textLike(/^peering .* is replaced: .*until the peer's account accepts/)]);
    world.restart();
  }
  expect(world.peering.preview(kept, peer({ vpcId: UNKNOWN })).replaces).toEqual(["vpcId"]);
  expect(world.peering.preview(kept, peer({ peerVpcId: UNKNOWN })).replaces).toEqual([]);
});

test("a delete waits until it has left, and takes the time of one absence where it went with its VPC", async () => {
  makeBystander("vpc");
  const [kept, lost] = [await world.peering.create(peer()), await world.peering.create(peer({ peerVpcId: "vpc-2" }))];
  world.emulator.settings.timings.peeringDelete = 60_000;
  await world.peering.remove(kept);
  expect(world.emulator.state().peerings).toHaveLength(1);
  world.emulator.mutate.deletePeering(lost.id);
  world.emulator.mutate.deleteVpc(vpc.id);
  world.nextRun();
  expect(await world.secondsOf(() => world.peering.remove(lost))).toBeLessThan(35);
  expect(world.calls()).toEqual(["deletePeering"]);
});

test("a peering whose VPC is missing from its list, but not by its id, is not gone where it has no list", async () => {
  const kept = await earlier(world.peering.create(peer()));
  fault({ kind: "garbage", body: [], operation: "listVpcs", times: Infinity });
  for (const operation of ["listPeerings", "getPeering"] as const) {
    fault({ kind: "status", status: 404, operation, times: Infinity });
  }
  await expect(world.peering.refresh(kept)).rejects.toThrow(/^listPeerings.*404/);
  await expect(world.peering.create(peer({ peerVpcId: "vpc-2" }))).rejects.toThrow(/^listPeerings.*404/);
});

test("an update of an import that was never read reads it first, and its state names the project from then on", async () => {
  const kept = await world.peering.create(peer());
  for (const outputs of [{ vpcId: kept.outputs["vpcId"] }, { ...kept.outputs, projectId: "" }]) {
    world.nextRun();
    const imported = { ...kept, outputs };
    const next = await world.peering.update(imported, peer({ waitFor: "none" }));
    expect(next.outputs).toMatchObject({ ...peer(), projectId: "proj000001", status: kept.outputs["status"] });
    expect((await refreshed(imported, "peering")).outputs).toMatchObject({ projectId: "proj000001" });
    expect(world.calls()).toEqual([]);
  }
  world.restart();
  await world.peering.remove({ ...kept, outputs: { ...kept.outputs, projectId: "" } });
  expect(world.emulator.state().peerings).toEqual([]);
});
