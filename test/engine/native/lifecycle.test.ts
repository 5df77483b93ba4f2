// The plugin on the real engine: what it does as the dynamic form does, and what only a plugin can.

import * as pulumi from "@pulumi/pulumi";
import { afterAll, expect, test, vi } from "vitest";
import {
  getServiceOutput,
  Peering,
  Provider,
  ReadReplicaSet,
  Service,
  type ServiceArgs,
  Vpc,
} from "../../../provider/native";
import type { InlineStack } from "../../support/cli/inlineStack";
import { textLike } from "../../support/matchers";
import { useEngineWorld, world } from "../world";

const PASSWORD = "a-password-of-this-test";
const small = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;

let stack: InlineStack;

useEngineWorld({}, async () => {
  // Functions run in the program's own process, which is this one.
  vi.stubEnv("DBCLOUD_BASE_URL", world.emulator.baseUrl);
  vi.stubEnv("DBCLOUD_API_KEY", world.emulator.apiKey);
  stack = await world.open(program(), { project: "native" });
});

afterAll(() => void vi.unstubAllEnvs());

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

test("up makes all four, and nothing is still to do", async () => {
  const up = await stack.up();
  expect(up.calls.toSorted()).toEqual(
    ["createVpc", "createPeering", "createService", "attachToVPC", "updatePassword", "createReplicaSet"].toSorted(),
  );
  expect(await stack.stack.outputs()).toMatchObject({ seen: { value: "native-db-dev" }, url: { secret: true } });
  expect(await stack.preview({ expectNoChanges: true })).toMatchObject({ steps: [], requests: 1 });
  expect(stack.text()).not.toContain(PASSWORD);
  // The state says where the program declares each resource, and not where this package does.
  const places = Object.values(await stack.resources()).map(({ sourcePosition }) => sourcePosition);
  expect(places).toEqual(Array.from({ length: 4 }, () => textLike(/lifecycle\.test\.ts#\d+/)));
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

test("an explicit provider wins over the environment, and a component passes it on; time limits arrive", async () => {
  const inline = await world.open(
    () => {
      const own = new Provider("own", { apiKey: world.emulator.apiKey, projectId: world.emulator.projectId });
      const group = new pulumi.ComponentResource("test:index:Group", "group", {}, { providers: { dbcloud: own } });
      void new Service("slow", small, { parent: group, customTimeouts: { create: "1s" } });
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
