// What a user gets: the packed package, installed by npm into an empty folder outside the repository, with a program of
// 20 lines in TypeScript.

import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { npm, packedInto } from "../../support/cli/packed";
import { typesChecked } from "../../support/cli/project";
import { succeed } from "../../support/cliProcess";
import { root } from "../../support/engineWorld";
import { useEngineWorld, world } from "../world";

const program = `import * as pulumi from "@pulumi/pulumi";
import { ReadReplicaSet, Service, Vpc } from "pulumi-dbcloud";

const config = new pulumi.Config();
const regionCode = config.get("region") ?? "us-east-1";
const vpc = new Vpc("main", { cidr: "10.0.0.0/24", regionCode });
const orders = new Service("orders", {
  regionCode,
  cpuMillis: 1000,
  memoryGbs: 4,
  haReplicas: { replicaCount: 1 },
  vpcId: vpc.vpcId,
  poolerEnabled: true,
});
const reports = new ReadReplicaSet("reports", { serviceId: orders.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });

export const url = orders.connectionString({ via: "pooler" });
export const reportsAddress = reports.endpoint;
`;

useEngineWorld();

function pulumiVersion(): string {
  const file = path.join(root, "node_modules", "@pulumi", "pulumi", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

test("the packed package works in an empty folder: up, an equal preview, the same through the plugin, destroy", async () => {
  const folder = path.join(world.folder, "shop");
  mkdirSync(folder);
  const tarball = await packedInto(world.folder);
  // Each run installs into a folder of its own, and nobody uses what it compiles once more.
  world.environment["NODE_COMPILE_CACHE"] = path.join(world.folder, "compiled");
  const project = world.at(folder);
  project.write({
    "Pulumi.yaml": "name: shop\nruntime: nodejs\nmain: index.ts\n",
    "package.json": '{ "name": "shop", "private": true, "main": "index.ts" }',
    "index.ts": program,
  });
  await npm(folder, "install", tarball, `@pulumi/pulumi@${pulumiVersion()}`);

  expect(readFileSync(path.join(folder, "node_modules/pulumi-dbcloud/SECURITY.md"), "utf8")).toContain("--event-log");

  await succeed(project.pulumi("stack init dev"));
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({
    vpcs: [{ name: "main-dev" }],
    services: [{ name: "orders-dev", poolerEnabled: true, replicaCount: 1 }],
    replicaSets: [{ name: "reports-dev" }],
  });
  await succeed(project.pulumi("preview --expect-no-changes"));

  // The same program through the plugin of the package.
  world.calls();
  const plugin = "plugins:\n  providers:\n    - { name: dbcloud, path: node_modules/pulumi-dbcloud/dist/plugin }\n";
  project.write({
    "Pulumi.yaml": `name: shop\nruntime: nodejs\nmain: index.ts\n${plugin}`,
    "index.ts": program.replace('"pulumi-dbcloud"', '"pulumi-dbcloud/native"'),
  });
  await succeed(project.pulumi("preview --expect-no-changes"));
  await succeed(project.pulumi("up --yes --skip-preview"));
  expect(world.calls()).toEqual([]);
  expect(
    Object.values(await project.resources())
      .map(({ type }) => type)
      .toSorted(),
  ).toEqual(["dbcloud:index:ReadReplicaSet", "dbcloud:index:Service", "dbcloud:index:Vpc"]);
  await succeed(project.pulumi("preview --refresh --expect-no-changes", typesChecked));
  await succeed(project.pulumi("destroy --yes --skip-preview"));
  expect(world.emulator.state()).toMatchObject({ vpcs: [], services: [], replicaSets: [] });
});
