// The plugin on the real engine: what it does as the dynamic form does, and what only a plugin can.

import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test, vi } from "vitest";
import {
  getServiceOutput,
  Peering,
  Provider,
  ReadReplicaSet,
  Service,
  type ServiceArgs,
  Vpc,
} from "../../../provider/native";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import type { InlineStack } from "../../support/cli/inlineStack";

const PASSWORD = "a-password-of-this-test";
const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;

let world: EngineWorld;
let stack: InlineStack;

beforeAll(async () => {
  world = await openEngineWorld();
  // Functions run in the program's own process, which is this one.
  vi.stubEnv("DBCLOUD_BASE_URL", world.emulator.baseUrl);
  vi.stubEnv("DBCLOUD_API_KEY", world.emulator.apiKey);
  stack = await world.open(program(), { project: "native" });
  return async () => {
    vi.unstubAllEnvs();
    await world.close();
  };
});

/** All four kinds, a look-up, and an output that depends on an address. */
function program(change: Partial<ServiceArgs> = {}) {
  return () => {
    const net = new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
    const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-0abc" };
    void new Peering("peer", { vpcId: net.vpcId, ...peer });
    const db = new Service("db", { ...small, vpcId: net.vpcId, password: PASSWORD, ...change });
    void new ReadReplicaSet("readers", { serviceId: db.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });
    const seen = getServiceOutput({ serviceId: db.serviceId });
    return Promise.resolve({
      host: db.host,
      url: db.connectionString(),
      pooler: db.poolerHost,
      seen: seen.name,
      size: db.resources,
    });
  };
}

test("up makes all four, and nothing is left to do", async () => {
  const up = await stack.up();
  expect(up.calls.toSorted()).toEqual(
    ["createVpc", "createPeering", "createService", "attachToVPC", "updatePassword", "createReplicaSet"].toSorted(),
  );
  expect(await stack.stack.outputs()).toMatchObject({ seen: { value: "db-dev" }, url: { secret: true } });
  expect(await stack.preview({ expectNoChanges: true })).toMatchObject({ steps: [], requests: 1 });
  expect(stack.text()).not.toContain(PASSWORD);
});

test("the preview of a resize knows every output that a resize does not touch", async () => {
  stack.program(program({ cpuMillis: 1000, memoryGbs: 4 }));
  const preview = await stack.preview({ diff: true });
  expect(preview.steps).toEqual(["update db"]);
  expect(preview.diffs["db"]).toEqual(["cpuMillis", "memoryGbs"]);
  expect(preview.text).toMatch(/~ cpuMillis *: 500 => 1000/);
  expect(preview.text).not.toMatch(/(?:host|url|pooler|seen) *:.*(?:unknown|=>)/);
  const before = await stack.stack.outputs();
  expect((await stack.up()).calls).toEqual(["resize"]);
  const after = await stack.stack.outputs();
  expect(after["host"]).toEqual(before["host"]);
  expect(after["size"]?.value).toMatchObject([{ spec: { cpuMillis: 1000 } }]);
});

test("in the preview of a change, what it touches is unknown to the program, and what is absent is absent", async () => {
  const seen: unknown[] = [];
  const pooled = (args: Partial<ServiceArgs>) => () => {
    const db = new Service("pooled", { ...small, poolerEnabled: true, password: PASSWORD, ...args });
    db.resources.apply((value) => seen.push(value));
    db.forkedFrom.apply((value) => seen.push(value));
    return Promise.resolve({ url: db.connectionString({ via: "pooler" }) });
  };
  const own = await world.open(pooled({}), { project: "pooled" });
  await own.up();
  for (const change of [{ cpuMillis: 1000, memoryGbs: 4 }, { name: "renamed" }]) {
    seen.length = 0;
    own.program(pooled(change));
    expect((await own.preview()).steps).toEqual(["update pooled"]);
    expect(JSON.stringify(seen)).not.toContain("pulumiUnknown");
    expect(seen).toContain(undefined);
    await own.up();
  }
  await own.destroy();
});

test("a refresh shows drift by property, and the next up repairs it", async () => {
  const { db } = await stack.resources();
  world.emulator.mutate.service(db?.id ?? "", { environment: "PROD", cpuMillis: 2000, memoryGbs: 8 });
  const refresh = await stack.refresh();
  expect(refresh.text).toMatch(/db .*\[diff: ~cpuMillis,memoryGbs/);
  expect(refresh.text).toContain("protected against deletion");
  const up = await stack.up();
  expect(up.calls).toEqual(["resize"]);
  expect(await stack.preview({ refresh: true, expectNoChanges: true })).toMatchObject({ steps: [], calls: [] });
});

test("what cannot change is one line of the preview, without a stack trace", async () => {
  stack.program(program({ regionCode: "eu-west-1" }));
  const failed = await stack.preview().catch((error: unknown) => String(error));
  expect(failed).toContain('regionCode: cannot change from "us-east-1" to "eu-west-1"');
  expect(failed).not.toMatch(/\n +at /);
});

test("a protected service is refused before anything is deleted; without the protection a destroy leaves nothing", async () => {
  stack.program(program());
  const refused = await stack.destroy().catch((error: unknown) => String(error));
  expect(refused).toMatch(/belongs to service \w+, which is protected against deletion/);
  expect(world.emulator.state().services).toHaveLength(1);
  stack.program(program({ deletionProtection: false }));
  await stack.up();
  await stack.destroy();
  expect(world.emulator.state()).toMatchObject({ services: [], vpcs: [] });
});

test("an explicit provider wins over the environment, and a component passes it on; time limits arrive", async () => {
  const inline = await world.open(
    () => {
      const own = new Provider("own", { apiKey: world.emulator.apiKey, projectId: world.emulator.projectId });
      const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: { dbcloud: own } });
      void new Service("db", small, { parent: group, customTimeouts: { create: "1s" } });
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
