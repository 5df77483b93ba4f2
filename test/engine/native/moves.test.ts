// A stack moves between the dynamic form and the plugin, either way: no preview shows a change, and no call changes anything.
// And whose settings and time limits count in the plugin; its whole path is in test/languages.

import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import * as dynamic from "../../../provider/index";
import * as native from "../../../provider/native";
import { useEngineWorld, world } from "../world";

const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
type Classes = typeof dynamic | typeof native;

useEngineWorld();

/** Every kind; protected, in a component, and under a provider of its own. */
function program({ Peering, Provider, ReadReplicaSet, Service, Vpc }: Classes, isRenamed = false) {
  return () => {
    const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0abc" };
    void new Peering("peer", { vpcId: net.vpcId, ...peer });
    const own = new Provider("own", { apiKey: world.emulator.apiKey, quiet: true });
    const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: [own] });
    const settings = { ...small, environment: "PROD", vpcId: net.vpcId, password: "a-password-to-keep" } as const;
    const name = isRenamed ? "orders" : undefined;
    const db = new Service("db", { ...settings, name, timeouts: { update: "30m" } }, { parent: group });
    const set = { serviceId: db.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 };
    void new ReadReplicaSet("readers", set, { parent: group, customTimeouts: { create: "50m" } });
    return Promise.resolve({ host: db.host, url: db.connectionString() });
  };
}

test("forth and back, with an update, a refresh and a destroy on each side", async () => {
  const stack = await world.open(program(dynamic), { project: "moving" });
  await stack.up();
  const ids = async (): Promise<unknown> =>
    Object.fromEntries(Object.entries(await stack.resources()).map(([name, { id }]) => [name, id]));
  const made = await ids();
  const { services } = world.emulator.state();
  for (const [classes, isRenamed, changes] of [
    [native, false, []],
    [dynamic, true, ["renameService"]],
    [native, true, []],
  ] as const) {
    stack.program(program(classes, isRenamed));
    const preview = await stack.preview();
    expect(preview.steps).toEqual(changes.length === 0 ? [] : ["update db"]);
    expect((await stack.up()).calls).toEqual(changes);
    expect(await stack.refresh()).toMatchObject({ steps: [], calls: [] });
    expect(await ids()).toEqual(made);
    expect(stack.text()).not.toContain("a-password-to-keep");
  }
  expect(world.emulator.state().services.map(({ id }) => id)).toEqual(services.map(({ id }) => id));
  const refused = await stack.destroy().catch((error: unknown) => String(error));
  expect(refused).toContain("protected");
  expect(world.emulator.state().services).toHaveLength(1);
});

test.each([
  ["to the plugin", dynamic, native],
  ["to the dynamic form", native, dynamic],
] as const)(
  "a half-made service moves %s with another name, and is completed: no other is made",
  async (_way, from, to) => {
    const service =
      ({ Service }: Classes, name = "half", aliases: pulumi.Alias[] = []) =>
      () => {
        void new Service(name, { ...small, poolerEnabled: true, password: "a-password-to-keep" }, { aliases });
        return Promise.resolve();
      };
    const stack = await world.open(service(from), { project: `half-${from === dynamic ? "dynamic" : "native"}` });
    world.emulator.faults.add({ operation: "enablePooler", kind: "status", status: 400, times: 1 });
    await expect(stack.up()).rejects.toThrow("is kept in the state");
    // A rename in the same run needs no alias but its own.
    stack.program(service(to, "renamed", [{ name: "half" }]));
    expect((await stack.preview()).steps).toEqual(["update renamed"]);
    expect((await stack.up()).calls).toEqual(["enablePooler", "updatePassword"]);
    expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ steps: [], calls: [] });
    await stack.destroy();
  },
);

test("a move with a rename takes aliases that are known later, of either kind, and calls nothing", async () => {
  const nets =
    ({ Vpc }: Classes, aliasesOf: (name: string) => pulumi.CustomResourceOptions["aliases"]) =>
    () => {
      for (const [at, name] of ["output", "promise", "urn"].entries()) {
        const [label, aliases] = [`${name}${(aliasesOf(name) ?? []).length}`, aliasesOf(name) ?? []];
        void new Vpc(label, { name, cidr: `10.${at}.0.0/24`, regionCode: "us-east-1" }, { aliases });
      }
      return Promise.resolve();
    };
  const stack = await world.open(
    nets(native, () => []),
    { project: "later" },
  );
  await stack.up();
  const { output0, urn0 } = await stack.resources();
  expect(output0).toBeDefined();
  const aliases: Record<string, () => pulumi.CustomResourceOptions["aliases"]> = {
    output: () => [pulumi.output({ name: "output0" })],
    promise: () => [Promise.resolve({ name: "promise0" })],
    urn: () => [pulumi.output(urn0?.urn ?? "")],
  };
  stack.program(nets(dynamic, (name) => aliases[name]?.()));
  expect(await stack.preview({ expectNoChanges: true })).toMatchObject({ steps: [], calls: [] });
  expect((await stack.up()).calls).toEqual([]);
  expect(Object.keys(await stack.resources()).toSorted()).toEqual(["output1", "promise1", "urn1"]);
  await stack.destroy();
});

test("an explicit provider wins over the environment, and a component passes it on; time limits arrive", async () => {
  const inline = await world.open(
    () => {
      const own = new native.Provider("own", { apiKey: world.emulator.apiKey, projectId: world.emulator.projectId });
      const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: { dbcloud: own } });
      void new native.Service("slow", small, { parent: group, customTimeouts: { create: "1s" } });
      return Promise.resolve();
    },
    { project: "explicit" },
  );
  inline.stack.workspace.envVars["DBCLOUD_API_KEY"] = "wrong-key-of-the-environment";
  world.emulator.settings.timings.create = 20_000;
  const failed = await inline.up().catch((error: unknown) => String(error));
  expect(failed).toContain("exists and is kept in the state, but is not as declared yet");
  world.emulator.settle();
  expect(inline.text()).not.toContain(world.emulator.apiKey);
  expect((await inline.up()).calls).toEqual([]);
  await inline.destroy();
});
