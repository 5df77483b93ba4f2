// What exists already: adopted by `adoptId` or for one run by the environment, or only read by `get`. On the real
// engine, because what is said in a preview, and what a replacement then destroys, is decided there.

import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { Peering, Provider, ReadReplicaSet, Service, Vpc } from "../../../provider/index";
import { useEngineWorld, world } from "../world";

const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;

useEngineWorld();

test("objects of all four kinds are adopted: differences are named and changed in place, nothing is created or replaced", async () => {
  const { emulator } = world;
  const { mutate } = emulator;
  const vpc = mutate.createVpc({ name: "by hand", cidr: "10.0.0.0/24" });
  const peering = mutate.createPeering(vpc.id, { peerVpcId: "vpc-0a" });
  const service = mutate.createService({ name: "orders", environment: "DEV", replicaCount: 1 });
  const set = mutate.createReplicaSet(service.id, { name: "readers", cpuMillis: 250, memoryGbs: 1 });
  const declare = (isAdopting: boolean) => () => {
    const adopt = (id: string): { adoptId?: string } => (isAdopting ? { adoptId: id } : {});
    const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1", ...adopt(vpc.id) });
    const peer = { peerAccountId: peering.peerAccountId, peerRegionCode: peering.peerRegionCode, peerVpcId: "vpc-0a" };
    void new Peering("office", { vpcId: net.vpcId, ...peer, ...adopt(peering.id) });
    const db = new Service("db", {
      ...small,
      name: "orders",
      vpcId: net.vpcId,
      poolerEnabled: true,
      ...adopt(service.id),
    });
    const readers = { name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    void new ReadReplicaSet("readers", { serviceId: db.serviceId, ...readers, ...adopt(set.id) });
  };
  const stack = await world.open(declare(true), { project: "adoption" });
  const up = await stack.up();
  expect(up.summary).toMatchObject({ create: 5 });
  expect(up.calls.toSorted()).toEqual(["attachToVPC", "enablePooler", "renameVpc", "resizeReplicaSet"]);
  expect(up.text).toMatch(/adopting VPC "by hand".*rename: name "by hand" → "net-dev"/);
  expect(up.text).toMatch(/adopting service "orders".*attachToVPC.*enablePooler/);
  expect(emulator.ledger().filter(({ event, by }) => event !== "changed" && by === "api")).toEqual([]);
  const resources = await stack.resources();
  expect(
    Object.values(resources)
      .map(({ id }) => String(id))
      .toSorted(),
  ).toEqual([vpc.id, peering.id, service.id, set.id].toSorted());

  // Once it is done, the word has no further effect: dropping it is saved without a call.
  stack.program(declare(false));
  const dropped = await stack.up();
  expect(dropped).toMatchObject({ calls: [], summary: { update: 4 } });
  expect(await stack.preview({ refresh: true })).toMatchObject({ steps: [], calls: [] });
});

test("--replace of an adopted service destroys nothing and creates no second one", async () => {
  const { emulator } = world;
  const service = emulator.mutate.createService({ name: "valuable" });
  const declare = (adoptId: string | undefined) => () => {
    void new Service("valuable", { ...small, name: "valuable", ...(adoptId === undefined ? {} : { adoptId }) });
  };
  const stack = await world.open(declare(undefined), { project: "replacement" });
  await expect(stack.up()).rejects.toThrow(
    new RegExp(`there is already service "valuable" \\(${service.id}.*nothing was created`),
  );

  // For this one run the environment says that it is ours.
  expect(await stack.up({ adopt: `other,${service.id}` })).toMatchObject({ steps: ["create valuable"], calls: [] });

  stack.program(declare(service.id));
  const urn = (await stack.resources())["valuable"]?.urn ?? "";
  const replaced = await stack.up({ replace: [urn], target: [urn] });
  expect(replaced.calls).toEqual([]);
  expect(replaced.text).toContain(`service valuable (${service.id}) is kept`);
  expect((await stack.resources())["valuable"]?.id).toBe(service.id);
  expect(emulator.ledger().filter(({ id }) => id === service.id)).toHaveLength(1);
});

test("an object that is to be adopted is not deleted before the adoption is done, nor if the adoption fails", async () => {
  const declare =
    (label: string, adoptId?: string, regionCode = "us-east-1") =>
    () => {
      const args = { ...small, name: "to-stay", regionCode, ...(adoptId === undefined ? {} : { adoptId }) };
      void new Service(label, args, { deleteBeforeReplace: true });
    };
  const stack = await world.open(declare("old"), { project: "adoptions" });
  await stack.up();
  const { id = "", urn = "" } = (await stack.resources())["old"] ?? {};

  // Pulumi: with `deleteBeforeReplace` the delete comes before the create that would adopt it.
  stack.program(declare("old", id));
  await expect(stack.up({ replace: [urn] })).rejects.toThrow(/is to go to old .*nothing was deleted/);
  stack.program(declare("old"));
  await expect(stack.up({ replace: [urn], adopt: id })).rejects.toThrow(
    /is to go to DBCLOUD_ADOPT.*nothing was deleted/,
  );

  // Pulumi: the run goes on to the deletes.
  stack.program(declare("new", id, "eu-west-1"));
  await expect(stack.up({ continueOnError: true })).rejects.toThrow(/cannot be adopted(.|\n)*nothing was deleted/);
  stack.program(declare("new"));
  await expect(stack.up({ continueOnError: true })).rejects.toThrow(/is to go to new .*nothing was deleted/);
  stack.program(declare("new", id));
  await stack.up({ continueOnError: true });
  expect(world.emulator.ledger().filter(({ name }) => name === "to-stay")).toMatchObject([{ event: "created", id }]);
  expect(Object.keys(await stack.resources())).toEqual(["new"]);
});

test("get reads an existing object without managing it: its outputs are known in a preview, and an unknown id is an error", async () => {
  const { emulator } = world;
  const { mutate } = emulator;
  const vpc = mutate.createVpc({ name: "theirs", cidr: "10.7.0.0/24" });
  const peering = mutate.createPeering(vpc.id);
  const service = mutate.createService({ name: "theirs", environment: "PROD" });
  const set = mutate.createReplicaSet(service.id, { name: "theirs", nodes: 3 });
  const read = (): Record<string, pulumi.Output<unknown>> => {
    const db = Service.get("db", service.id);
    const later = Service.get("later", new Service("own", small).serviceId);
    return {
      cidr: Vpc.get("net", vpc.id).cidr,
      peer: Peering.get("peer", peering.id, { vpcId: vpc.id }).peerVpcId,
      environment: db.environment,
      nodes: ReadReplicaSet.get("readers", set.id, { serviceId: db.serviceId }).nodes,
      later: later.name,
    };
  };
  const stack = await world.open(read, { project: "reading" });
  const preview = await stack.preview();
  expect(preview.steps.filter((step) => !step.startsWith("read "))).toEqual(["create own"]);
  const before = emulator.ledger().length;
  const up = await stack.up();
  expect(up.calls).toEqual(["createService"]);
  const outputs = Object.entries(await stack.stack.outputs()).map(([key, { value }]) => [key, value as unknown]);
  expect(Object.fromEntries(outputs)).toEqual({
    cidr: "10.7.0.0/24",
    peer: peering.peerVpcId,
    environment: "PROD",
    nodes: 3,
    later: "own-dev",
  });
  const destroyed = await stack.destroy();
  expect(destroyed.calls).toEqual(["deleteService"]);
  expect(
    emulator
      .ledger()
      .slice(before)
      .map(({ event, name }) => `${event} ${name}`),
  ).toEqual(["created own-dev", "deleted own-dev"]);

  stack.program(() => {
    void Service.get("absent", "svc0000000");
  });
  const failure = await stack.preview().catch(String);
  expect(failure).toContain('there is no service "svc0000000" in project proj000001');
  expect(failure).not.toMatch(/^ +at /m);
});

test("a service that becomes a get under the same name is no longer managed, and a destroy does not delete it", async () => {
  const { id } = world.emulator.mutate.createService({ name: "given-up", cpuMillis: 500, memoryGbs: 2 });
  const stack = await world.open(() => void new Service("db", { ...small, name: "given-up", adoptId: id }), {
    project: "given-up",
  });
  await stack.up();
  stack.program(() => void Service.get("db", id));
  expect((await stack.preview()).steps.filter((step) => step.startsWith("delete"))).toEqual([]);
  await stack.up();
  await stack.destroy();
  expect(world.emulator.ledger().filter((entry) => entry.id === id)).toHaveLength(1);
});

test("an object that moved to another provider without an alias and was adopted is not deleted with its old entry", async () => {
  const { baseUrl, apiKey } = world.emulator;
  /** Pulumi: an explicit provider has a process of its own, and another parent makes another URN. */
  const declare = (moved: readonly string[], isBroken: boolean) => () => {
    const provider = new Provider("own", { baseUrl, apiKey });
    const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: [provider] });
    for (const name of ["now", "later"]) {
      void new Service(name, { ...small, name: `moved-${name}` }, moved.includes(name) ? { parent: group } : {});
    }
    if (isBroken) throw new Error("the program fails");
  };
  const stack = await world.open(declare([], false), { project: "moved" });
  await stack.up();
  const services = () =>
    world.emulator
      .state()
      .services.filter(({ name }) => name.startsWith("moved-"))
      .map(({ id }) => id);
  const before = services();
  expect(before).toHaveLength(2);

  const adopt = "moved-now,moved-later";
  stack.program(declare(["now"], false));
  const same = await stack.up({ adopt });
  expect(same.text).toContain("(under another provider) of this program has it");
  expect(services()).toEqual(before);

  // The run that adopts it ends before it deletes the old entry, and the next one does that.
  stack.program(declare(["now", "later"], true));
  await expect(stack.up({ adopt })).rejects.toThrow("the program fails");
  stack.program(declare(["now", "later"], false));
  const next = await stack.up();
  expect(next.steps).toEqual(["delete later"]);
  expect(next.calls).toEqual([]);
  expect(services()).toEqual(before);
});
