// One object that does not answer, or answers what nobody can read: it concerns whoever asks for it, and nobody else.

import { beforeEach, describe, expect, test } from "vitest";
import type { RequestRecord } from "../../emulator/index";
import type { Kept } from "../support/world";
import { fault, LARGE, NET, PEER, setOf, SMALL, useWorld, world } from "./scene";

useWorld({ timings: { queued: 0, create: 5_000, resize: 20_000, delete: 5_000 } });

const isOf =
  (id: string) =>
  ({ params }: Readonly<RequestRecord>): boolean =>
    Object.values(params).includes(id);

function resize(kept: Kept, more: object = {}): Promise<Kept> {
  return world.service.update(kept, { ...kept.inputs, ...LARGE, ...more });
}

describe("a service whose GET always fails", () => {
  let sick: Kept;
  let well: Kept[];
  beforeEach(async () => {
    sick = await world.service.create({ name: "sick", ...SMALL, timeouts: { update: "10m" } });
    well = await Promise.all(["a", "b"].map((name) => world.service.create({ name, ...SMALL })));
  });

  test.each([500, 503])("with %i, and read first: the others take as long as alone", async (status) => {
    const [first, second] = well as [Kept, Kept];
    const alone = await world.secondsOf(() => resize(first));
    const match = isOf(sick.id);
    fault({ kind: "status", status, operation: "getService", match, times: Infinity });
    // The list of the others shows it too, sooner or later.
    const own = resize(sick).catch((error: Error) => error.message);
    await world.clock.sleep(100);
    const made = world.service.create({ name: "new", ...SMALL });
    expect(await world.secondsOf(() => resize(second))).toBeLessThanOrEqual(alone + 1);
    expect((await made).failed).toBeUndefined();
    expect(await world.secondsOf(() => own)).toBeLessThanOrEqual(600);
  });

  test("its own deadline counts for it, and it is not asked for without end", async () => {
    const match = ({ method }: { method: string }): boolean => method === "GET";
    fault({ kind: "status", status: 500, match, times: Infinity });
    world.emulator.clearRequests();
    const stuck = await resize(sick);
    expect(stuck.failed).toMatch(/not done after 10 m .*no answer \(500\) ×/);
    expect(world.emulator.requests().length).toBeLessThan(300);
  });
});

test.each([401, 403, 404, 429, 500, 503])(
  "%i to every list: one refresh after the other reads its own service",
  async (status) => {
    const kept = await Promise.all(["a", "b", "c", "d"].map((name) => world.service.create({ name })));
    world.restart();
    fault({ kind: "status", status, operation: "listServices", times: Infinity });
    const seconds = await world.secondsOf(async () => {
      for (const one of kept) expect((await world.service.refresh(one))?.id).toBe(one.id);
    });
    expect(seconds).toBeLessThan(60);
  },
);

describe("a 503 with Retry-After", () => {
  const ASKED = { kind: "status", status: 503, headers: { "Retry-After": "30" } } as const;

  test.each(["resize", "listServices"] as const)("on %s: the whole process rests so long, reads too", async (op) => {
    const kept = await Promise.all(["a", "b"].map((name) => world.service.create({ name, ...SMALL })));
    world.restart();
    let struckMs = 0;
    fault({ ...ASKED, operation: op, match: ({ at }) => (struckMs ||= at) > 0 });
    const all = await Promise.all([...kept.map((one) => resize(one)), world.service.create({ name: "new" })]);
    expect(all.map(({ failed }) => failed)).toEqual([undefined, undefined, undefined]);
    expect(struckMs).toBeGreaterThan(0);
    const meanwhile = world.emulator.requests().filter(({ at }) => at > struckMs && at < struckMs + 30_000);
    expect(meanwhile).toEqual([]);
  });

  test("on the read of one object: that one alone rests", async () => {
    const [a, b] = await Promise.all(["a", "b"].map((name) => world.service.create({ name, ...SMALL })));
    world.restart();
    fault({ ...ASKED, operation: "getService", match: isOf(a?.id ?? ""), times: 2 });
    const first = resize(a as Kept);
    expect(await world.secondsOf(() => resize(b as Kept))).toBeLessThanOrEqual(25);
    expect((await first).failed).toBeUndefined();
  });
});

describe("a field that nobody can read, somewhere else", () => {
  const ODD = { endpoint: { host: "h", port: "5432" } };
  let odd: string;
  let orders: Kept;
  let bills: Kept;
  beforeEach(async () => {
    orders = await world.service.create({ name: "orders", ...SMALL });
    bills = await world.service.create({ name: "bills", ...SMALL });
    odd = world.emulator.mutate.createService({ name: "odd" }).id;
    world.emulator.mutate.service(odd, { wire: ODD });
    await world.clock.sleep(300_000);
    world.restart();
  });

  test("creates, refreshes, parallel updates and deletes go on", async () => {
    const [updated, more] = await Promise.all([resize(orders), resize(bills)]);
    expect([updated.failed, more.failed]).toEqual([undefined, undefined]);
    expect((await world.service.create({ name: "new" })).failed).toBeUndefined();
    world.restart();
    const seen = await Promise.all([updated, more].map((kept) => world.service.refresh(kept)));
    expect(seen.map((kept) => kept?.id)).toEqual([orders.id, bills.id]);
    await world.service.remove(updated);
    expect(world.emulator.state().services.map(({ name }) => name)).not.toContain("orders");
  });

  test("its name is taken all the same", async () => {
    world.calls();
    await expect(world.service.create({ name: "odd" })).rejects.toThrow(
      `a service that cannot be read: "odd" (${odd}): endpoint.port: `,
    );
    expect(world.calls()).toEqual([]);
  });

  test("ours: it says so, and which field, and the others go on", async () => {
    world.emulator.mutate.service(orders.id, { wire: ODD });
    const { seconds, result } = await world.timed(() => Promise.allSettled([resize(orders), resize(bills)]));
    const [mine, other] = result;
    expect(String((mine as PromiseRejectedResult).reason)).toMatch(
      /getService \(services\/\w+\): the answer does not match the contract: endpoint\.port: /,
    );
    expect(seconds).toBeLessThan(6 * 60);
    expect(world.progress.join("\n")).toMatch(/endpoint\.port/);
    expect(other).toMatchObject({ status: "fulfilled", value: { id: bills.id } });
    await expect(world.service.refresh(orders)).rejects.toThrow("endpoint.port");
  });

  test("a lost create is not found in what could not be read before", async () => {
    world.emulator.mutate.service(odd, { wire: { service_id: 7, name: 7 } });
    fault({ kind: "lostBefore", operation: "createService" });
    const made = world.service.create({ name: "odd" }).catch((error: Error) => error);
    await world.clock.sleep(2_000);
    world.emulator.mutate.service(odd, { wire: { service_id: odd, name: "odd" } });
    expect(await made).toMatchObject({ code: "OUTCOME_UNKNOWN" });
    expect(world.callsOn(odd)).toEqual([]);
  });
});

test("a replica set that cannot be read: its service, its siblings and their changes go on", async () => {
  const parent = await world.service.create({ name: "orders", ...SMALL });
  const make = (name: string): Promise<Kept> => world.readReplicaSet.create(setOf(parent, { name }));
  const [odd, well] = [await make("odd"), await make("well")];
  await world.clock.sleep(300_000);
  world.emulator.mutate.replicaSet(odd.id, { wire: { nodes: "two" } });
  world.restart();
  expect((await world.service.refresh(parent))?.id).toBe(parent.id);
  expect((await world.readReplicaSet.refresh(well))?.id).toBe(well.id);
  await expect(world.readReplicaSet.refresh(odd)).rejects.toThrow(
    `its read replica set "odd" (${odd.id}): nodes: Invalid input`,
  );
  await expect(make("odd")).rejects.toThrow("a read replica set that cannot be read");
  expect((await resize(parent)).failed).toBeUndefined();
  expect((await make("third")).failed).toBeUndefined();
});

test("a VPC or peering that cannot be read: the others go on, and its own peer is taken", async () => {
  const oddVpc = world.emulator.mutate.createVpc({ name: "odd" });
  world.emulator.mutate.vpc(oddVpc.id, { wire: { cidr: 7 } });
  const net = await world.vpc.create(NET);
  expect((await world.vpc.refresh(net))?.id).toBe(net.id);
  await expect(world.vpc.create({ ...NET, name: "odd" })).rejects.toThrow("there is already a VPC that cannot be read");
  const odd = await world.peering.create({ vpcId: net.id, ...PEER });
  world.emulator.mutate.peering(odd.id, { wire: { status: 7 } });
  world.restart();
  const other = await world.peering.create({ vpcId: net.id, ...PEER, peerVpcId: "vpc-2" });
  expect((await world.peering.refresh(other))?.id).toBe(other.id);
  await expect(world.peering.create({ vpcId: net.id, ...PEER })).rejects.toThrow("a peering that cannot be read");
  await expect(world.peering.refresh(odd)).rejects.toThrow("status: Invalid input");
});
