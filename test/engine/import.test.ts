// Resources that were made by hand come under a stack's care: the command writes the two files, Pulumi imports and
// refreshes, and from then on nothing differs and nothing is called but GET.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Emulator } from "../../emulator/index";
import { ReadReplicaSet, Service, type ServiceArgs } from "../../provider/index";
import { succeed } from "../support/cliProcess";
import { type Project, typesChecked } from "../support/cli/project";
import { textLike } from "../support/matchers";
import { useEngineWorld, world } from "./world";

let project: Project;

const tsconfig = JSON.stringify({ compilerOptions: { module: "NodeNext", target: "ES2023", strict: true } });

useEngineWorld({}, async () => {
  project = await world.project(
    "by-hand",
    { "Pulumi.yaml": "name: by-hand\nruntime: nodejs\n", "tsconfig.json": tsconfig },
    "dev",
  );
});

/** Two VPCs, three peerings, six services and four replica sets, as people click them together. */
function makeByHand({ mutate }: Emulator): { plain: { id: string }; orders: { id: string } } {
  const net = mutate.createVpc({ name: "Main net", cidr: "10.1.0.0/16" });
  const other = mutate.createVpc({ name: "Main net", cidr: "10.2.0.0/16", regionCode: "eu-west-1" });
  mutate.createPeering(net.id, { peerVpcId: "vpc-0aaa" });
  mutate.createPeering(net.id, { peerVpcId: "vpc-0bbb", peerAccountId: "999988887777", peerRegionCode: "eu-west-1" });
  mutate.createPeering(other.id, { peerVpcId: "vpc-0ccc", status: "pending", provisionedId: undefined });
  const orders = mutate.createService({
    name: "orders",
    environment: "PROD",
    vpcId: net.id,
    replicaCount: 2,
    syncReplicaCount: 1,
    cpuMillis: 2000,
    memoryGbs: 8,
    poolerEnabled: true,
  });
  const plain = mutate.createService({ name: "orders", serviceType: "POSTGRES", wire: { metadata: {} } });
  mutate.createService({ name: "asleep", paused: true, replicaCount: 1 });
  mutate.createService({
    name: "größe/1",
    cpuMillis: undefined,
    memoryGbs: undefined,
    vpcId: other.id,
    regionCode: "eu-west-1",
  });
  mutate.createService({
    name: "copy of orders",
    forkedFrom: { projectId: orders.projectId, serviceId: orders.id },
    wire: { metadata: { environment: "staging" } },
  });
  mutate.createService({ name: "class", wire: { log_exporter_id: "0d9c3a1e-5f3e-4e8a-9d53-1f1b5e0d7a11" } });
  mutate.createReplicaSet(orders.id, { name: "readers", nodes: 2, environment: "PROD", poolerEnabled: true });
  mutate.createReplicaSet(orders.id, { name: "reports" });
  mutate.createReplicaSet(plain.id, { name: "readers" });
  mutate.createReplicaSet(plain.id, { name: "4 you", cpuMillis: 1000, memoryGbs: 4 });
  return { plain, orders };
}

test("a project that was created by hand is imported as a whole: the preview has no changes, and only GETs are sent", async () => {
  const { emulator } = world;
  const made = makeByHand(emulator);
  const before = emulator.ledger().length;

  const importAll = ["import", "--all", "--out", "import.json", "--program", "index.ts"];
  const written = await world.command(importAll, project.folder);
  expect(written).toMatchObject({ code: 0, out: "" });
  expect(written.error).toMatch(
    /^2 VPCs, 3 peerings, 6 services, 4 read replica sets in project proj000001\n.*--all-stacks/,
  );
  expect(written.error).toContain("`protect`");
  const file = readFileSync(path.join(project.folder, "import.json"), "utf8");
  for (const { password, initialPassword } of emulator.state().services) {
    expect(file).not.toContain(password);
    expect(file).not.toContain(initialPassword);
  }
  expect(file).not.toContain(emulator.apiKey);

  const imported = await succeed(
    project.pulumi("import --file import.json --generate-code=false --protect=false --yes"),
  );
  expect(imported.out).toContain("= 15 imported");
  await succeed(project.pulumi("refresh --yes --skip-preview --expect-no-changes"));

  // Pulumi: without dependencies the service and its sets were read at once.
  const sets = Object.values(await project.resources()).filter(
    ({ outputs }) => outputs?.["serviceId"] === made.orders.id && outputs["nodes"] !== undefined,
  );
  const targets = sets.flatMap(({ urn }) => ["--target", urn]);
  const withSets = await project.pulumi(["destroy", "--yes", "--skip-preview", ...targets]);
  expect(withSets.code).not.toBe(0);
  expect(sets).toHaveLength(2);
  expect(withSets.text).toContain(`service ${made.orders.id}, which is protected`);

  const updated = await succeed(project.pulumi("up --yes --expect-no-changes"));
  expect(updated.out.match(/16 unchanged/g)).toHaveLength(2);
  // In the preview: Pulumi's own lock of what is tagged PROD, which the import does not know and the `up` saves.
  expect(updated.out.match(/\[diff: ~protect\]/g)?.length).toBeGreaterThan(0);
  expect((await succeed(project.pulumi("preview --expect-no-changes", typesChecked))).out).not.toContain("~protect");
  expect(emulator.requests().filter(({ method }) => method !== "GET")).toEqual([]);
  expect(emulator.ledger()).toHaveLength(before);

  // The stack holds all of it now.
  const again = await world.command(["import", "--all", "--out", "again.json"], project.folder);
  expect(again.error).toMatch(/^Nothing to import.*\n(.*stack by-hand\/dev.*\n){15}$/);

  // From here on it is a resource like any other: drift shows by property, and production is protected.
  emulator.mutate.service(made.plain.id, { cpuMillis: 1000, memoryGbs: 4 });
  const drifted = await project.pulumi("preview --refresh --expect-no-changes", typesChecked);
  expect(drifted.code).not.toBe(0);
  expect(drifted.out).toMatch(/orders(-2)? +refresh +\[diff: ~cpuMillis,memoryGbs\]/);
  const destroyed = await project.pulumi("destroy --yes");
  expect(destroyed.code).not.toBe(0);
  expect(destroyed.out).toContain("it is protected");
  expect(emulator.ledger().filter(({ event }) => event === "deleted")).toEqual([]);
});

test("an import that is not followed by a refresh is safe, and an up completes it", async () => {
  const { mutate } = world.emulator;
  const prod = mutate.createService({ name: "prod", environment: "PROD" });
  const dev = mutate.createService({ name: "dev" });
  const set = mutate.createReplicaSet(prod.id, { name: "readers" });
  const inputs = { regionCode: "us-east-1", cpuMillis: 500, memoryGbs: 2 } as const;
  const declared: Partial<ServiceArgs> = {};
  const stack = await world.open(
    () => {
      const { serviceId } = new Service("prod", { name: "prod", environment: "PROD", ...inputs });
      const size = { nodes: set.nodes, cpuMillis: 500, memoryGbs: 2 };
      void new ReadReplicaSet("readers", { serviceId, name: "readers", ...size });
      void new Service("dev", { name: "dev", environment: "DEV", ...inputs, ...declared });
    },
    { project: "unrefreshed" },
  );
  const file = path.join(world.folder, "some.json");
  await succeed(
    world.command(["import", `service:${prod.id}`, `service:${dev.id}`, `replica:${prod.id}/${set.id}`, "--out", file]),
  );
  const flags = ["--generate-code=false", "--protect=false", "--yes", "--stack", "dev"];
  await succeed(world.pulumi(["import", "--file", file, ...flags], stack.workDir));

  const { prod: stored, readers } = await stack.resources();
  const refused = await stack.destroy({ target: [stored?.urn ?? "", readers?.urn ?? ""] }).catch(String);
  // Pulumi: the two are deleted at once, and the first error may keep the other from beginning.
  expect(refused).toMatch(/is protected|tag PROD/);
  expect(world.emulator.state().services.map(({ id }) => id)).toContain(prod.id);
  expect(world.emulator.state().replicaSets.map(({ id }) => id)).toContain(set.id);

  Object.assign(declared, { regionCode: "eu-west-1", allowReplace: true });
  await expect(stack.up()).rejects.toThrow(/imported[^]*regionCode/);
  delete declared.regionCode;
  delete declared.allowReplace;

  const preview = await stack.preview();
  expect(preview.text).toContain("`pulumi refresh`");
  const up = await stack.up();
  expect(up.calls).toEqual([]);
  expect(await stack.preview()).toMatchObject({ steps: [], summary: { same: 4 }, requests: 0 });
  await stack.stack.workspace.removeStack("dev", { force: true });
});

test("the doctor finds everything in place in the folder of a stack, and no secret of it is asked for or shown", async () => {
  const doctor = () => world.command(["doctor"], project.folder);
  const healthy = (await succeed(doctor())).out;
  expect(healthy).toMatch(/ok {7}Pulumi CLI \d[^]*project proj000001[^]*Everything is in place\./);
  const { DBCLOUD_API_KEY: key } = world.environment;
  delete world.environment["DBCLOUD_API_KEY"];
  await succeed(project.pulumi(`config set --secret dbcloud:apiKey ${String(key)}`));
  const secretive = (await succeed(doctor())).out;
  expect(secretive).toMatch(/not checked.*secret/);
  expect(secretive).not.toContain(String(key));
  world.environment["DBCLOUD_API_KEY"] = key;
  await succeed(project.pulumi("config set --plaintext dbcloud:apiKey plain-key"));
  const careless = await doctor();
  expect(careless).toMatchObject({ code: 1, out: textLike(/dbcloud:apiKey .*plain text/) });
  expect(careless.out).not.toContain("plain-key");
});
