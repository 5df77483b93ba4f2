// What exists already: adopted by `adoptId` or for one run by the environment, or only read by `get`. On the real
// engine, because what is said in a preview, and what a replacement then destroys, is decided there.

import type * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { Peering, Provider, ReadReplicaSet, Service, Vpc } from "../../../provider/index";
import * as native from "../../../provider/native";
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
    const own = { ...small, name: "orders", poolerEnabled: true, ...adopt(service.id) };
    const db = new Service("db", { ...own, vpcId: net.vpcId });
    const readers = { name: "readers", nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    void new ReadReplicaSet("readers", { serviceId: db.serviceId, ...readers, ...adopt(set.id) });
  };
  const stack = await world.open(declare(true), { project: "adoption" });
  const up = await stack.up();
  expect(up.summary).toMatchObject({ create: 5 });
  expect(up.calls.toSorted()).toEqual(["attachToVPC", "enablePooler", "renameVpc", "resizeReplicaSet"]);
  expect(up.text).toMatch(/adopting VPC "by hand".*rename: name "by hand" → "adoption-net-dev"/);
  expect(up.text).toMatch(/adopting service "orders".*attachToVPC.*enablePooler/);
  expect(emulator.ledger().filter(({ event, by }) => event !== "changed" && by === "api")).toEqual([]);
  const resources = await stack.resources();
  const ids = Object.values(resources).map(({ id }) => String(id));
  expect(ids.toSorted()).toEqual([vpc.id, peering.id, service.id, set.id].toSorted());

  // Once it is done, the word has no further effect: dropping it is saved without a call.
  stack.program(declare(false));
  const dropped = await stack.up();
  expect(dropped).toMatchObject({ calls: [], summary: { update: 4 } });
  expect(await stack.preview({ refresh: true })).toMatchObject({ steps: [], calls: [] });
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
    later: "reading-own-dev",
  });
  const destroyed = await stack.destroy();
  expect(destroyed.calls).toEqual(["deleteService"]);
  const events = emulator.ledger().slice(before);
  const since = events.map(({ event, name }) => `${event} ${name}`);
  expect(since).toEqual(["created reading-own-dev", "deleted reading-own-dev"]);

  stack.program(() => {
    void Service.get("absent", "svc0000000");
  });
  const failure = await stack.preview().catch(String);
  expect(failure).toContain('there is no service "svc0000000" in project proj000001');
  expect(failure).not.toMatch(/^ +at /m);
});

describe("an entry that leaves the program in the run in which", () => {
  /** A stack with this service, and the service's id. */
  const stackWith = async (name: string) => {
    const stack = await world.open(() => void new Service("db", { ...small, name }), { project: name });
    await stack.up();
    return { stack, id: world.emulator.state().services.find((one) => one.name === name)?.id ?? "" };
  };
  const kept = async (stack: { up(): Promise<{ calls: string[]; text: string }> }): Promise<void> => {
    const { calls, text } = await stack.up();
    expect(calls).toEqual([]);
    expect(text).toContain("is kept: ");
  };

  test("another one with `ignoreChanges: [*]` has its object loses only itself", async () => {
    const { emulator } = world;
    const { stack, id } = await stackWith("ignored");
    const opts = { ignoreChanges: ["*"] };
    const adopting = (): void => void new Service("orders", { ...small, name: "ignored", adoptId: id }, opts);
    stack.program(() => {
      adopting();
      void new Service("sibling", small);
    });
    emulator.faults.add({ kind: "status", status: 400, operation: "createService" });
    await expect(stack.up()).rejects.toThrow("createService");
    stack.program(adopting);
    await kept(stack);
    expect(emulator.state().services.find((one) => one.id === id)?.status).toBe("READY");
  });

  test.each<[string, () => { Vpc: typeof Vpc; opts: pulumi.CustomResourceOptions }]>([
    [
      "an explicit provider",
      () => ({ Vpc, opts: { provider: new Provider("second", { apiKey: world.emulator.apiKey }) } }),
    ],
    ["the plugin", () => ({ Vpc: native.Vpc, opts: {} })],
  ])("%s adopts its VPC loses only itself", async (who, by) => {
    const { emulator } = world;
    const net = { name: `moved by ${who}`, cidr: "10.31.0.0/24", regionCode: "us-east-1" };
    const stack = await world.open(() => void new Vpc("net", net), { project: `moving-${who.slice(-6)}` });
    await stack.up();
    const { id = "" } = emulator.state().vpcs.find(({ name }) => name === net.name) ?? {};
    stack.program(() => {
      const { Vpc: Taking, opts } = by();
      void new Taking("moved", { ...net, adoptId: id }, opts);
    });
    await kept(stack);
    expect(emulator.state().vpcs.map((one) => one.id)).toContain(id);
  });

  test("`get` reads its object under another name loses only itself", async () => {
    const { stack, id } = await stackWith("referred");
    stack.program(() => void Service.get("ref", id));
    await kept(stack);
    expect(world.emulator.state().services.find((one) => one.id === id)?.status).toBe("READY");
  });
});
