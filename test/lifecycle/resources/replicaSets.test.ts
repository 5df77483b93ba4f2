// Read replica sets: made beside a parent that may be busy or too young, found through it, changed in place, replaced
// where no call exists, and deleted together with their parent.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EmulatorOptions, RequestRecord } from "../../../emulator/index";
import { UNKNOWN } from "../../../provider/domain/values/unknown";
import type { Values } from "../../../provider/lifecycle/resources/resource";
import { openWorld, type Kept, type World } from "../../support/world";

let world: World;
let parent: Kept;
let onRequest: (request: RequestRecord) => void;
beforeEach(async () => {
  onRequest = () => undefined;
  world = await openWorld({
    onRequest: (request) => {
      onRequest(request);
    },
  });
  parent = await world.service.create({ name: "orders" });
  world.calls();
});
afterEach(() => world.close());

const URN = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:ReadReplicaSet::readers";

function readers(more: Values = {}): Values {
  return { serviceId: parent.id, name: "readers", nodes: 2, cpuMillis: 500, memoryGbs: 2, ...more };
}

/** The sets as the parent shows them. */
function shownSets(): object[] {
  return world.emulator.state().replicaSets.map(({ id, name, nodes, status, cpuMillis, memoryGbs }) => {
    return { id, name, nodes, status, cpu_millis: cpuMillis, memory_gbs: memoryGbs };
  });
}

describe("creation", () => {
  test("sends numbers, waits until it is active, then does what the call cannot take", async () => {
    const kept = await world.readReplicaSet.create(readers({ poolerEnabled: true, environment: "PROD" }));
    expect(kept.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "setReplicaEnvironment", "enableReplicaPooler"]);
    const call = world.emulator.requests().find((request) => request.operation === "createReplicaSet");
    expect(call?.body).toEqual({ name: "readers", nodes: 2, cpu_millis: 500, memory_gbs: 2 });
    expect(kept.outputs).toMatchObject({ ...readers(), poolerEnabled: true, environment: "PROD", status: "active" });
    expect(kept.outputs["endpoint"]).toHaveProperty("host");
    expect(await world.readReplicaSet.update(kept, readers({ poolerEnabled: true, environment: "PROD" }))).toBe(kept);
  });

  test("waits for a busy parent, and three sets are made one after the other", async () => {
    world.emulator.settings.timings.resize = 20_000;
    const grown = world.service.update(parent, { name: "orders", cpuMillis: 1000, memoryGbs: 4 });
    const sets = await Promise.all(
      ["a", "b", "c"].map((name) => world.readReplicaSet.create(readers({ name, poolerEnabled: true }))),
    );
    expect((await grown).failed).toBeUndefined();
    expect(sets.map((set) => set.failed)).toEqual([undefined, undefined, undefined]);
    expect(
      world.emulator
        .state()
        .replicaSets.map((set) => set.name)
        .toSorted(),
    ).toEqual(["a", "b", "c"]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });

  test("waits out a parent that somebody else keeps busy", async () => {
    world.emulator.settings.timings.ha = 90_000;
    await world.session.client.services.setHA({ projectId: "proj000001", serviceId: parent.id, replicaCount: 1 });
    const kept = await world.readReplicaSet.create(readers());
    expect(kept.failed).toBeUndefined();
    const refused = world.emulator.requests().filter((request) => request.refusedAsBusy);
    expect(refused.length).toBeLessThan(5);
  });

  test("waits for the parent's first backup", async () => {
    world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 40 * 60_000 });
    const kept = await world.readReplicaSet.create(readers());
    expect(kept.failed).toBeUndefined();
  });

  test("is refused for a parent that is not there", async () => {
    await expect(world.readReplicaSet.create(readers({ serviceId: "nobody0000" }))).rejects.toThrow(
      "there is no service",
    );
    expect(world.calls()).toEqual([]);
  });

  test("that ends in an error keeps the set in the state, and says so", async () => {
    world.emulator.faults.add({ kind: "stuck", status: "error", operation: "createReplicaSet" });
    const kept = await world.readReplicaSet.create(readers());
    expect(kept.failed).toContain("it failed (error)");
    expect(kept.id).toBe(world.emulator.state().replicaSets[0]?.id);
    // It holds no data: the next up makes another one by itself.
    const preview = world.readReplicaSet.preview(kept, readers());
    expect(preview).toMatchObject({ changes: true, replaces: ["status"], isOldFirst: true });
    expect(world.warnings.at(-1)).toContain("has failed (error); it is replaced, the old one first");
    world.emulator.mutate.replicaSet(kept.id, { status: "error" });
    world.emulator.faults.clear();
    const whole = await world.readReplicaSet.replace(kept, readers());
    expect(whole.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet", "createReplicaSet"]);
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([whole.id]);
  });

  test("that fails later is replaced after a refresh, or after the first update that meets it", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.mutate.replicaSet(kept.id, { status: "error" });
    const seen = (await world.readReplicaSet.refresh(kept)) ?? kept;
    expect(world.readReplicaSet.preview(seen, readers())).toMatchObject({ replaces: ["status"], isOldFirst: true });
    const large = readers({ cpuMillis: 1000, memoryGbs: 4 });
    const tried = await world.readReplicaSet.update(kept, large);
    expect(tried.failed).toContain("it failed (error)");
    // The inputs differ: the engine names them.
    expect(world.readReplicaSet.preview(tried, large)).toMatchObject({ changes: undefined, replaces: ["status"] });
    const whole = await world.readReplicaSet.replace(tried, large);
    expect(whole.outputs).toMatchObject({ cpuMillis: 1000, status: "active" });
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).toEqual([whole.id]);
  });
});

describe("a move of the service", () => {
  const NET = { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" };
  const WORD = (set: Kept, how: string) =>
    `read replica set readers (${set.id}): its service ${how}: its addresses are read anew`;

  /** What the server itself shows of the set. */
  async function shownEndpoint(): Promise<unknown> {
    const { readReplicaSets } = await world.session.client.services.get({
      projectId: "proj000001",
      serviceId: parent.id,
    });
    return readReplicaSets[0]?.endpoint;
  }

  test.each<[string, EmulatorOptions["stale"]]>([
    ["a server that tells at once", { reads: 0 }],
    ["a server that shows old values for five reads", { reads: 5 }],
    ["a server whose old values come back", { reads: 2, comesBack: 1 }],
  ])("takes its sets along, in the same run: %s", async (_name, stale) => {
    const set = await world.readReplicaSet.create(readers());
    const bystander = await world.service.create({ name: "bills" });
    const beside = readers({ serviceId: bystander.id });
    const other = await world.readReplicaSet.create(beside);
    const net = await world.vpc.create(NET);
    Object.assign(world.emulator.settings.stale, stale);
    world.restart();
    world.calls();

    const placed = { name: "orders", vpcId: net.id };
    expect(world.service.preview(parent, placed).operations).toEqual(["attachToVPC"]);
    world.warnings.splice(0);
    expect(world.readReplicaSet.preview(set, readers())).toMatchObject({ changes: true, operations: [], replaces: [] });
    expect(world.warnings).toEqual([WORD(set, "moves")]);
    expect(world.readReplicaSet.preview(other, beside).changes).toBeUndefined();

    const moved = await world.service.update(parent, placed);
    const next = await world.readReplicaSet.update(set, readers());
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["attachToVPC"]);
    expect(next.outputs["endpoint"]).not.toEqual(set.outputs["endpoint"]);
    expect(next.outputs["endpoint"]).toEqual(await shownEndpoint());

    world.restart();
    world.warnings.splice(0);
    expect(world.service.preview(moved, placed).changes).toBeUndefined();
    expect(world.readReplicaSet.preview(next, readers()).changes).toBeUndefined();
    const refreshed = await world.readReplicaSet.refresh(next);
    expect(refreshed?.outputs["__drift"]).toBeUndefined();
    expect(world.warnings).toEqual([]);
  });

  test("that is not known yet may take them along", async () => {
    const set = await world.readReplicaSet.create(readers());
    world.restart();
    world.service.preview(parent, { name: "orders", vpcId: UNKNOWN });
    world.warnings.splice(0);
    expect(world.readReplicaSet.preview(set, readers()).changes).toBe(true);
    expect(world.warnings).toEqual([WORD(set, "may move")]);
    // As it turns out to be nothing, nothing is done.
    world.service.preview(parent, { name: "orders" });
    const requests = world.emulator.requests().length;
    expect(await world.readReplicaSet.update(set, readers())).toBe(set);
    expect(world.emulator.requests()).toHaveLength(requests);
  });

  test("is remembered where the service's update ends early", async () => {
    const set = await world.readReplicaSet.create(readers());
    const net = await world.vpc.create(NET);
    world.restart();
    world.emulator.faults.add({ kind: "status", status: 400, operation: "enablePooler", times: 1 });
    const placed = { name: "orders", vpcId: net.id, poolerEnabled: true };
    const half = await world.service.update(parent, placed);
    expect(half.failed).toContain("failed: enablePooler");

    world.restart();
    const whole = await world.service.update(half, placed);
    const next = await world.readReplicaSet.update(set, readers());
    expect([whole.failed, next.failed]).toEqual([undefined, undefined]);
    expect(next.outputs["endpoint"]).toEqual(await shownEndpoint());
    world.restart();
    expect(world.service.preview(whole, placed).changes).toBeUndefined();
    expect(world.readReplicaSet.preview(next, readers()).changes).toBeUndefined();
  });

  test("that leaves the address of a set as it is keeps nobody waiting for long", async () => {
    const set = await world.readReplicaSet.create(readers());
    world.restart();
    world.service.preview(parent, { name: "orders", vpcId: "12345" });
    const startedMs = world.clock.now();
    const next = await world.readReplicaSet.update(set, readers());
    expect(next.outputs["endpoint"]).toEqual(set.outputs["endpoint"]);
    expect(world.clock.now() - startedMs).toBeLessThan(5 * 60_000);
  });
});

describe("changes in place", () => {
  test("size, pooler and tag, in one order, one at a time", async () => {
    const kept = await world.readReplicaSet.create(readers({ poolerEnabled: true }));
    world.calls();
    const args = readers({ poolerEnabled: false, environment: "DEV", cpuMillis: 1000, memoryGbs: 4 });
    const preview = world.readReplicaSet.preview(kept, args);
    expect(preview.operations).toEqual(["setEnvironment", "resize", "disablePooler"]);
    const next = await world.readReplicaSet.update(kept, args);
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["setReplicaEnvironment", "resizeReplicaSet", "disableReplicaPooler"]);
    expect(next.outputs).toMatchObject(args);
  });

  test("wait while the parent is being changed", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.settings.timings.resize = 20_000;
    const [grown, resized] = await Promise.all([
      world.service.update(parent, { name: "orders", cpuMillis: 1000, memoryGbs: 4 }),
      world.readReplicaSet.update(kept, readers({ cpuMillis: 1000, memoryGbs: 4 })),
    ]);
    expect([grown.failed, resized.failed]).toEqual([undefined, undefined]);
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
  });

  test("wait until the parent has settled, on a server that would let them meet", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.calls();
    world.emulator.settings.switches.busy = "allow";
    world.emulator.mutate.service(parent.id, { status: "REBALANCING" });
    const methods: string[] = [];
    onRequest = ({ method }) => {
      methods.push(method);
      if (methods.length === 5) world.emulator.mutate.service(parent.id, { status: "READY" });
    };
    const args = readers({ cpuMillis: 1000, memoryGbs: 4 });
    expect((await world.readReplicaSet.update(kept, args)).failed).toBeUndefined();
    expect(new Set(methods.slice(0, 5))).toEqual(new Set(["GET"]));
    expect(world.calls()).toEqual(["resizeReplicaSet"]);
    expect(world.progress.join("\n")).toContain("active, its service REBALANCING");
  });

  test("are not over, and not lost, because the parent's list of sets is missing from some answers", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.settings.timings.replicaResize = 6_000;
    let looks = 0;
    onRequest = ({ method }) => {
      if (method === "GET") looks += 1;
      world.emulator.mutate.service(parent.id, {
        wire: { read_replica_sets: [0, 2, 5].includes(looks) ? null : shownSets() },
      });
    };
    const next = await world.readReplicaSet.update(kept, readers({ cpuMillis: 1000, memoryGbs: 4 }));
    expect(next.failed).toBeUndefined();
    expect(next.outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4, status: "active" });
    expect(looks).toBeGreaterThan(5);
  });

  test("are proven by the field: an active one with the old size is not believed", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.settings.stale.reads = 5;
    const next = await world.readReplicaSet.update(kept, readers({ cpuMillis: 1000, memoryGbs: 4 }));
    expect(next.failed).toBeUndefined();
    expect(next.outputs).toMatchObject({ cpuMillis: 1000, memoryGbs: 4 });
    expect(world.progress.join("\n")).toContain("active with the old cpuMillis/memoryGbs");
  });
});

describe("replacement", () => {
  test.each<[string, Values]>([
    ["name", { name: "others" }],
    ["nodes", { nodes: 3 }],
  ])("%s, the new one first", async (key, change) => {
    const kept = await world.readReplicaSet.create(readers({ __urn: URN }));
    world.restart();
    const args = readers({ ...change, __urn: URN });
    expect(world.readReplicaSet.preview(kept, args)).toMatchObject({ replaces: [key], isOldFirst: false });
    const next = await world.readReplicaSet.replace(kept, args);
    expect(next.failed).toBeUndefined();
    expect(world.emulator.state().replicaSets.map((set) => set.id)).toEqual([next.id]);
    const events = world.emulator.ledger().filter((entry) => entry.kind === "replicaSet");
    expect(events.map((entry) => entry.operation)).toEqual([
      "createReplicaSet",
      "createReplicaSet",
      "deleteReplicaSet",
    ]);
  });

  test("an unknown parent is another parent; an unknown size is not", async () => {
    const kept = await world.readReplicaSet.create(readers());
    expect(world.readReplicaSet.preview(kept, readers({ serviceId: UNKNOWN })).replaces).toEqual(["serviceId"]);
    expect(world.readReplicaSet.preview(kept, readers({ cpuMillis: UNKNOWN, nodes: UNKNOWN })).replaces).toEqual([]);
  });
});

describe("deletion", () => {
  test("of the parent and its sets in one go, in either order", async () => {
    const [a, b] = await Promise.all([
      world.readReplicaSet.create(readers({ name: "a" })),
      world.readReplicaSet.create(readers({ name: "b" })),
    ]);
    await Promise.all([world.service.remove(parent), world.readReplicaSet.remove(a), world.readReplicaSet.remove(b)]);
    expect(world.emulator.state()).toMatchObject({ services: [], replicaSets: [] });
  });

  test("of one that is gone already, and of one whose parent is", async () => {
    const [a, b] = await Promise.all([
      world.readReplicaSet.create(readers({ name: "a" })),
      world.readReplicaSet.create(readers({ name: "b" })),
    ]);
    world.emulator.mutate.deleteReplicaSet(a.id);
    await world.readReplicaSet.remove(a);
    world.emulator.mutate.deleteService(parent.id);
    await world.readReplicaSet.remove(b);
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test("is not over because the parent's list of sets is missing from one answer", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.settings.timings.replicaDelete = 20_000;
    let looks = 0;
    onRequest = ({ method }) => {
      if (method === "GET") looks += 1;
      world.emulator.mutate.service(parent.id, { wire: { read_replica_sets: looks === 0 ? null : shownSets() } });
    };
    await world.readReplicaSet.remove(kept);
    expect(world.emulator.state().replicaSets).toEqual([]);
    expect(looks).toBeGreaterThan(3);
  });
});

describe("of a protected service", () => {
  const PROD = { name: "orders", environment: "PROD" };
  const OPEN = { ...PROD, deletionProtection: false };
  let service: Kept;
  let set: Kept;
  beforeEach(async () => {
    service = await world.service.update(parent, PROD);
    set = await world.readReplicaSet.create(readers());
    world.restart();
    world.calls();
  });

  test("a set is refused together with its service, before anything is deleted", async () => {
    for (const isRefreshed of [false, true]) {
      if (isRefreshed) {
        // With --refresh the engine reads and compares what is about to be deleted as well.
        service = (await world.service.refresh(service)) ?? service;
        set = (await world.readReplicaSet.refresh(set)) ?? set;
        world.service.compare(service);
        world.readReplicaSet.compare(set);
      }
      await expect(world.readReplicaSet.remove(set)).rejects.toThrow(
        `read replica set readers (${set.id}) belongs to service ${parent.id}, which is protected against deletion`,
      );
      await expect(world.service.remove(service)).rejects.toThrow("is protected against deletion");
    }
    expect(world.calls()).toEqual([]);
  });

  test("a set goes alone while the program still declares the service", async () => {
    world.service.preview(service, PROD);
    await world.readReplicaSet.removePending(set);
    expect(world.calls()).toEqual(["deleteReplicaSet"]);
  });

  test("a set is replaced, also where the service itself is not looked at", async () => {
    const next = await world.readReplicaSet.replace(set, readers({ nodes: 3 }));
    expect(next.failed).toBeUndefined();
    expect(world.calls()).toEqual(["createReplicaSet", "deleteReplicaSet"]);
  });

  test("what the set knows keeps step with its service, in a preview that says so", async () => {
    world.service.preview(service, OPEN);
    expect(world.readReplicaSet.preview(set, readers())).toMatchObject({ changes: true, operations: [] });
    expect(world.warnings.at(-1)).toContain("its service is no longer protected against deletion; this is saved");
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, readers());
    world.restart();
    await world.readReplicaSet.remove(freed);
    await world.service.remove(open);
    expect(world.calls()).toEqual(["deleteReplicaSet", "deleteService"]);
  });

  test("a set of an unprotected service learns of its protection, and of a drifted tag nothing", async () => {
    const open = await world.service.update(service, OPEN);
    const freed = await world.readReplicaSet.update(set, readers());
    world.restart();
    const closed = await world.service.update(open, PROD);
    expect(world.readReplicaSet.preview(freed, readers())).toMatchObject({ changes: true, operations: [] });
    const held = await world.readReplicaSet.update(freed, readers());
    world.restart();
    await expect(world.readReplicaSet.remove(held)).rejects.toThrow("belongs to service");
    await expect(world.service.remove(closed)).rejects.toThrow("is protected");
    // Protection is what was stored, not what the server shows.
    world.restart();
    const plain = await world.service.create({ name: "plain" });
    const beside = await world.readReplicaSet.create(readers({ serviceId: plain.id }));
    world.emulator.mutate.service(plain.id, { environment: "PROD" });
    const drifted = (await world.service.refresh(plain)) ?? plain;
    world.service.preview(drifted, { name: "plain" });
    world.service.preview(drifted, { name: "plain" });
    expect(world.readReplicaSet.preview(beside, readers({ serviceId: plain.id })).changes).toBeUndefined();
  });

  test("an old state says nothing: no plan comes of it, and a refresh makes it known", async () => {
    const { __owner: _, ...outputs } = set.outputs;
    const old = { ...set, outputs };
    world.service.preview(service, PROD);
    expect(world.readReplicaSet.preview(old, readers()).changes).toBeUndefined();
    world.restart();
    const [, seen = old] = await Promise.all([world.service.refresh(service), world.readReplicaSet.refresh(old)]);
    world.restart();
    await expect(world.readReplicaSet.remove(seen)).rejects.toThrow("belongs to service");
  });
});

describe("a change that goes on after its wait was refused", () => {
  let a: Kept;
  let b: Kept;
  beforeEach(async () => {
    a = await world.readReplicaSet.create(readers({ name: "a" }));
    b = await world.readReplicaSet.create(readers({ name: "b" }));
    const { settings } = world.emulator;
    settings.switches.busy = "allow";
    settings.stale.ms = 5_000;
    Object.assign(settings.timings, { replicaCreate: 10_000, replicaResize: 10_000, replicaDelete: 10_000 });
  });

  /** As soon as the first change is taken, the next one waits for its turn, and looks are refused for a while. */
  async function meet(first: () => Promise<unknown>, times: number): Promise<PromiseSettledResult<unknown>[]> {
    let next: Promise<void> | undefined;
    onRequest = ({ committed }) => {
      if (next !== undefined || !committed) return;
      next = world.readReplicaSet.remove(b);
      world.emulator.faults.add({ kind: "status", status: 401, operation: "getService", skip: 2, times });
    };
    const outcome = await Promise.allSettled([first()]);
    return [...outcome, ...(await Promise.allSettled([next]))];
  }

  test.each<[string, () => Promise<Kept | void>]>([
    ["creation", () => world.readReplicaSet.create(readers({ name: "c" }))],
    ["resize", () => world.readReplicaSet.update(a, readers({ name: "a", cpuMillis: 1000, memoryGbs: 4 }))],
    ["deletion", () => world.readReplicaSet.remove(a)],
  ])("its %s is over before a sibling goes, on a server that shows neither for a while", async (_change, first) => {
    const [failed, next] = await meet(first, 3);
    expect(failed?.status === "rejected" ? String(failed.reason) : JSON.stringify(failed)).toContain("401");
    expect(next?.status).toBe("fulfilled");
    expect(world.emulator.ledger().filter((entry) => entry.overlapped)).toEqual([]);
    expect(world.emulator.state().replicaSets.map(({ id }) => id)).not.toContain(b.id);
  });

  test("holds nobody up for long where looks stay refused", async () => {
    const startedMs = world.clock.now();
    const [failed, next] = await meet(() => world.readReplicaSet.remove(a), Infinity);
    expect([failed?.status, next?.status]).toEqual(["rejected", "rejected"]);
    expect(world.clock.now() - startedMs).toBeLessThan(20_000);
  });
});

describe("refresh", () => {
  test("finds it through the parent, and its loss only when the parent's own list lacks it", async () => {
    const kept = await world.readReplicaSet.create(readers());
    expect((await world.readReplicaSet.refresh(kept))?.outputs).toMatchObject(readers());
    world.emulator.mutate.deleteReplicaSet(kept.id);
    world.restart();
    expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
  });

  test("loses it with its parent", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.emulator.mutate.deleteService(parent.id);
    world.restart();
    expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
  });

  test("keeps it while the parent cannot be read", async () => {
    const kept = await world.readReplicaSet.create(readers());
    world.restart();
    world.emulator.faults.add({ kind: "status", status: 403, times: Infinity });
    await expect(world.readReplicaSet.refresh(kept)).rejects.toThrow("403");
  });
});
