// Objects that were made by hand come under a stack of the plugin: by Pulumi's own import, by the `import` option, and all of
// a project by the document of the command. After each, a preview shows nothing, and no call has changed anything.

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fail, succeed } from "../../support/cliProcess";
import { type EngineWorld, openEngineWorld } from "../../support/engineWorld";
import { type Project, typesChecked } from "../../support/cli/project";

let world: EngineWorld;
let project: Project;

beforeEach(async () => {
  world = await openEngineWorld();
  project = await world.project("by-hand", {});
});

afterEach(() => world.close());

const write = (program: string): void => {
  project.write({
    "index.js": `const { Peering, ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud/native");\n${program}`,
  });
};

test("pulumi import of each kind; then the program may give all inputs, or few", async () => {
  write("");
  const { mutate } = world.emulator;
  const net = mutate.createVpc({ name: "net", cidr: "10.0.0.0/24" });
  const peering = mutate.createPeering(net.id, { peerVpcId: "vpc-0abc" });
  const db = mutate.createService({ name: "orders", environment: "PROD", vpcId: net.id, poolerEnabled: true });
  const set = mutate.createReplicaSet(db.id, { name: "readers" });
  const ids = [
    ["Vpc net", net.id],
    ["Peering peer", `${net.id}/${peering.id}`],
    ["Service db", db.id],
    ["ReadReplicaSet readers", `${db.id}/${set.id}`],
  ];
  for (const [what, id] of ids) {
    await succeed(project.pulumi(`import dbcloud:index:${what} ${id} --yes --generate-code=false --protect=false`));
  }
  const { text } = await fail(project.pulumi("import dbcloud:index:Service none svcnone --yes --generate-code=false"));
  expect(text).toContain('there is no service "svcnone"');
  const resources = await project.resources();
  expect(Object.values(resources).map(({ id }) => id)).toEqual([net.id, peering.id, db.id, set.id].map(String));
  const inputs = Object.entries(resources).map(([name, one]) => `  ${name}: ${JSON.stringify(one.inputs)},`);
  write(`
const given = {\n${inputs.join("\n")}\n};
const net = new Vpc("net", given.net, { protect: false });
new Peering("peer", given.peer);
new Service("db", given.db, { protect: false });
new ReadReplicaSet("readers", given.readers);`);
  await succeed(project.pulumi("preview --expect-no-changes"));
  write(`
new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
new Peering("peer", ${JSON.stringify(resources["peer"]?.inputs)});
new Service("db", { name: "orders", vpcId: ${JSON.stringify(net.id)} }, { protect: false });
new ReadReplicaSet("readers", ${JSON.stringify(resources["readers"]?.inputs)});`);
  expect((await succeed(project.pulumi("preview"))).text).toMatch(/Service +db +update +\[diff: -/);
  await succeed(project.pulumi("up --yes --skip-preview --refresh"));
  await succeed(project.pulumi("preview --refresh --expect-no-changes"));
  expect(world.calls()).toEqual([]);
});

test("the import option takes over what the program describes, and shows what it would change", async () => {
  const db = world.emulator.mutate.createService({
    name: "orders",
    cpuMillis: 1000,
    memoryGbs: 4,
    poolerEnabled: true,
  });
  const declared = (size: string): string =>
    `new Service("db", { name: "orders", ${size} }, { import: ${JSON.stringify(db.id)} });`;
  write(declared("cpuMillis: 500, memoryGbs: 2"));
  const { text } = await succeed(project.pulumi("preview --diff"));
  expect(text).toMatch(/= .*import\)[^]*~ cpuMillis +: 1000 => 500/);
  write(declared("cpuMillis: 1000, memoryGbs: 4"));
  await succeed(project.pulumi("up --yes --skip-preview"));
  await succeed(project.pulumi("preview --refresh --expect-no-changes"));
  expect(world.calls()).toEqual([]);
});

test("the command writes the document and the program of a whole project", async () => {
  const { mutate } = world.emulator;
  const net = mutate.createVpc({ name: "net", cidr: "10.0.0.0/24" });
  mutate.createPeering(net.id, { peerVpcId: "vpc-0abc" });
  mutate.createReplicaSet(mutate.createService({ name: "orders", vpcId: net.id }).id, { name: "readers" });
  const args = ["import", "--all", "--native", "--out", "import.json", "--program", "index.ts"];
  const { text } = await succeed(world.command(args, project.folder));
  expect(text).not.toContain("pulumi refresh");
  const plugins = readFileSync(path.join(project.folder, "Pulumi.yaml"), "utf8").split("\n").at(3);
  project.write({ "Pulumi.yaml": `name: by-hand\nruntime: nodejs\n${plugins}\n`, "tsconfig.json": "{}" });
  await succeed(project.pulumi("import --file import.json --yes --generate-code=false --protect=false"));
  await succeed(project.pulumi("preview --expect-no-changes", typesChecked));
  expect(world.calls()).toEqual([]);
});
