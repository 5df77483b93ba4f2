// Exactly one: what a create does before it posts, when its answer is lost, and when several want the same.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Fault, OperationName } from "../../emulator/index";
import type { Values } from "../../provider/lifecycle/resource";
import { openWorld, type Handlers, type Kept, type World } from "./kit";

const MINUTE_MS = 60_000;
const SIZE = { cpuMillis: 500, memoryGbs: 2 };
const PEER = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };

let world: World;
let vpcId: string;
let serviceId: string;

beforeEach(async () => {
  world = await openWorld({ projects: [{ id: "proj000001", name: "ours" }] });
  vpcId = world.emulator.mutate.createVpc({ name: "their-net" }).id;
  serviceId = world.emulator.mutate.createService({ name: "their-db" }).id;
});
afterEach(() => world.close());

/** One kind: how it is asked for, and how somebody else makes the same. */
interface Kind {
  handlers(): Handlers;
  args(): Values;
  makeTwin(): { id: string };
  operation: OperationName;
  count(): number;
}

const KINDS: Record<string, Kind> = {
  service: {
    handlers: () => world.service,
    args: () => ({ name: "orders", regionCode: "us-east-1", ...SIZE }),
    makeTwin: () => world.emulator.mutate.createService({ name: "orders" }),
    operation: "createService",
    count: () => world.emulator.state().services.filter(({ name }) => name === "orders").length,
  },
  fork: {
    handlers: () => world.service,
    args: () => ({ name: "orders", forkFrom: { serviceId, strategy: "NOW" } }),
    makeTwin: () =>
      world.emulator.mutate.createService({ name: "orders", forkedFrom: { projectId: "proj000001", serviceId } }),
    operation: "forkService",
    count: () => world.emulator.state().services.filter(({ name }) => name === "orders").length,
  },
  VPC: {
    handlers: () => world.vpc,
    args: () => ({ name: "net", cidr: "10.9.0.0/24", regionCode: "us-east-1" }),
    makeTwin: () => world.emulator.mutate.createVpc({ name: "net", cidr: "10.9.0.0/24", regionCode: "us-east-1" }),
    operation: "createVpc",
    count: () => world.emulator.state().vpcs.filter(({ name }) => name === "net").length,
  },
  peering: {
    handlers: () => world.peering,
    args: () => ({ vpcId, ...PEER }),
    makeTwin: () => world.emulator.mutate.createPeering(vpcId, PEER),
    operation: "createPeering",
    count: () => world.emulator.state().peerings.length,
  },
  "read replica set": {
    handlers: () => world.readReplicaSet,
    args: () => ({ serviceId, name: "readers", nodes: 1, ...SIZE }),
    makeTwin: () => world.emulator.mutate.createReplicaSet(serviceId, { name: "readers", nodes: 1, ...SIZE }),
    operation: "createReplicaSet",
    count: () => world.emulator.state().replicaSets.length,
  },
};

const kinds = Object.entries(KINDS);

async function refusal(work: Promise<unknown>): Promise<Error & { hint?: string }> {
  return work.then(
    () => {
      throw new Error("it was not refused");
    },
    (error: unknown) => error as Error,
  );
}

describe("what is there already", () => {
  test.each(kinds)("a %s is named, and nothing is created", async (_name, kind) => {
    const { id } = kind.makeTwin();
    const { message, hint } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain(id);
    expect(message).toContain("nothing was created");
    expect(hint).toContain(`adoptId: "${id}"`);
    expect(hint).toContain(`DBCLOUD_ADOPT=${id}`);
    expect(world.calls()).toEqual([]);
  });

  test("its age and status are told, and another name is offered", async () => {
    const { id } = KINDS["service"]?.makeTwin() ?? { id: "" };
    await world.clock.sleep(90 * MINUTE_MS);
    const { message, hint } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain(`service "orders" (${id}, READY, 1 h 30 m old)`);
    expect(hint).toContain("give yours another `name`");
  });

  test.each(kinds)("a %s is taken over by DBCLOUD_ADOPT with its id", async (_name, kind) => {
    const { id } = kind.makeTwin();
    world.adopt.push("somebody-else", id);
    expect((await kind.handlers().create(kind.args())).id).toBe(id);
    expect(world.calls()).toEqual([]);
  });

  test.each(kinds)("a %s is taken over by adoptId", async (_name, kind) => {
    const { id } = kind.makeTwin();
    expect((await kind.handlers().create({ ...kind.args(), adoptId: id })).id).toBe(id);
    expect(world.calls()).toEqual([]);
  });

  test.each(kinds.filter(([name]) => name !== "peering"))("a %s is taken over by its name", async (_name, kind) => {
    const { id } = kind.makeTwin();
    world.adopt.push(String(kind.args()["name"]));
    expect((await kind.handlers().create(kind.args())).id).toBe(id);
    expect(world.calls()).toEqual([]);
  });

  test("of several with one name, one must be said", async () => {
    const ids = [1, 2].map(() => world.emulator.mutate.createService({ name: "orders" }).id);
    world.adopt.push("orders");
    const { message } = await refusal(world.service.create({ name: "orders" }));
    for (const id of ids) expect(message).toContain(id);
    world.adopt.push(ids[1] ?? "");
    expect((await world.service.create({ name: "orders" })).id).toBe(ids[1]);
    expect(world.calls()).toEqual([]);
  });

  test("an id in DBCLOUD_ADOPT that is not the same thing is not taken over", async () => {
    world.adopt.push(serviceId);
    expect((await world.service.create({ name: "orders" })).id).not.toBe(serviceId);
  });

  test("one that is being deleted is in nobody's way, and cannot be taken over", async () => {
    const { id } = world.emulator.mutate.createService({ name: "orders", status: "DELETING" });
    const { message } = await refusal(world.service.create({ name: "orders", adoptId: id }));
    expect(message).toContain("is going or gone (DELETING)");
    expect((await world.service.create({ name: "orders" })).id).not.toBe(id);
  });

  test("is looked for anew after the host of the create kept it waiting", async () => {
    world.emulator.settings.timings.resize = 5 * MINUTE_MS;
    const parent = await world.service.create({ name: "parent", ...SIZE });
    const { baseUrl, apiKey, projectId } = world.emulator;
    await fetch(`${baseUrl}/projects/${projectId}/services/${parent.id}/resize`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ cpu_millis: "1000", memory_gbs: "4" }),
    });
    const forked = world.service.create({ name: "orders", forkFrom: { serviceId: parent.id, strategy: "NOW" } });
    await world.clock.sleep(MINUTE_MS);
    const { id } = world.emulator.mutate.createService({ name: "orders" });
    expect((await refusal(forked)).message).toContain(id);
    expect(world.emulator.ledger().some(({ operation }) => operation === "forkService")).toBe(false);
  });
});

describe("two of one program", () => {
  test.each(kinds)("that want the same %s at once: the second is refused", async (_name, kind) => {
    const both = [kind.handlers().create(kind.args()), refusal(kind.handlers().create(kind.args()))] as const;
    expect((await both[1]).message).toContain("another resource of this program");
    expect((await both[0]).failed).toBeUndefined();
    expect(kind.count()).toBe(1);
  });

  test.each(kinds)("that want the same %s one after the other: the second is refused", async (_name, kind) => {
    await kind.handlers().create(kind.args());
    const { message } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain("another resource of this program");
    expect(kind.count()).toBe(1);
  });

  test("the second may have the name when the first came to nothing", async () => {
    world.emulator.faults.add({ kind: "status", status: 400, operation: "createService" });
    const first = refusal(world.service.create({ name: "orders" }));
    await first;
    expect((await world.service.create({ name: "orders" })).failed).toBeUndefined();
  });

  test("the second may not have it while nobody knows what became of the first", async () => {
    world.emulator.faults.add({ kind: "lostBefore", operation: "createService" });
    await refusal(world.service.create({ name: "orders" }));
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("an earlier create of it in this run lost its answer");
    expect(KINDS["service"]?.count()).toBe(0);
  });

  test("with one name: only where the second says so", async () => {
    await world.service.create({ name: "orders", allowDuplicateName: true });
    const { message, hint } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("another resource of this program");
    expect(hint).toContain("allowDuplicateName");
    await world.service.create({ name: "orders", allowDuplicateName: true });
    expect(KINDS["service"]?.count()).toBe(2);
  });

  test.each(kinds)("cannot take over one %s", async (_name, kind) => {
    const { id } = kind.makeTwin();
    const args = { ...kind.args(), adoptId: id };
    const both = [kind.handlers().create(args), kind.handlers().create(args)];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test("cannot have one object either where one of them has it already", async () => {
    const kept = await world.service.create({ name: "orders" });
    world.restart();
    expect(await world.service.update(kept, { name: "orders" })).toBe(kept);
    for (const args of [{ name: "orders" }, { name: "other", adoptId: kept.id }]) {
      expect((await refusal(world.service.create(args))).message).toContain("another resource of this program");
    }
  });
});

describe("an answer that is lost", () => {
  const LOST: Record<string, Fault> = {
    "the connection": { kind: "lostAfter" },
    "a 503": { kind: "status", status: 503, commit: true },
    "a gateway's page": { kind: "html", commit: true },
    "half the answer": { kind: "truncate" },
    nonsense: { kind: "garbage", body: [], commit: true },
    "a redirect": { kind: "redirect", location: "http://127.0.0.1:9/", status: 303, commit: true },
  };

  test.each(kinds.flatMap(([name, kind]) => Object.entries(LOST).map(([how, fault]) => ({ name, kind, how, fault }))))(
    "$name, $how: the one new object is taken",
    async ({ kind, fault }) => {
      world.emulator.faults.add({ ...fault, operation: kind.operation });
      const kept = await kind.handlers().create(kind.args());
      expect(kept.failed).toBeUndefined();
      expect(kind.count()).toBe(1);
      expect(world.calls()).toEqual([kind.operation]);
      expect(world.warnings.join()).toContain(kept.id);
    },
  );

  test("is watched for when the list lags behind", async () => {
    world.emulator.settings.listLag = { ms: 50_000 };
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    expect((await world.service.create({ name: "orders" })).failed).toBeUndefined();
    expect(KINDS["service"]?.count()).toBe(1);
  });

  test.each(kinds)("and nothing of it: a %s is said to be probably not there, after a minute", async (_name, kind) => {
    world.emulator.faults.add({ kind: "lostBefore", operation: kind.operation });
    const sinceMs = world.clock.now();
    const { message, hint } = await refusal(kind.handlers().create(kind.args()));
    expect(message).toContain("the answer was lost");
    expect(message).toContain("nothing new that fits");
    expect(hint).toContain("it looks before it posts");
    expect(world.clock.now() - sinceMs).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(world.clock.now() - sinceMs).toBeLessThan(2 * MINUTE_MS);
    expect(world.calls()).toEqual([kind.operation]);
  });

  test("is watched for a minute from the first list that answers", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.settings.listLag = { ms: 4 * MINUTE_MS };
    const created = world.service.create({ name: "orders" });
    world.emulator.faults.add({ kind: "status", status: 500, operation: "listServices", times: Infinity, skip: 1 });
    await world.clock.sleep(200_000);
    world.emulator.faults.clear();
    expect((await created).failed).toBeUndefined();
  });

  test("and a list that never answers: the deadline ends it, and says what is not known", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.faults.add({ kind: "status", status: 500, operation: "listServices", times: Infinity, skip: 1 });
    const { message } = await refusal(world.service.create({ name: "orders", timeouts: { create: "10m" } }));
    expect(message).toContain("createService of service orders: the answer was lost");
  });

  test("and a key that lost its rights: what is not known is said at once", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    world.emulator.faults.add({ kind: "status", status: 403, operation: "listServices", times: Infinity, skip: 1 });
    const { message } = await refusal(world.service.create({ name: "orders" }));
    expect(message).toContain("the answer was lost");
    expect(message).toContain("what became of it cannot be seen: listServices");
  });

  test("with several new ones that fit: all are named, none is taken", async () => {
    rival({ regionCode: "us-east-1" }, "lostAfter");
    const { message } = await refusal(world.service.create({ name: "orders", regionCode: "us-east-1" }));
    const ids = world.emulator.state().services.flatMap(({ id, name }) => (name === "orders" ? [id] : []));
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(message).toContain(id);
  });

  test.each<[string, Parameters<typeof rival>[0]]>([
    ["in another region", { regionCode: "eu-west-1" }],
    ["of another size", { cpuMillis: 4000, memoryGbs: 16 }],
    ["forked from something", { forkedFrom: { projectId: "proj000001", serviceId: "svc0000000" } }],
    ["made long before", { createdAt: 0 }],
  ])("a rival %s is not taken for ours", async (_how, fields) => {
    rival(fields, "lostAfter");
    const args = { name: "orders", regionCode: "us-east-1", ...SIZE };
    const kept = await world.service.create(args);
    expect(world.emulator.ledger().find(({ id }) => id === kept.id)?.by).toBe("api");
  });

  test("a rival alone is named and left alone", async () => {
    rival({ regionCode: "eu-west-1" }, "lostBefore");
    const { message } = await refusal(world.service.create({ name: "orders", regionCode: "us-east-1" }));
    const theirs = world.emulator.state().services.find(({ name }) => name === "orders");
    expect(message).toContain("what is new and differs");
    expect(message).toContain(theirs?.id);
  });

  test("a time of birth that nobody can read is no obstacle", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService" });
    const created = world.service.create({ name: "orders" });
    while (KINDS["service"]?.count() === 0) await new Promise((resolve) => setImmediate(resolve));
    const { id } = world.emulator.state().services.find(({ name }) => name === "orders") ?? { id: "" };
    world.emulator.mutate.service(id, { wire: { created: "yesterday" } });
    expect((await created).id).toBe(id);
  });

  test("of two twins that are wanted: each gets its own", async () => {
    world.emulator.faults.add({ kind: "lostAfter", operation: "createService", times: 2 });
    const args = { name: "orders", allowDuplicateName: true };
    const [one, two] = await Promise.all([world.service.create(args), world.service.create(args)]);
    expect(one.id).not.toBe(two.id);
    expect(KINDS["service"]?.count()).toBe(2);
  });

  test("never leads to a second request, unlike a 429", async () => {
    world.emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 3 });
    await world.service.create({ name: "orders" });
    expect(world.calls()).toEqual(Array.from({ length: 4 }, () => "createService"));
    expect(KINDS["service"]?.count()).toBe(1);
  });

  /** Somebody else makes a service of the same name while ours is under way. */
  function rival(
    fields: Parameters<World["emulator"]["mutate"]["createService"]>[0],
    kind: "lostBefore" | "lostAfter",
  ): void {
    world.emulator.faults.add({
      kind,
      operation: "createService",
      match: () => world.emulator.mutate.createService({ name: "orders", ...fields }).id !== "",
    });
  }
});

test("a name that this very run has just given up is free", async () => {
  world = await openWorld();
  const first = await world.service.create({ name: "orders" });
  world.restart();
  await world.service.create({ name: "carts" });
  await world.service.update(first, { name: "bills" });
  const second = await world.service.create({ name: "orders" });
  expect(second.failed).toBeUndefined();
  expect(world.emulator.state().services.map(({ name }) => name)).toEqual(["bills", "carts", "orders"]);
});

test("creates of one moment look together, and so do those that lost their answers", async () => {
  world.emulator.faults.add({ kind: "lostAfter", operation: "createService", times: 40 });
  world.emulator.settings.listLag = { ms: 30_000 };
  const made = await Promise.all(Array.from({ length: 40 }, (_, index) => world.service.create({ name: `s${index}` })));
  expect(new Set(made.map(({ id }) => id)).size).toBe(40);
  const lists = world.emulator.requests().filter(({ operation }) => operation === "listServices");
  // About two a second while they watch, whatever their number.
  expect(lists.length).toBeLessThan(90);
});

describe("an engine that is gone", () => {
  test("gets nothing new, also where the post had to wait", async () => {
    world.emulator.faults.add({ kind: "status", status: 429, operation: "createService", times: 1 });
    const created = refusal(world.service.create({ name: "orders" }));
    while (world.emulator.requests().every(({ status }) => status !== 429)) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    world.engine.isGone = true;
    expect((await created).message).toContain("nothing was created");
    expect(KINDS["service"]?.count()).toBe(0);
  });

  test("gets finished what has begun", async () => {
    const created = world.service.create({ name: "orders", poolerEnabled: true });
    while (KINDS["service"]?.count() === 0) await new Promise((resolve) => setImmediate(resolve));
    world.engine.isGone = true;
    expect((await created).outputs["poolerEnabled"]).toBe(true);
  });
});

describe("what was taken over", () => {
  const urn = (name: string): Values => ({
    __urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/dbcloud:Service::${name}`,
  });
  let old: Kept;

  beforeEach(async () => {
    old = await world.service.create({ name: "orders", ...urn("old") });
    world.restart();
  });

  test("is not deleted with the resource that had it, in the same run", async () => {
    const taken = await world.service.create({ name: "orders", adoptId: old.id, ...urn("new") });
    await world.service.remove(old);
    expect(taken.id).toBe(old.id);
    expect(KINDS["service"]?.count()).toBe(1);
  });

  test("nor a run later", async () => {
    const taken = await world.service.create({ name: "orders", adoptId: old.id, ...urn("new") });
    world.restart();
    world.service.preview(taken, { name: "orders", adoptId: old.id, ...urn("new") });
    await world.service.removePending(old);
    expect(world.warnings.at(-1)).toContain("is kept: a resource of this program goes on with it");
    expect(KINDS["service"]?.count()).toBe(1);
  });

  test("is deleted with the resource that has it", async () => {
    world.service.preview(old, { name: "orders", ...urn("old") });
    await world.service.remove(old);
    expect(KINDS["service"]?.count()).toBe(0);
  });

  test("an adoptId that stays in the program does not stop a replacement", async () => {
    const args = { name: "net", cidr: "10.1.0.0/24", regionCode: "us-east-1" };
    const { id } = world.emulator.mutate.createVpc(args);
    const taken = await world.vpc.create({ ...args, adoptId: id });
    world.restart();
    const next = await world.vpc.replace(taken, { ...args, cidr: "10.2.0.0/24", adoptId: id });
    expect(next.failed).toBeUndefined();
    expect(next.id).not.toBe(id);
    expect(world.emulator.state().vpcs.some((vpc) => vpc.id === id)).toBe(false);
  });
});
