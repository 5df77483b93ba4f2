// The last look before the delete of a VPC, on a server that detaches or deletes what is in it: what proves there that the VPC
// is empty is new, and read in an order in which nothing can enter unseen.

import { beforeEach, describe, expect, test } from "vitest";
import type { Kept } from "../support/world";
import { done, errorOf, fault, hideVpcsInLists, NET, open, PEER, urn, useWorld, world } from "./scene";

useWorld();

let vpc: Kept;
async function makeVpc(): Promise<void> {
  world.emulator.settings.switches.deleteVpcInUse = "cascade";
  vpc = await world.vpc.create(NET);
  world.nextRun();
}
beforeEach(makeVpc);

const made = (fields: object = {}): string =>
  world.emulator.mutate.createService({ name: "orders", regionCode: NET.regionCode, ...fields }).id;

/** The VPC leaves the state in the run in which the program still has the others. */
async function refusedIn(minutes: number): Promise<string> {
  const timeouts = { delete: `${minutes}m` };
  const { message } = await errorOf(world.vpc.removePending({ ...vpc, outputs: { ...vpc.outputs, timeouts } }));
  expect(world.calls()).toEqual([]);
  return message;
}

const OUTSIDE = {
  vpc_endpoint: "null",
  vpcEndpoint: "null",
  endpoint: { value: { host: "orders.example.com", port: 5432 } },
} as const;

describe("what the state has, and lists lack", () => {
  test.each([0, 1, 3])("keeps the VPC while its id answers, also after %i 404s of it", async (times) => {
    const args = { name: "orders", regionCode: NET.regionCode, vpcId: vpc.id, ...urn("db") };
    const kept = await done(world.service.create(args));
    world.nextRun();
    world.service.preview(kept, args);
    fault({ kind: "brownout", ids: [kept.id], in: "lists" });
    if (times > 0) fault({ kind: "status", status: 404, operation: "getService", times });
    expect(await refusedIn(20)).toContain("answers by its id");
  });

  test("keeps the VPC if it is a peering that answers by its id", async () => {
    const args = { ...PEER, vpcId: vpc.id, ...urn("peer") };
    const kept = await done(world.peering.create(args));
    world.nextRun();
    world.peering.preview(kept, args);
    fault({ kind: "brownout", ids: [kept.id], in: "lists" });
    expect(await refusedIn(20)).toContain(kept.id);
  });
});

test.each([2_000, 5_000])(
  "a row that shows a service inside counts, whatever an own read of %i ms ago says",
  async (ms) => {
    const id = made();
    world.emulator.mutate.service(id, { vpcId: vpc.id });
    const untilMs = world.clock.now() + ms;
    const match = ({ at }: { at: number }): boolean => at < untilMs;
    fault({ kind: "members", members: OUTSIDE, in: "reads", ids: [id], times: Infinity, match });
    expect(await refusedIn(20)).toContain('service "orders"');
  },
);

test.each([300, 900])(
  "old values for %i ms, after a look has found a service inside, do not empty the VPC",
  async (ms) => {
    const id = made();
    let [lists, oldMs] = [0, Infinity];
    world.onRequest(({ operation }) => {
      if (operation !== "listServices") return;
      lists += 1;
      if (lists === 3) world.emulator.mutate.service(id, { vpcId: vpc.id });
      if (lists === 4) oldMs = world.clock.now();
    });
    const match = ({ at }: { at: number }): boolean => lists >= 3 && at >= oldMs && at < oldMs + ms;
    fault({ kind: "members", members: OUTSIDE, ids: [id], times: Infinity, match });
    expect(await refusedIn(20)).toContain("nothing was deleted");
  },
);

test.each([5_000, 14_000])("a list of peerings that takes %i ms lets no service enter unseen", async (ms) => {
  let peerings = 0;
  world.onRequest(({ operation }) => {
    peerings += operation === "listPeerings" ? 1 : 0;
    world.told.answerMs = operation === "listPeerings" && peerings === 3 ? ms : 0;
    if (world.told.answerMs > 0) void world.clock.sleep(1_000).then(() => made({ vpcId: vpc.id }));
  });
  expect(await refusedIn(20)).toContain('service "orders"');
});

test("an adoption that the program declares during the look is in time", async () => {
  let lists = 0;
  world.onRequest(({ operation }) => {
    lists += operation === "listServices" ? 1 : 0;
    if (operation === "listServices" && lists === 3) world.vpc.check({ ...NET, adoptId: vpc.id, ...urn("adopter") });
  });
  expect(await refusedIn(20)).toContain("claimed");
});

describe("beside services elsewhere, whose rows show neither VPC nor address, a VPC goes soon", () => {
  const inAnother = (count: number): void => {
    hideVpcsInLists();
    const other = world.emulator.mutate.createVpc({ ...NET, name: "other", cidr: "10.77.0.0/24" }).id;
    for (let at = 0; at < count; at += 1) made({ name: `s${at}`, vpcId: other });
  };

  test("if they are 45, and each answer takes 100 ms", async () => {
    inAnother(45);
    world.told.answerMs = 100;
    expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(60);
  });

  test("if one is paused in another region, and each answer takes 2.5 s", async () => {
    const id = made({ regionCode: "eu-central-1" });
    world.emulator.mutate.service(id, { status: "PAUSED" });
    const members = { endpoint: "absent", vpc_endpoint: "absent", vpcEndpoint: "absent" } as const;
    fault({ kind: "members", members, ids: [id], times: Infinity });
    world.told.answerMs = 2_500;
    expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(120);
  });

  test("if they are six, at one request per second", async () => {
    await open({}, { maxRequestsPerSecond: "1" });
    await makeVpc();
    inAnother(6);
    expect(await world.secondsOf(() => world.vpc.remove(vpc))).toBeLessThan(120);
  });
});
