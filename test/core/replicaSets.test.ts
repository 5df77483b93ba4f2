// Read replica sets: made beside a parent that may be busy or too young, found through it, and changed in place.

import { describe, expect, test } from "vitest";
import type { Values } from "../../provider/domain/values/value";
import { textWith } from "../support/matchers";
import type { Kept } from "../support/world";
import { done, earlier, errorOf, fault, LARGE, makeBystander, MINUTE_MS, NET, refreshed, world } from "./scene";
import { parent, readers, shownSets, useParent } from "./replicaSetScene";

useParent();

const create = (more: Values = {}) => world.readReplicaSet.create(readers(more));
const update = (kept: Kept, more: Values) => world.readReplicaSet.update(kept, readers(more));
const failed = (kept: Kept): Promise<Kept> => {
  world.emulator.mutate.replicaSet(kept.id, { status: "error" });
  return refreshed(kept, "readReplicaSet");
};

test("a create sends numbers, waits until it is active, then does what the call cannot take", async () => {
  const args = { poolerEnabled: true, environment: "PROD" };
  const kept = await done(create(args));
  expect(world.calls()).toEqual(["createReplicaSet", "setReplicaEnvironment", "enableReplicaPooler"]);
  const sent = { name: "readers", nodes: 2, cpu_millis: 500, memory_gbs: 2 };
  expect(world.requestsOf("createReplicaSet")[0]?.body).toEqual(sent);
  expect(kept.outputs).toMatchObject({ ...readers(args), status: "active", endpoint: { host: textWith("") } });
  expect(await update(kept, args)).toBe(kept);
});

test("a create waits for a busy parent and for others, who are changed one after the other", async () => {
  world.emulator.settings.timings.resize = 20_000;
  const kept = await create({ name: "a" });
  const names = ["b", "c"].map((name) => done(create({ name, poolerEnabled: true })));
  await Promise.all([
    done(world.service.update(parent, { name: "orders", ...LARGE })),
    done(update(kept, { name: "a", ...LARGE })),
    ...names,
  ]);
  expect(world.emulator.state().replicaSets).toHaveLength(3);
  expect(world.overlaps()).toEqual([]);
});

test("a create waits out a parent that somebody else keeps busy, and its first backup", async () => {
  world.emulator.settings.timings.ha = 90_000;
  world.emulator.mutate.service(parent.id, { firstBackupAt: world.clock.now() + 40 * MINUTE_MS });
  await world.session.client.services.setHA({ projectId: "proj000001", serviceId: parent.id, replicaCount: 1 });
  await done(create());
  expect(world.emulator.requests().filter(({ refusedAsBusy }) => refusedAsBusy).length).toBeLessThan(5);
});

test("a create goes on where one read does not find the parent, and the list has it", async () => {
  fault({ kind: "status", status: 404, operation: "getService" });
  await done(create());
  expect(world.calls()).toEqual(["createReplicaSet"]);
});

test.each([
  ["", {}],
  [", also with steps that are owed", { environment: "DEV" }],
])("a create that ends in an error keeps the set, and the next up makes another one%s", async (_, more) => {
  fault({ kind: "stuck", status: "error", operation: "createReplicaSet" });
  const kept = await create(more);
  expect(kept.failed).toContain("it failed (error)");
  expect(kept.id).toBe(world.emulator.state().replicaSets[0]?.id);
  const planned = { changes: true, replaces: ["status"], isOldFirst: true };
  expect(world.readReplicaSet.preview(kept, readers(more))).toMatchObject(planned);
  expect(world.warnings.at(-1)).toContain("has failed (error); it is replaced, the old one first");
});

describe.each<[string, () => Promise<Kept>]>([
  ["service", () => world.service.create({ name: "late" })],
  ["service in a VPC", async () => world.service.create({ name: "late", vpcId: (await world.vpc.create(NET)).id })],
  ["read replica set", () => create({ name: "late" })],
])("an address of a %s that comes a moment after it is done", (kind, make) => {
  /** Shows no address before that time has passed since the object was first done. */
  const hideFor = (hiddenMs: number, before: object | null): void => {
    let firstMs = Number.POSITIVE_INFINITY;
    world.onRequest(() => {
      const { services, replicaSets } = world.emulator.state();
      const made = [...services, ...replicaSets].find(({ name }) => name === "late");
      if (made === undefined) return;
      if (["READY", "active"].includes(made.status)) firstMs = Math.min(firstMs, world.clock.now());
      const shown = world.clock.now() >= firstMs + hiddenMs ? { host: "late.example", port: 5432 } : before;
      const inside = { vpc_id: "vpcId" in made ? made.vpcId : undefined, ...shown };
      const wire = kind.endsWith("VPC") ? { vpc_endpoint: inside, vpcEndpoint: inside } : { endpoint: shown };
      if ("nodes" in made) world.emulator.mutate.replicaSet(made.id, { wire });
      else world.emulator.mutate.service(made.id, { wire });
    });
  };

  test.each([null, {}, { host: "", port: 5432 }])("is awaited by the create, after %j", async (before) => {
    hideFor(5_000, before);
    const kept = await done(make());
    expect(kept.outputs).toMatchObject({ host: "late.example", port: 5432 });
    expect(world.warnings).toEqual([]);
  });

  test("is given up after a while, with a word on the row", async () => {
    hideFor(60 * MINUTE_MS, null);
    const { seconds, result: kept } = await world.timed(() => done(make()));
    expect(seconds).toBeLessThan(90);
    expect(kept.outputs).not.toHaveProperty("host");
    expect(world.warnings.at(-1)).toContain("has no endpoint yet");
  });
});

test("a set that fails later is replaced after a refresh, or after the first update that meets it", async () => {
  const kept = await create();
  const seen = await failed(kept);
  expect(world.readReplicaSet.preview(seen, readers())).toMatchObject({ replaces: ["status"], isOldFirst: true });
  const tried = await update(kept, LARGE);
  expect(tried.failed).toContain("it failed (error)");
  const preview = world.readReplicaSet.preview(tried, readers(LARGE));
  expect(preview).toMatchObject({ changes: true, replaces: ["status"] });
  const whole = await world.readReplicaSet.replace(tried, readers(LARGE));
  expect(whole.outputs).toMatchObject({ cpuMillis: 1000, status: "active" });
  expect(world.emulator.state().replicaSets).toMatchObject([{ id: whole.id }]);
});

test("a refresh that finds another number of nodes does not say that the set is replaced; the preview does", async () => {
  const kept = await create();
  world.emulator.mutate.replicaSet(kept.id, { nodes: 3 });
  world.restart();
  const seen = await refreshed(kept, "readReplicaSet");
  world.readReplicaSet.compare({ ...seen, inputs: kept.inputs });
  expect(world.warnings).toEqual([]);
  expect(world.readReplicaSet.preview(seen, readers())).toMatchObject({ replaces: ["nodes"] });
  expect(world.warnings).toEqual([textWith("is replaced: the new one has other addresses")]);
});

test("a change in place of size, pooler and tag is made in one order, and proven by the field", async () => {
  const kept = await create({ poolerEnabled: true });
  world.emulator.settings.stale.reads = 5;
  world.calls();
  const args = { poolerEnabled: false, environment: "DEV", ...LARGE };
  const { operations } = world.readReplicaSet.preview(kept, readers(args));
  expect(operations).toEqual(["setEnvironment", "resize", "disablePooler"]);
  const next = await done(update(kept, args));
  expect(world.calls()).toEqual(["setReplicaEnvironment", "resizeReplicaSet", "disableReplicaPooler"]);
  expect(next.outputs).toMatchObject(readers(args));
  expect(world.progress.join("\n")).toContain("active with cpuMillis 500, not 1000, memoryGbs 2, not 4");
});

test("a change in place waits until the parent has settled, on a server that would let them meet", async () => {
  const kept = await create();
  world.calls();
  world.emulator.settings.switches.busy = "allow";
  world.emulator.mutate.service(parent.id, { status: "REBALANCING" });
  const methods: string[] = [];
  world.onRequest(({ method }) => {
    methods.push(method);
    if (methods.length === 5) world.emulator.mutate.service(parent.id, { status: "READY" });
  });
  await done(update(kept, LARGE));
  expect(new Set(methods.slice(0, 5))).toEqual(new Set(["GET"]));
  expect(world.calls()).toEqual(["resizeReplicaSet"]);
  expect(world.progress.join("\n")).toContain("active, its service REBALANCING");
});

test("a change in place and a delete are not over, nor is the set lost, where the parent's list of sets is missing from some answers", async () => {
  const kept = await create();
  Object.assign(world.emulator.settings.timings, { replicaResize: 6_000, replicaDelete: 20_000 });
  let reads = 0;
  const hide = (at: number[]): void => {
    reads = 0;
    world.onRequest(({ method }) => {
      if (method === "GET") reads += 1;
      const read_replica_sets = at.includes(reads) ? null : shownSets();
      world.emulator.mutate.service(parent.id, { wire: { read_replica_sets } });
    });
  };
  hide([0, 2, 5]);
  const next = await done(update(kept, LARGE));
  expect(next.outputs).toMatchObject({ ...LARGE, status: "active" });
  expect(reads).toBeGreaterThan(5);
  hide([0]);
  await world.readReplicaSet.remove(next);
  expect(world.emulator.state().replicaSets).toEqual([]);
  expect(reads).toBeGreaterThan(3);
});

describe.each(["absent", "null", "zero"] as const)("where no service shows its sets (%s)", (shown) => {
  const hide = (): void => {
    fault({ kind: "members", members: { read_replica_sets: shown }, times: Infinity });
  };

  test("the server's own list of them decides: one is made, seen, changed and deleted, and never made twice", async () => {
    hide();
    const kept = await done(create());
    world.restart();
    expect((await errorOf(create())).message).toContain("there is already");
    world.restart();
    expect((await refreshed(kept, "readReplicaSet")).outputs).toMatchObject(readers());
    const next = await done(update(kept, { ...LARGE, poolerEnabled: true }));
    expect(world.emulator.state().replicaSets).toMatchObject([{ id: kept.id, ...LARGE, poolerEnabled: true }]);
    await world.readReplicaSet.remove(next);
    expect(world.emulator.state().replicaSets).toEqual([]);
  });

  test.each(shown === "zero" ? [403, 404, 405, 501] : [404, 405, 501])(
    "none of them is there on a server without that list (%i)",
    async (status) => {
      const kept = await create();
      world.emulator.mutate.deleteReplicaSet(kept.id);
      hide();
      fault({ kind: "status", status, operation: "listReplicaSets", times: Infinity });
      world.restart();
      expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
    },
  );

  test.each(shown === "zero" ? [500] : [403, 500])(
    "a list that answers %i says nothing: no set is lost, and none is made",
    async (status) => {
      const kept = await create();
      hide();
      fault({ kind: "status", status, operation: "listReplicaSets", times: Infinity });
      world.restart();
      world.calls();
      await expect(world.readReplicaSet.refresh(kept)).rejects.toThrow(`${status}`);
      await expect(create({ timeouts: { create: "1m" } })).rejects.toThrow(`${status}`);
      expect(world.calls()).toEqual([]);
    },
  );
});

test("on a plan without the list of sets (403) their service decides, if it shows them", async () => {
  fault({ kind: "status", status: 403, operation: "listReplicaSets", times: Infinity });
  const kept = await earlier(done(create()));
  await world.readReplicaSet.remove(kept);
  expect(world.emulator.state().replicaSets).toEqual([]);
  world.restart();
  expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
});

test("a refresh finds it through the parent, and its loss only where the parent lacks it or is gone itself", async () => {
  const [kept, other] = [await create(), await create({ name: "other" })];
  expect((await refreshed(kept, "readReplicaSet")).outputs).toMatchObject(readers());
  world.emulator.mutate.deleteReplicaSet(kept.id);
  world.restart();
  expect(await world.readReplicaSet.refresh(kept)).toBeUndefined();
  world.restart();
  const forbidden = fault({ kind: "status", status: 403, times: Infinity });
  await expect(world.readReplicaSet.refresh(other)).rejects.toThrow("403");
  forbidden.remove();
  makeBystander();
  world.emulator.mutate.deleteService(parent.id);
  world.restart();
  expect(await world.readReplicaSet.refresh(other)).toBeUndefined();
});
