// What is missing and nobody has asked to delete: it counts as gone after half a minute, and never all at once.

import { describe, expect, test } from "vitest";
import { errorOf, done, KINDS, LARGE, NET, PEER, settings, setOf, SMALL, useWorld, world } from "../scene";
import { deleteByHand } from "../../invariants/judge/truth";
import type { Kept } from "../../support/world";

useWorld();

const create = (name: string): Promise<Kept> => done(world.service.create({ name, ...SMALL }));
const brownOut = (ms: number): void => void world.emulator.faults.add({ kind: "brownout", ms, times: Infinity });

async function three(): Promise<Kept[]> {
  const kept = [await create("one"), await create("two"), await create("three")];
  world.nextRun();
  return kept;
}

/** What a refresh of all says of each: its id, "gone" or the error. */
const outcomes = (all: readonly Kept[]): Promise<string[]> =>
  Promise.all(all.map((kept) => world.service.refresh(kept).then((seen) => seen?.id ?? "gone", String)));

describe("what shows again", () => {
  test.each([1_000, 5_000, 20_000])("after a brown-out of %i ms is not forgotten", async (ms) => {
    const kept = await three();
    const vpc = await done(world.vpc.create(NET));
    world.nextRun();
    brownOut(ms);
    const [seen, net] = await Promise.all([outcomes(kept), world.vpc.refresh(vpc)]);
    expect(seen).toEqual(kept.map(({ id }) => id));
    expect(net?.id).toBe(vpc.id);
  });

  test("ends no update", async () => {
    const kept = await create("orders");
    brownOut(10_000);
    const next = await done(world.service.update(kept, { name: "orders", ...SMALL, poolerEnabled: true }));
    expect(world.calls()).toContain("enablePooler");
    expect(next.outputs["poolerEnabled"]).toBe(true);
  });
});

test("a tag that the state does not know protects a service and its sets also while the server shows nothing", async () => {
  const kept = await create("orders");
  const set = await done(world.readReplicaSet.create(setOf(kept)));
  world.nextRun();
  world.emulator.mutate.service(kept.id, { environment: "PROD" });
  brownOut(10_000);
  const ends = await Promise.all([world.service.remove(kept), world.readReplicaSet.remove(set)].map(errorOf));
  for (const { message } of ends) expect(message).toContain("has the environment tag PROD");
  expect(world.calls()).toEqual([]);
});

describe("what is gone", () => {
  test("and was protected is made again as its error says, also by a run that is to change it besides", async () => {
    await create("another");
    const kept = await done(world.service.create({ name: "orders", ...SMALL, deletionProtection: true }));
    world.emulator.mutate.deleteService(kept.id);
    world.nextRun();
    const refused = await errorOf(world.service.refresh(kept));
    expect(refused.hint).toContain('set `onMissing: "recreate"` and `deletionProtection: false`');
    const open = { name: "orders", ...LARGE, onMissing: "recreate", deletionProtection: false };
    const next = await world.service.update(kept, open);
    expect(next.failed).toContain("it is no longer there");
    expect(next.failed).not.toContain("exists");
    world.restart();
    expect(await world.service.refresh(next)).toBeUndefined();
  });

  test("is believed after half a minute, by two 404s of its own", async () => {
    const [first, ...others] = await three();
    if (first === undefined) throw new Error("none");
    world.emulator.mutate.deleteService(first.id);
    const seconds = await world.secondsOf(async () => {
      expect(await outcomes([first, ...others])).toEqual(["gone", ...others.map(({ id }) => id)]);
    });
    expect([seconds >= 30, seconds < 35]).toEqual([true, true]);
    expect(world.warnings.at(-1)).toMatch(/service one .* is gone.* EMPTY/);
    const own = world.requestsOf("getService").filter(({ params }) => params["service_id"] === first.id);
    expect(own.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(2);
  });

  test("and is said to be DELETED is believed at once", async () => {
    const kept = await create("orders");
    world.emulator.mutate.service(kept.id, { status: "DELETED" });
    world.nextRun();
    expect(await world.secondsOf(async () => expect(await outcomes([kept])).toEqual(["gone"]))).toBeLessThan(1);
  });

  test("and still shows as DELETED takes its parts with it", async () => {
    const service = await create("orders");
    const set = await done(world.readReplicaSet.create(setOf(service)));
    world.emulator.mutate.service(service.id, { status: "DELETED" });
    world.emulator.faults.add({ kind: "status", status: 404, operation: "deleteReplicaSet", times: Infinity });
    world.nextRun();
    await expect(world.readReplicaSet.remove(set)).resolves.toBeUndefined();
  });

  test("is counted from the first list of the run that lacked it, whoever read that", async () => {
    const [one, two, present] = await three();
    if (one === undefined || two === undefined || present === undefined) throw new Error("none");
    for (const { id } of [one, two]) world.emulator.mutate.deleteService(id);
    expect(await outcomes([one, present])).toEqual(["gone", present.id]);
    expect(await world.secondsOf(async () => expect(await outcomes([two])).toEqual(["gone"]))).toBeLessThan(3);
  });

  test("and is a part of another object is believed after half a minute too: its parent may be hidden", async () => {
    const [service, vpc] = [await create("orders"), await done(world.vpc.create(NET))];
    const set = await done(world.readReplicaSet.create(setOf(service)));
    const peering = await done(world.peering.create({ vpcId: vpc.id, ...PEER }));
    world.emulator.mutate.deleteReplicaSet(set.id);
    world.emulator.mutate.deletePeering(peering.id);
    world.nextRun();
    const seconds = await world.secondsOf(async () => {
      expect(await world.readReplicaSet.refresh(set)).toBeUndefined();
      expect(await world.peering.refresh(peering)).toBeUndefined();
    });
    expect([seconds >= 60, seconds < 70]).toEqual([true, true]);
  });

  test("ends an update that meets it after half a minute", async () => {
    const kept = await create("orders");
    world.emulator.mutate.deleteService(kept.id);
    world.nextRun();
    const update = world.service.update(kept, { name: "orders", ...SMALL, poolerEnabled: true });
    const seconds = await world.secondsOf(async () => expect((await update).failed).toMatch(/no longer there/));
    expect([seconds >= 30, seconds < 60]).toEqual([true, true]);
  });

  test("during a change is no object that exists, says the error", async () => {
    const kept = await create("orders");
    world.nextRun();
    const act = (): void => world.emulator.mutate.deleteService(kept.id);
    world.emulator.faults.add({ kind: "meanwhile", operation: "enablePooler", when: "after", act });
    const { failed } = await world.service.update(kept, { name: "orders", ...SMALL, poolerEnabled: true });
    expect(failed).toMatch(/it is no longer there[^]*\nservice .* stays in the state\./);
    expect(failed).not.toMatch(/exists and is kept|The next `pulumi up` continues/);
  });

  test("is not believed in less time than that", async () => {
    const kept = await world.service.create({ name: "orders", timeouts: { read: "5s" } });
    world.emulator.mutate.deleteService(kept.id);
    expect((await errorOf(world.service.refresh(kept))).fullMessage).toMatch(/less than 30 s.*`timeouts`/s);
  });
});

describe("what is all gone at once", () => {
  test("is not believed: the error names another one, and how to say that it is so", async () => {
    const kept = await three();
    for (const { id } of kept) world.emulator.mutate.deleteService(id);
    const words = /service one .*service (two|three) .*shows no service.*the state is unchanged/s;
    const [first, ...others] = await outcomes(kept);
    expect(first).toMatch(words);
    expect(others.filter((said) => !/service one .* is too/.test(said))).toEqual([]);
    // One after the other as well.
    world.nextRun();
    const alone: string[] = [];
    for (const one of kept) alone.push(...(await outcomes([one])));
    expect(alone.filter((said) => said === "gone").length).toBeLessThanOrEqual(1);
    const [one] = kept;
    const told = one && (await errorOf(world.service.refresh(one)));
    expect(told?.hint).toContain(`DBCLOUD_BELIEVE_GONE=${world.emulator.projectId}`);
    const believing = world.elsewhere(settings());
    believing.believedGone.push(world.emulator.projectId);
    for (const each of kept) expect(await believing.service.refresh(each)).toBeUndefined();
  });

  test("is believed where the project shows another object", async () => {
    world.emulator.mutate.createService({ name: "of-others" });
    const kept = await three();
    for (const { id } of kept) world.emulator.mutate.deleteService(id);
    expect(await outcomes(kept)).toEqual(["gone", "gone", "gone"]);
  });
});

test("a hundred objects that are gone take half a minute together, and few lists", async () => {
  world.emulator.mutate.createService({ name: "of-others" });
  const kept = await Promise.all(Array.from({ length: 100 }, (_, index) => create(`s${index}`)));
  for (const { id } of kept) world.emulator.mutate.deleteService(id);
  world.nextRun();
  world.emulator.clearRequests();
  const seconds = await world.secondsOf(async () => expect(new Set(await outcomes(kept))).toEqual(new Set(["gone"])));
  expect(seconds).toBeLessThan(36);
  expect(world.requestsOf("getService")).toHaveLength(200);
  expect(world.requestsOf("listServices").length).toBeLessThan(20);
});

describe("a delete that was not accepted, in a brown-out", () => {
  /** From the first DELETE on. */
  const brownOutAtDelete = (ms: number): void => {
    world.onRequest(({ method }) => {
      if (method !== "DELETE") return;
      world.onRequest(() => undefined);
      brownOut(ms);
    });
  };

  test.each([
    ["has no answer", 503],
    ["is answered 404", 404],
    ["is answered 200 with the words of a refusal", 200],
  ])("and %s leaves no object behind", async (_, status) => {
    const kept = await create("orders");
    world.nextRun();
    world.emulator.faults.add({ kind: "status", status, operation: "deleteService" });
    brownOutAtDelete(5_000);
    const end = await Promise.allSettled([world.service.remove(kept)]);
    // What is still there is deleted, or stays in the state.
    const [wanted, left] = status === 503 ? ["fulfilled", 0] : ["rejected", 1];
    expect([end[0].status, world.emulator.state().services.length]).toEqual([wanted, left]);
  });

  test("and took effect ends when it has been missing for long enough", async () => {
    const kept = await create("orders");
    world.nextRun();
    world.emulator.faults.add({ kind: "status", status: 503, operation: "deleteService", commit: true });
    expect(await world.secondsOf(() => world.service.remove(kept))).toBeLessThan(60);
    expect(world.emulator.state().services).toEqual([]);
  });

  const createUnprotected = async (): Promise<Kept> =>
    done(world.service.update(await create("orders"), { name: "orders", ...SMALL, deletionProtection: false }));

  test("of what this run has never seen, and without an answer, leaves no object behind", async () => {
    const unprotected = await createUnprotected();
    world.nextRun();
    brownOut(20_000);
    world.emulator.faults.add({ kind: "status", status: 503, operation: "deleteService" });
    await world.service.remove(unprotected);
    expect([world.calls(), world.emulator.state().services]).toEqual([["deleteService", "deleteService"], []]);
  });

  test("of what this run has never seen is over when its list lacks it", async () => {
    const unprotected = await createUnprotected();
    world.emulator.mutate.deleteService(unprotected.id);
    world.restart();
    expect(await world.secondsOf(() => world.service.remove(unprotected))).toBeLessThan(5);
  });
});

describe("a delete of what somebody else has deleted", () => {
  type Kind = (typeof KINDS)[number];
  const vpc = (): Promise<Kept> => done(world.vpc.create(NET));
  const make: Record<Kind, () => Promise<Kept>> = {
    vpc,
    peering: async () => done(world.peering.create({ vpcId: (await vpc()).id, ...PEER })),
    service: () => create("orders"),
    readReplicaSet: async () => done(world.readReplicaSet.create(setOf(await create("orders")))),
  };

  test.each(KINDS.flatMap((kind) => [true, false].map((isSeen) => ({ kind, isSeen }))))(
    "a $kind takes the time of one absence (seen before by this run: $isSeen)",
    async ({ kind, isSeen }) => {
      const kept = await make[kind]();
      if (!isSeen) world.nextRun();
      deleteByHand(world.emulator, { kind, id: kept.id });
      expect(await world.secondsOf(() => world[kind].remove(kept))).toBeLessThan(35);
    },
  );

  test("a VPC whose peering somebody else has deleted is not held up by it", async () => {
    const network = await vpc();
    const peering = await done(world.peering.create({ vpcId: network.id, ...PEER }));
    world.emulator.mutate.deletePeering(peering.id);
    world.nextRun();
    const destroy = async (): Promise<void> => {
      await world.peering.remove(peering);
      await world.vpc.remove(network);
    };
    expect(await world.secondsOf(destroy)).toBeLessThan(5);
    expect(world.emulator.state().vpcs).toEqual([]);
  });
});

test("a delete of what is gone, with less time than that takes, says how much it needs", async () => {
  const kept = await done(world.service.create({ name: "orders", ...SMALL, timeouts: { delete: "20s" } }));
  world.nextRun();
  deleteByHand(world.emulator, { kind: "service", id: kept.id });
  expect(await errorOf(world.service.remove(kept))).toMatchObject({
    errorName: "gone-too-short",
    hint: "Nothing counts as gone sooner: set `timeouts` to more than 30 s.",
  });
});
