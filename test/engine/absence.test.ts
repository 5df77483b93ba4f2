// What test/laws says of absence, identity, protection, lost creates and members, where a user feels it: on the real CLI,
// what is alive is in the state after every command, and what is refused can be mended as the error says. The later ones
// have many objects in a stack, each in a situation of its own.

import { afterEach, describe, expect, test } from "vitest";
import { Peering, Provider, ReadReplicaSet, Service, Vpc } from "../../provider/index";
import * as native from "../../provider/native";
import { NO_ADDRESSES } from "../contract/shapes";
import type { InlineStack, Program } from "../support/cli/inlineStack";
import { held, opened, removeAll, textOf, useEngineWorld, world } from "./world";

const SMALL = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
const READERS = { nodes: 1, cpuMillis: 500, memoryGbs: 2 } as const;
const NET = { cidr: "10.0.0.0/24", regionCode: "us-east-1" } as const;
const PEER = { peerAccountId: "1", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" } as const;

useEngineWorld();

const faults = () => world.emulator.faults;

/** What is alive and stays, of all kinds. */
function alive(): { id: string; name: string }[] {
  const { vpcs, peerings, services, replicaSets } = world.emulator.state();
  const named = peerings.map((peering) => ({ ...peering, name: "peering" }));
  return [...vpcs, ...named, ...services, ...replicaSets].filter(({ status }) => !/^delet/i.test(status));
}

const names = (): string[] =>
  alive()
    .map(({ name }) => name)
    .toSorted();

const idOf = (named: string): string => alive().find(({ name }) => name === named)?.id ?? "";

/** What is alive and in no state. `others`: what somebody else has. */
async function forgotten(stack: InlineStack, others: readonly string[] = []): Promise<string[]> {
  const ids = new Set([...others, ...Object.values(await stack.resources()).map(({ id }) => String(id))]);
  return alive().flatMap(({ id }) => (ids.has(id) ? [] : [id]));
}

/** Calls on an object that is not ours to touch. */
const callsOn = (id: string): (string | undefined)[] =>
  world.emulator.requests().flatMap(({ method, path, operation }) => {
    return method !== "GET" && path.includes(id) ? [operation] : [];
  });

// Everything that a test has made goes, so that the next one begins with nothing.
afterEach(() => {
  world.emulator.settings.switches.deleteVpcInUse = "refuse";
  world.emulator.settings.timings.attach = 0;
  removeAll();
});

/** Of this stack, by an explicit provider. */
const bySecond = (): { provider: Provider } => ({
  provider: new Provider("second", { apiKey: world.emulator.apiKey }),
});

const MOVED = { regionCode: "us-west-2", allowReplace: true } as const;

test("no command forgets what is alive in an outage, under any provider, and none creates it a second time", async () => {
  const stack = await opened("outage", () => {
    void new Vpc("net", NET);
    const { serviceId } = new Service("orders", SMALL);
    void new ReadReplicaSet("readers", { serviceId, ...READERS });
    const second = bySecond();
    for (const name of ["removed", "replaced"]) void new Service(name, SMALL, second);
  });
  const replacing = (): void => {
    const { serviceId } = new Service("orders", { ...SMALL, ...MOVED });
    void new ReadReplicaSet("readers", { serviceId, ...READERS });
    void new Service("replaced", { ...SMALL, ...MOVED, name: "moved" }, bySecond());
  };
  const commands = [
    () => stack.refresh({ parallel: 1 }),
    () => stack.up({ refresh: true, parallel: 1 }),
    () => stack.destroy({ continueOnError: true }),
  ];
  for (const command of commands) {
    // Five minutes, a hundredth of which is real.
    const outage = faults().add({ kind: "brownout", ms: 3_000 });
    await textOf(command());
    expect(await forgotten(stack)).toEqual([]);
    outage.remove();
  }
  expect(world.calls().filter((call) => call.startsWith("create"))).toEqual([]);
  stack.program(replacing);
  const outage = faults().add({ kind: "brownout", ms: 4_000 });
  await textOf(stack.up({ continueOnError: true }));
  outage.remove();
  expect(await forgotten(stack)).toEqual([]);
});

test("a replacement whose create never arrived while a stranger takes the name deletes nothing, and takes nothing", async () => {
  const { mutate } = world.emulator;
  const stack = await opened("stranger", () => void new Service("orders", { ...SMALL, name: "orders" }));
  const old = idOf("orders");
  const act = (): void => void mutate.createService({ name: "orders-2", regionCode: "us-west-2" });
  faults().add({ kind: "meanwhile", operation: "createService", act });
  faults().add({ kind: "lostBefore", operation: "createService" });
  stack.program(
    () => void new Service("orders", { ...SMALL, ...MOVED, name: "orders-2", password: "of-the-program-1" }),
  );
  for (let run = 0; run < 2; run += 1) await expect(stack.up()).rejects.toThrow(/answer was lost|already/);
  expect(world.calls()).toEqual(["createService"]);
  expect([idOf("orders"), names(), await held(stack)]).toEqual([old, ["orders", "orders-2"], ["orders"]]);
});

test("of one object under two providers, a protected one outlives a program without both", async () => {
  const stack = await opened("both", () => void new Service("old", { ...SMALL, name: "orders" }));
  const id = idOf("orders");
  const taken = { ...SMALL, name: "orders", adoptId: id, deletionProtection: true };
  stack.program(() => void new Service("new", taken, { ...bySecond(), protect: false }));
  await textOf(stack.up({ exclude: ["urn:pulumi:dev::both::pulumi-nodejs:dynamic/dbcloud:Service::old"] }));
  expect(await held(stack)).toEqual(["new", "old"]);
  stack.program(() => void bySecond());
  await expect(stack.up({ continueOnError: true, parallel: 1 })).rejects.toThrow("protected");
  expect([idOf("orders"), world.calls(), await forgotten(stack)]).toEqual([id, [], []]);
});

/** For some reads and lists, whenever they come. */
function brownOut(): void {
  for (const operation of ["getService", "getPeering"] as const)
    faults().add({ kind: "brownout", operation, times: 4 });
  for (const operation of ["listServices", "listPeerings"] as const)
    faults().add({ kind: "brownout", operation, times: 2 });
}

const deletes = ["deleteService", "deletePeering"] as const;

test.each<[how: string, begin: () => void]>([
  [
    "is 404 in the middle of some 404s",
    () => {
      brownOut();
      for (const operation of deletes) faults().add({ kind: "status", status: 404, operation });
    },
  ],
  [
    "cannot be read, before some 404s",
    () => {
      for (const operation of deletes) faults().add({ kind: "meanwhile", when: "after", operation, act: brownOut });
      for (const operation of deletes) faults().add({ kind: "garbage", body: {}, operation });
    },
  ],
  [
    "is 202 without an effect, before some 404s while the list shows it",
    () => {
      const hide = (): void => void faults().add({ kind: "brownout", operation: "getService", times: 6 });
      faults().add({ kind: "meanwhile", when: "after", operation: "deleteService", act: hide });
      faults().add({ kind: "status", status: 202, body: "", operation: "deleteService" });
    },
  ],
])("a destroy whose delete has an answer that %s, forgets no service and no peering", async (how, begin) => {
  const stack = await opened(`seconds-${how.length}`, () => {
    void new Service("orders", { ...SMALL, deletionProtection: false, timeouts: { delete: "4s" } });
    const { vpcId } = new Vpc("net", NET);
    void new Peering("office", { vpcId, ...PEER });
  });
  begin();
  await textOf(stack.destroy({ continueOnError: true }));
  expect(await forgotten(stack)).toEqual([]);
});

describe("a resource that becomes a `get` of another object", () => {
  const becomes = (id: string) => (): void => void Service.get("orders", id);

  test("a resource that becomes a `get` of another object says in the preview that its data go, or deletes nothing", async () => {
    const stack = await opened("became", () => void new Service("orders", SMALL));
    stack.program(becomes(world.emulator.mutate.createService({ name: "other" }).id));
    const { text } = await stack.preview();
    await textOf(stack.up());
    const isSaid = /with its data|EMPTY/.test(text);
    expect([isSaid, names().includes("became-orders-dev")]).not.toEqual([false, false]);
  });

  test("a resource that becomes a `get` keeps what is protected, and its error brings the entry back", async () => {
    // Pulumi's own protection would refuse before this package is asked.
    const declare = (more: object) => (): void => void new Service("orders", { ...SMALL, ...more }, { protect: false });
    const stack = await opened("kept", declare({ deletionProtection: true }));
    const id = idOf("kept-orders-dev");
    const other = world.emulator.mutate.createService({ name: "other" }).id;
    stack.program(becomes(other));
    const refused = await textOf(stack.up());
    expect(refused).toContain(`adoptId: "${id}"`);
    expect(names()).toContain("kept-orders-dev");
    stack.program(declare({ deletionProtection: true, adoptId: id }));
    await stack.up();
    expect(await forgotten(stack, [other])).toEqual([]);
  });
});

test("a replica set with `deletedWith` is warned of, and named by the refusal that leaves it running in no state", async () => {
  const stack = await world.open(
    () => {
      const orders = new Service("orders", SMALL);
      void new ReadReplicaSet("readers", { serviceId: orders.serviceId, ...READERS }, { deletedWith: orders });
    },
    { project: "with" },
  );
  expect((await stack.up()).text).toMatch(/readers: with `deletedWith`/);
  const id = idOf("with-orders-dev");
  world.emulator.mutate.service(id, { environment: "PROD" });
  const refused = await textOf(stack.destroy());
  expect(refused).toMatch(/error: .*PROD/);
  expect(refused).toContain("with-readers-dev");
  world.emulator.mutate.service(id, { environment: "DEV" });
  const body = { code: "CONFLICT", message: "the service has read replica sets" };
  faults().add({ kind: "status", status: 409, body, operation: "deleteService", times: Infinity });
  expect(await textOf(stack.destroy())).toContain("with-readers-dev");
  faults().clear();
  stack.program(() => void new Service("kept", { ...SMALL, name: "with-orders-dev", adoptId: id }));
  const { text, calls } = await stack.up();
  expect([calls, text]).toEqual([[], expect.stringContaining("with-readers-dev")]);
});

test("protection that comes with a replacement refuses it in the preview, and no row says both", async () => {
  const stack = await opened("guarded", () => void new Service("orders", { ...SMALL, environment: "DEV" }));
  const moved = { ...SMALL, regionCode: "us-west-2", allowReplace: true };
  for (const guard of [{ deletionProtection: true }, { environment: "PROD" }] as const) {
    stack.program(() => void new Service("orders", { ...moved, ...guard }));
    for (const run of [() => stack.preview(), () => stack.up()]) {
      const text = await textOf(run());
      expect(text).toMatch(/guarded-orders-dev[^]*protected/);
      const rows = text.split("\n").filter((row) => /^ *(\+-|\+\+|--|-|~) /.test(row));
      expect(rows.filter((row) => /protected/.test(row) && !/error:/.test(row))).toEqual([]);
    }
  }
  expect(world.emulator.state().services).toMatchObject([{ regionCode: "us-east-1", environment: "DEV" }]);
});

test("another object under the id of the state is not changed, renamed or deleted, and the errors name the ways out", async () => {
  const stack = await opened("again", () => void new Service("orders", SMALL));
  const id = idOf("again-orders-dev");
  world.emulator.mutate.service(id, { name: "somebody-elses", createdAt: Date.UTC(2027, 0, 1) });
  stack.program(() => void new Service("orders", { ...SMALL, cpuMillis: 1000, memoryGbs: 4 }));
  for (const command of [() => stack.up(), () => stack.up({ refresh: true }), () => stack.destroy()]) {
    const text = await textOf(command());
    expect(text).toContain("adoptId");
    expect(text).toContain("state delete");
  }
  expect(world.calls()).toEqual([]);
  expect(names()).toEqual(["somebody-elses"]);
  expect(await forgotten(stack)).toEqual([]);
  stack.program(() => void new Service("orders", { ...SMALL, name: "somebody-elses", adoptId: id }));
  await stack.up();
  expect([await forgotten(stack), world.calls()]).toEqual([[], []]);
});

test("a lost create whose object shows late is not posted again by the next up", async () => {
  const before = world.environment["DBCLOUD_TEST_TIME_SCALE"];
  // Two commands of the CLI take longer than a hundredth of these times.
  world.environment["DBCLOUD_TEST_TIME_SCALE"] = "0.2";
  world.emulator.settings.listLag = { ms: 12_000 };
  faults().add({ kind: "lostAfter", operation: "createService" });
  try {
    const args = { ...SMALL, name: "orders", timeouts: { create: "2s" } };
    const stack = await world.open(() => void new Service("orders", args), { project: "late" });
    await expect(stack.up()).rejects.toThrow(/answer was lost|unknown/);
    expect(await textOf(stack.up())).toMatch(
      /an earlier run sent a create of it at 20.*nothing was sent[^]*Give it .* more with `timeouts.create`/,
    );
    expect(world.calls().filter((call) => call === "createService")).toEqual(["createService"]);
    expect(names()).toEqual(["orders"]);
  } finally {
    world.environment["DBCLOUD_TEST_TIME_SCALE"] = before;
    world.emulator.settings.listLag = {};
  }
});

test("a VPC stays while a service is in it, whatever of that the server does not show, and while one attaches", async () => {
  const { mutate, settings } = world.emulator;
  settings.switches.deleteVpcInUse = "cascade";
  // A region each: what is in one VPC says nothing of the others.
  const regions = {
    listed: "us-east-1",
    unknown: "us-east-2",
    paused: "us-west-2",
    ready: "eu-west-1",
    moving: "eu-west-2",
    attaching: "eu-central-1",
    leaving: "ca-central-1",
  } as const;
  const vpcs = Object.entries(regions);
  const stack = await opened("nets", () => {
    for (const [name, regionCode] of vpcs)
      void new Vpc(name, { cidr: "10.0.0.0/24", name, regionCode, timeouts: { delete: "8s" } });
  });
  const inside = Object.fromEntries(
    vpcs.map(([name, regionCode]) => {
      const vpcId = name === "attaching" ? undefined : idOf(name);
      return [name, mutate.createService({ name: `in-${name}`, regionCode, vpcId }).id];
    }),
  );
  const of = (name: keyof typeof regions): string => inside[name] ?? "";
  mutate.service(of("unknown"), { wire: { status: "MIGRATING", vpc_endpoint: null, vpcEndpoint: null } });
  mutate.service(of("paused"), { paused: true });
  faults().add({ kind: "members", members: NO_ADDRESSES, ids: [of("paused"), of("ready")], times: Infinity });
  mutate.service(of("moving"), { status: "UPGRADING" });
  const elsewhere = { vpc_endpoint: "absent", vpcEndpoint: "absent", region_code: { value: "ap-south-1" } } as const;
  faults().add({ kind: "members", members: elsewhere, ids: [of("moving")], in: "lists", times: Infinity });
  settings.timings.attach = 60_000;
  const deletesAttaching = ({ path }: { path: string }): boolean => path.includes(idOf("attaching"));
  faults().add({ kind: "status", status: 503, operation: "deleteVpc", match: deletesAttaching });
  const body = { vpc_id: idOf("attaching") };
  const act = { by: "client", call: "attachToVPC", params: { service_id: of("attaching") }, body } as const;
  faults().add({ kind: "meanwhile", operation: "deleteVpc", match: deletesAttaching, act });
  mutate.service(of("leaving"), { wire: { status: "DELETING" } });
  const fails = (): void => void mutate.service(of("leaving"), { wire: { status: "READY" } });
  faults().add({ kind: "meanwhile", operation: "listServices", skip: 3, act: fails });
  const refused = await textOf(stack.destroy({ continueOnError: true }));
  for (const name of Object.keys(regions)) expect(refused).toContain(`in-${name}`);
  expect(callsOn(idOf("attaching"))).toEqual(["deleteVpc"]);
  expect(world.calls().filter((call) => call === "deleteVpc")).toHaveLength(1);
  // A list that lacks what answers by its id holds all VPCs back, so this one comes alone.
  faults().add({ kind: "brownout", ids: [of("listed")], operation: "listServices", skip: 1 });
  const target = ["urn:pulumi:dev::nets::pulumi-nodejs:dynamic/dbcloud:Vpc::listed"];
  await expect(stack.destroy({ target })).rejects.toThrow("in-listed");
  expect(world.calls()).toEqual([]);
  expect(await held(stack)).toEqual(Object.keys(regions).toSorted());
});

test("what a refresh did not see of a paused service or of a set, or saw failed for a moment, changes nothing in the next up", async () => {
  const { mutate } = world.emulator;
  const stack = await opened("parts", () => {
    const { vpcId } = new Vpc("net", NET);
    void new Peering("office", { vpcId, ...PEER });
    void new Service("sleeping", { ...SMALL, vpcId, poolerEnabled: true, paused: true });
    const { serviceId } = new Service("orders", { ...SMALL, name: "orders" });
    for (const name of ["one", "two", "failing"]) void new ReadReplicaSet(name, { name, serviceId, ...READERS });
  });
  const before = await held(stack);
  const orders = world.emulator.state().services.find(({ name }) => name === "orders")?.id ?? "";
  const [peering] = world.emulator.state().peerings;
  faults().add({ kind: "members", members: NO_ADDRESSES, status: "PAUSED", times: Infinity });
  const row = { id: idOf("one"), name: "one", status: "active", nodes: 1, cpu_millis: 500, memory_gbs: 2 };
  const shows = (rows: object[]) => ({ read_replica_sets: { value: rows } });
  faults().add({ kind: "members", members: shows([row]), ids: [orders], times: Infinity });
  const strange = { ...row, id: idOf("two"), name: "two" };
  const somebody = mutate.createService({ name: "somebody-elses" }).id;
  faults().add({ kind: "members", members: shows([strange]), ids: [somebody], times: Infinity });
  mutate.peering(peering?.id ?? "", { status: "failed" });
  mutate.replicaSet(idOf("failing"), { status: "error" });
  const ids = alive().map(({ id }) => id);
  await stack.refresh();
  expect(await held(stack)).toEqual(before);
  mutate.peering(peering?.id ?? "", { status: "active" });
  mutate.replicaSet(idOf("failing"), { status: "active" });
  await expect(stack.up()).rejects.toThrow("is active again, so it is not replaced; nothing was deleted");
  await stack.up({ refresh: true });
  expect(world.calls()).toEqual([]);
  expect(alive().map(({ id }) => id)).toEqual(ids);
  expect(await held(stack)).toEqual(before);
});

test("a list that is cut proves nothing: no second service of a name is made, and no VPC goes from under a service", async () => {
  const { mutate, settings } = world.emulator;
  settings.switches.deleteVpcInUse = "cascade";
  const own = ["a", "b", "c", "d", "e"];
  const services = (): void => own.forEach((name) => void new Service(name, { ...SMALL, name }));
  const stack = await opened("cut", () => {
    void new Vpc("net", { ...NET, name: "net", timeouts: { delete: "2s" } });
    services();
  });
  mutate.createService({ name: "theirs", vpcId: idOf("net") });
  stack.program(() => {
    services();
    void new Service("db", { ...SMALL, name: "db" });
  });
  const cut = (next?: "header" | "member"): void => void faults().add({ kind: "cut", rows: 1, ...(next && { next }) });
  faults().add({ kind: "meanwhile", when: "after", operation: "createService", act: () => cut() });
  faults().add({ kind: "lostAfter", operation: "createService" });
  for (let run = 0; run < 2; run += 1) await expect(stack.up()).rejects.toThrow(run === 0 ? /lost|cut/ : /db/);
  expect(world.calls()).toEqual(["createService"]);
  // Where a list says so itself, by a header or by a member, the refusal comes at once.
  stack.program(services);
  for (const next of [undefined, "header", "member"] as const) {
    faults().clear();
    cut(next);
    await expect(stack.up()).rejects.toThrow(/net[^]*(\bpage\b|\bcut\b)/);
  }
  stack.program(() => {
    services();
    void new Service("second", { ...SMALL, name: "theirs" });
  });
  await expect(stack.up()).rejects.toThrow(/\bpage\b|\bcut\b/);
  expect(world.calls()).toEqual([]);
  expect(names()).toEqual([...own, "db", "net", "theirs"].toSorted());
  expect(await held(stack)).toEqual(expect.arrayContaining([...own, "net"]));
});

test("a VPC that the program let go of is not left in either form, and a service goes not before a set that stays (`ignoreChanges`)", async () => {
  const { mutate } = world.emulator;
  const [one, two] = ["one", "two"].map((name) => mutate.createVpc({ ...NET, name }).id);
  const declare =
    (more: object, orders: object = {}): Program =>
    () => {
      void new Service("dynamic", { ...SMALL, name: "dynamic", ...more });
      void new native.Service("native", { ...SMALL, name: "native", ...more });
      const { serviceId } = new Service("orders", { ...SMALL, name: "orders", ...orders });
      void new ReadReplicaSet("readers", { serviceId, ...READERS }, { ignoreChanges: ["serviceId"] });
      void new ReadReplicaSet("all", { serviceId, ...READERS }, { ignoreChanges: ["*"] });
    };
  const stack = await opened("apart", declare({ vpcId: one }));
  const ids = [idOf("dynamic"), idOf("native")];
  const move = (vpcId: string | undefined): void => ids.forEach((id) => void mutate.service(id, { vpcId }));
  move(undefined);
  stack.program(declare({}));
  await stack.up({ refresh: true });
  move(two);
  const old = idOf("orders");
  stack.program(declare({}, { name: "moved", regionCode: "us-west-2", allowReplace: true }));
  const refused = await textOf(stack.up({ refresh: true }));
  expect(world.calls()).toEqual(["createService"]);
  for (const set of ["readers", "all"]) expect(refused).toMatch(new RegExp(`error: [^]*apart-${set}-dev`));
  const inVpc = world.emulator.state().services.flatMap(({ name, vpcId }) => (vpcId === two ? [name] : []));
  expect(inVpc.toSorted()).toEqual(["dynamic", "native"]);
  expect(names()).toEqual(expect.arrayContaining(["orders", "apart-readers-dev"]));
  // Pulumi: the old one of a replacement whose delete has failed.
  const entries = stack.state().deployment.resources ?? [];
  expect(entries.map(({ id }) => id)).toEqual(expect.arrayContaining([old, idOf("moved"), idOf("apart-readers-dev")]));
});
