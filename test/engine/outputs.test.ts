// Outputs on the real CLI: those of the state, known in a preview without changes, and none outside an update plan.

import { expect, test } from "vitest";
import { succeed } from "../support/cliProcess";
import type { Project } from "../support/cli/project";
import { useEngineWorld, world } from "./world";

let project: Project;

const program = `
const pulumi = require("@pulumi/pulumi");
const { ReadReplicaSet, Service, Vpc } = require("pulumi-dbcloud");
const { cpuMillis, isSecond } = require("./args.json");
let transformed = 0;
pulumi.runtime.registerStackTransformation(({ type }) => {
  if (type.includes("dbcloud")) transformed += 1;
});
const size = { cpuMillis, memoryGbs: cpuMillis / 250 };
const db = new Service("db", { ...size, poolerEnabled: true }, { additionalSecretOutputs: ["serviceType"] });
const readers = new ReadReplicaSet("readers", { serviceId: db.serviceId, nodes: 1, cpuMillis: 500, memoryGbs: 2 });
const plain = new Service("plain", {});
const name = plain.poolerHost.apply((host) => host ?? "none");
new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1", name });
exports.absent = [plain.vpcId, plain.vpcEndpoint, plain.addons, plain.password, readers.environment];
exports.strings = [db.connectionString(), db.connectionString({ via: "pooler" }), plain.connectionString()];
exports.named = [plain.name, plain.created, plain.host, plain.port, db.host, db.port];
exports.read = [db.projectId, db.resources, db.regionCode, db.poolerHost, readers.status];
exports.marked = db.serviceType;
exports.whole = db;
exports.transformed = pulumi.all([db.status, readers.status]).apply(() => transformed);
if (isSecond) exports.second = new Service("second", {}).status;
`;

useEngineWorld({}, async () => {
  project = await world.project("outputs", { "index.js": program });
});

function write(args: { cpuMillis: number; isSecond?: true }): void {
  project.write({ "args.json": JSON.stringify(args) });
}

async function stackOutputs(): Promise<Record<string, unknown>> {
  return JSON.parse((await succeed(project.pulumi("stack output --json"))).out) as Record<string, unknown>;
}

const planned = `
const { Service, Vpc } = require("pulumi-dbcloud");
new Vpc("net", { cidr: "10.0.0.0/24", regionCode: "us-east-1" });
exports.url = new Service("planned", {}).connectionString();
`;

// Pulumi: with a plan, an `up` fails without a call that the preview has made, also one for an output.
test("an up by the plan of a preview makes everything that the preview has shown", async () => {
  const plannedProject = await world.project("planned", { "index.js": planned });
  const { text } = await succeed(plannedProject.pulumi("preview --save-plan plan.json"));
  expect(text).toContain("+ 3 to create");
  await succeed(plannedProject.pulumi("up --yes --skip-preview --plan plan.json"));
  expect(Object.keys(await plannedProject.resources()).toSorted()).toEqual(["net", "planned"]);
});

test("after an up the outputs are those of the state, secret where the program says so", async () => {
  write({ cpuMillis: 500 });
  const { text } = await succeed(project.pulumi("up --yes"));
  expect(text).toContain("+ 5 to create");
  const { services } = world.emulator.state();
  const service = services.find(({ name }) => name === "db-test");
  const outputs = await stackOutputs();
  const { db, plain } = await project.resources();
  const { resources, poolerHost } = db?.outputs ?? {};
  expect(outputs["read"]).toEqual(["proj000001", resources, service?.regionCode, poolerHost, "active"]);
  expect(resources).toHaveLength(1);
  expect(poolerHost).toMatch(/./);
  expect(outputs["marked"]).toBe("[secret]");
  const { name, created, host, port } = plain?.outputs ?? {};
  expect(outputs["named"]).toEqual([name, created, host, port, db?.outputs?.["host"], db?.outputs?.["port"]]);
  expect(name).toBe("plain-test");
  expect(host).toMatch(/./);
  expect(outputs["strings"]).toEqual(["[secret]", "[secret]", "[secret]"]);
  const { __deployment, __inputs, __provider, __urn, __version, ...shown } = db?.outputs ?? {};
  expect(Object.keys(outputs["whole"] as object).toSorted()).toEqual([...Object.keys(shown), "id", "urn"].toSorted());
  expect(outputs["whole"]).toMatchObject({ status: "READY", serviceType: "[secret]", initialPassword: "[secret]" });
  expect(outputs["transformed"]).toBe(4);

  const { out } = await succeed(project.pulumi("stack output strings --json --show-secrets"));
  const at = (url: string): string => url.replace(/^postgresql:\/\/tsdbadmin:[^@]+@([^/]+)\/tsdb\?.*$/, "$1");
  expect((JSON.parse(out) as string[]).map(at)).toEqual([
    `${String(db?.outputs?.["host"])}:${String(db?.outputs?.["port"])}`,
    `${String(poolerHost)}:${String(db?.outputs?.["poolerPort"])}`,
    `${String(host)}:${String(port)}`,
  ]);
});

test("a preview without changes shows no change of outputs, and absent outputs stay absent", async () => {
  const { text } = await succeed(project.pulumi("preview --diff --expect-no-changes"));
  expect(text).toContain("5 unchanged");
  expect(text).not.toContain("[unknown]");
});

test("in a preview of a change, the outputs that it may change are unknown, and the others are known", async () => {
  write({ cpuMillis: 1000 });
  const { text } = await succeed(project.pulumi("preview --diff"));
  expect(text).toContain("1 to update");
  const [, named = ""] = /~ named([^]*?)~ read/.exec(text) ?? [];
  expect(named.match(/\[unknown\]/g)).toHaveLength(2);
});

test("a resource that a targeted run leaves out has no outputs, and the run continues", async () => {
  write({ cpuMillis: 1000, isSecond: true });
  const { db } = await project.resources();
  await succeed(project.pulumi(["preview", "--target", db?.urn ?? ""]));
  await succeed(project.pulumi(["up", "--yes", "--skip-preview", "--target", db?.urn ?? ""]));
  expect(Object.keys(await project.resources()).toSorted()).toEqual(["db", "net", "plain", "readers"]);
  expect((await stackOutputs())["read"]).toContainEqual([
    expect.objectContaining({ spec: expect.objectContaining({ cpuMillis: 1000 }) as object }),
  ]);
});

const failing = `
const pulumi = require("@pulumi/pulumi");
const { Service } = require("pulumi-dbcloud");
const { where } = require("./args.json");
const refuse = () => {
  throw new Error("not this one");
};
new Service("first", {}, { transformations: where === "transformation" ? [refuse] : [] });
async function goOn() {
  await new Promise((resolve) => setTimeout(resolve, 1));
  throw new Error("later");
}
if (where === "program") void goOn();
`;

test.each([
  ["transformation", /not this one\n +at refuse .*index\.js:6:9[^]*index\.js:8:/],
  ["program", /later\n +at goOn .*index\.js:11:9/],
])("an error of a %s tells where it comes from", async (where, stack) => {
  project.write({ "index.js": failing, "args.json": JSON.stringify({ where }) });
  const { code, text } = await project.pulumi("preview");
  expect(code).not.toBe(0);
  expect(text).toMatch(stack);
});
