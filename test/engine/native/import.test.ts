// Objects that were made by hand come under a stack of the plugin: all of a project by the document of the command, and one by
// the `import` option. After each, a preview shows nothing, and no call has changed anything.

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { succeed } from "../../support/cliProcess";
import { typesChecked } from "../../support/cli/project";
import { useEngineWorld, world } from "../world";

useEngineWorld();

test("the command writes the document and the program of a whole project", async () => {
  const project = await world.project("by-hand", {});
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

test("the import option takes over what the program describes, and shows what it would change", async () => {
  const project = await world.project("optional", {});
  const db = world.emulator.mutate.createService({ name: "bills", cpuMillis: 1000, memoryGbs: 4, poolerEnabled: true });
  const declare = (size: object): void => {
    const args = [{ name: "bills", ...size }, { import: db.id }].map((one) => JSON.stringify(one)).join(", ");
    project.write({ "index.js": `new (require("pulumi-dbcloud/native").Service)("db", ${args});` });
  };
  declare({ cpuMillis: 500, memoryGbs: 2 });
  const { text } = await succeed(project.pulumi("preview --diff"));
  expect(text).toMatch(/= .*import\)[^]*~ cpuMillis +: 1000 => 500/);
  declare({ cpuMillis: 1000, memoryGbs: 4 });
  await succeed(project.pulumi("up --yes --skip-preview"));
  await succeed(project.pulumi("preview --refresh --expect-no-changes"));
  expect(world.calls()).toEqual([]);
});
