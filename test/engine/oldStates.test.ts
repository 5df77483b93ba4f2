// Whole stacks with states that older versions have written (test/states): a preview finds nothing to do, a refresh
// changes nothing, an update calls what it must, and a destroy leaves nothing.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { Peering, ReadReplicaSet, Service, Vpc, type ServiceArgs } from "pulumi-dbcloud";
import type { InlineStack } from "../support/cli/inlineStack";
import type { StateResource } from "../support/cli/project";
import { useEngineWorld, world } from "./world";

const folder = path.join(__dirname, "..", "states");
type OldState = Record<string, Required<Pick<StateResource, "id" | "inputs" | "outputs">>>;

useEngineWorld();

const program = (more: ServiceArgs) => () => {
  const vpc = new Vpc("vpc", { name: "net", cidr: "10.0.0.0/24", regionCode: "us-east-1" });
  const peer = { peerAccountId: "123456789012", peerRegionCode: "us-east-1", peerVpcId: "vpc-1" };
  const peering = new Peering("peering", { ...peer, vpcId: vpc.vpcId, waitFor: "provisioned" });
  const service = new Service("service", {
    name: "orders",
    regionCode: "us-east-1",
    addons: ["time-series"],
    cpuMillis: 500,
    memoryGbs: 2,
    environment: "DEV",
    haReplicas: { replicaCount: 1 },
    poolerEnabled: true,
    password: "not a real password",
    onDelete: "delete",
    timeouts: { create: "1h" },
    vpcId: vpc.vpcId,
    ...more,
  });
  const size = { cpuMillis: 500, memoryGbs: 2 };
  const readReplicaSet = new ReadReplicaSet("readReplicaSet", {
    ...size,
    name: "reports",
    nodes: 1,
    poolerEnabled: true,
    serviceId: service.serviceId,
  });
  return { peered: peering.provisionedId, reports: readReplicaSet.host };
};

/** Gives each resource of the stack the state that is on file, with the ids of the objects that are there. */
async function recall(stack: InlineStack, file: string): Promise<void> {
  const now = await stack.resources();
  let text = readFileSync(path.join(folder, file), "utf8");
  const old = JSON.parse(text) as OldState;
  for (const [name, { id }] of Object.entries(old)) text = text.replaceAll(id, now[name]?.id ?? "");
  text = text.replaceAll(String(old["service"]?.outputs["projectId"]), world.emulator.projectId);
  text = text.replaceAll(/http:[^"]*\/v1/g, world.emulator.baseUrl);
  const then = JSON.parse(text) as OldState;
  const exported = await stack.stack.exportStack();
  const { resources = [] } = exported.deployment as { resources?: StateResource[] };
  for (const resource of resources) {
    const state = then[resource.urn.split("::").at(-1) ?? ""];
    if (state === undefined) continue;
    // The line that names the provider is of the class, which the files do not have.
    const { __provider } = resource.inputs ?? {};
    resource.inputs = { ...state.inputs, __provider };
    resource.outputs = { ...state.outputs, __provider };
  }
  await stack.stack.importStack(exported);
}

test.each(readdirSync(folder))("a stack with the states of %s goes on as if today's had written them", async (file) => {
  const stack = await world.open(program({}), { name: file.replaceAll(/\W/g, "-") });
  await stack.up();
  await recall(stack, file);
  expect((await stack.preview()).steps).toEqual([]);
  const refresh = await stack.refresh();
  expect([refresh.steps, refresh.calls]).toEqual([[], []]);
  expect((await stack.preview()).steps).toEqual([]);
  stack.program(program({ environment: "PROD" }));
  expect((await stack.up()).calls).toEqual(["setEnvironment"]);
  stack.program(program({ environment: "PROD", deletionProtection: false }));
  expect((await stack.up()).calls).toEqual([]);
  await stack.destroy();
  const { services, vpcs, peerings, replicaSets } = world.emulator.state();
  expect([services, vpcs, peerings, replicaSets].flat()).toEqual([]);
});
